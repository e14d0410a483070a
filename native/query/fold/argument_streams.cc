#include "query/fold/argument_streams.h"

#include <algorithm>
#include <cmath>

#include "query/fold/aggregate_value.h"

namespace seriesdb {
namespace {

bool takesIntegers(AggregateKind kind) {
  switch (kind) {
    case AggregateKind::kCount:
    case AggregateKind::kSum:
    case AggregateKind::kMin:
    case AggregateKind::kMax:
    case AggregateKind::kFirst:
    case AggregateKind::kLast:
    case AggregateKind::kMinTime:
    case AggregateKind::kMaxTime:
    case AggregateKind::kCountDistinct:
      return true;
    default:
      return false;
  }
}

}  // namespace

Status ArgumentStreams::check(const AggregatePlan& plan) {
  for (const AggregateColumn& column : plan.aggregates) {
    if (column.argument == AggregateColumn::kValue) continue;
    if (column.argument >= plan.arguments.outputCount()) {
      return Status::invalid("an aggregate names an unknown argument");
    }
    const RegisterType type = plan.arguments.outputType(column.argument);
    const bool isFloat = type == RegisterType::kFloat;
    if (!isFloat && !(type == RegisterType::kInteger && takesIntegers(column.kind))) {
      return Status::invalid("an aggregate does not take an argument of that type");
    }
  }
  return Status::okStatus();
}

ArgumentStreams::Stream::Stream(const AggregatePlan& plan, std::uint32_t at,
                                std::uint32_t groupCount,
                                std::pair<std::int64_t, std::int64_t> buckets)
    : argument(at),
      isInteger(plan.arguments.outputType(at) == RegisterType::kInteger),
      needs(Needs::of(plan.aggregates, at)),
      table(groupCount, buckets.first, buckets.second),
      floats(plan, needs, table),
      integers(plan, needs, table) {}

ArgumentStreams::ArgumentStreams(const AggregatePlan& plan, std::uint32_t groupCount,
                                 std::pair<std::int64_t, std::int64_t> buckets)
    : plan_(plan), machine_(plan.arguments) {
  for (std::uint32_t at = 0; at < plan.arguments.outputCount(); ++at) {
    if (plan.arguments.outputType(at) == RegisterType::kBoolean) continue;
    streams_.push_back(std::make_unique<Stream>(plan, at, groupCount, buckets));
  }
  ts_.resize(ExpressionMachine::kLanes);
  floats_.resize(ExpressionMachine::kLanes);
  integers_.resize(ExpressionMachine::kLanes);
}

void ArgumentStreams::beginSeries(std::uint32_t place, std::uint32_t group, SeriesId series,
                                  bool isCounter) {
  if (plan_.arguments.hasColumns()) machine_.beginSeries(plan_.read.places[place]);
  for (const auto& stream : streams_) {
    stream->floats.beginSeries(group, series, isCounter);
    stream->integers.beginSeries(group, series);
  }
}

void ArgumentStreams::enterGroup(std::uint32_t group) {
  for (const auto& stream : streams_) {
    stream->floats.enterGroup(group);
    stream->integers.enterGroup(group);
  }
}

void ArgumentStreams::add(const SampleBlock& block) {
  for (std::size_t at = 0; at < block.size(); at += ExpressionMachine::kLanes) {
    const std::size_t count = std::min(block.size() - at, ExpressionMachine::kLanes);
    const auto ts = block.ts.subspan(at, count);
    machine_.run(ts, block.values.subspan(at, count));
    for (const auto& stream : streams_) addTo(*stream, ts);
  }
}

// Adds the samples for which the argument is not null.
void ArgumentStreams::addTo(Stream& stream, std::span<const Timestamp> ts) {
  std::size_t kept = 0;
  if (stream.isInteger) {
    const std::int64_t* values = machine_.integers(stream.argument);
    const std::uint8_t* nulls = machine_.nulls(stream.argument);
    for (std::size_t i = 0; i < ts.size(); ++i) {
      ts_[kept] = ts[i];
      integers_[kept] = values[i];
      kept += nulls[i] == 0 ? 1 : 0;
    }
  } else {
    const double* values = machine_.floats(stream.argument);
    for (std::size_t i = 0; i < ts.size(); ++i) {
      ts_[kept] = ts[i];
      floats_[kept] = values[i];
      kept += std::isnan(values[i]) ? 0 : 1;
    }
  }
  if (kept == 0) return;
  if (stream.needs.values) heldValues_ += kept;
  const auto times = std::span<const Timestamp>(ts_).first(kept);
  if (stream.isInteger) {
    stream.integers.add(times, std::span<const std::int64_t>(integers_).first(kept));
  } else {
    stream.floats.add({times, std::span<const double>(floats_).first(kept), kUnknownReach});
  }
}

void ArgumentStreams::endSeries() {
  for (const auto& stream : streams_) stream->floats.endSeries();
}

void ArgumentStreams::renumber(const std::vector<std::uint32_t>& numbers) {
  for (const auto& stream : streams_) {
    for (GroupCell& cell : stream->table.cells()) cell.group = numbers[cell.group];
  }
}

void ArgumentStreams::merge(ArgumentStreams& other) {
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    Stream& stream = *streams_[i];
    if (stream.isInteger) {
      stream.integers.merge(other.streams_[i]->integers);
      continue;
    }
    for (GroupCell& cell : other.streams_[i]->table.cells()) {
      stream.table.cellOf(cell.group, cell.bucket).addCell(cell, stream.needs);
    }
  }
}

std::size_t ArgumentStreams::memoryBytes() const {
  std::size_t bytes = 0;
  for (const auto& stream : streams_) {
    bytes += stream->table.memoryBytes() + stream->integers.memoryBytes();
    bytes += stream->table.size() * rareBytesOf(stream->needs);
  }
  return bytes;
}

ArgumentStreams::Stream& ArgumentStreams::streamOf(const AggregateColumn& aggregate) {
  return **std::find_if(streams_.begin(), streams_.end(),
                        [&](const auto& stream) { return stream->argument == aggregate.argument; });
}

bool ArgumentStreams::isOfIntegers(const AggregateColumn& aggregate) {
  return streamOf(aggregate).isInteger;
}

std::size_t ArgumentStreams::append(const AggregateColumn& aggregate, const GroupCell& row,
                                    ResultColumn& column, const GoOn& goOn) {
  Stream& stream = streamOf(aggregate);
  GroupCell* cell = stream.table.find(row.group, row.bucket);
  if (stream.isInteger) return stream.integers.appendTo(column, aggregate, cell, goOn);
  appendValue(column, aggregate, cell, goOn);
  return cell == nullptr ? 0 : cell->heldValues();
}

}  // namespace seriesdb
