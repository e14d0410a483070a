// What one thread of a grouped query works on, and with. Internal to query/.
#pragma once

#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "query/fold/aggregate_plan.h"
#include "query/fold/argument_streams.h"
#include "query/fold/group_table.h"
#include "query/fold/series_fold.h"
#include "query/keys/key_splitter.h"
#include "query/samples/query_memory.h"
#include "query/samples/series_reader.h"

namespace seriesdb {

// The buckets that the ranges can reach.
inline std::pair<std::int64_t, std::int64_t> bucketSpan(const AggregatePlan& plan,
                                                        std::span<const TimeRange> ranges) {
  if (!plan.bucket || ranges.empty()) return {0, 0};
  return {bucketOf(*plan.bucket, ranges.front().start), bucketOf(*plan.bucket, ranges.back().end)};
}

// What cells hold outside of their table.
inline std::uint64_t bytesBeside(std::uint64_t cells, std::uint64_t values, const Needs& needs) {
  return cells * rareBytesOf(needs) + values * sizeof(double);
}

// Of a plan and a control, which must outlive it.
struct AggregatePart {
  // The groups that are known before the fold, and the first and the last bucket.
  struct Cells {
    std::uint32_t groupCount;
    std::pair<std::int64_t, std::int64_t> buckets;
  };

  AggregatePart(const AggregatePlan& plan, PinnedView view, QueryControl& control,
                const Cells& cells)
      : reader(std::move(view), plan.read, control),
        table(cells.groupCount, cells.buckets.first, cells.buckets.second),
        fold(plan, Needs::of(plan.aggregates), table),
        memory(plan.read.limits) {
    reader.answerAlone(
        [this](const Stretch& stretch) { return isAnsweredAlone(stretch, reader.judge(stretch)); });
    if (!plan.keyValues.isEmpty()) splitter = std::make_unique<KeySplitter>(plan);
    if (plan.arguments.isEmpty()) return;
    streams = std::make_unique<ArgumentStreams>(plan, cells.groupCount, cells.buckets);
  }

  // Whether a summary of samples with this verdict stands for them all.
  bool mayStandForAll(ValueFilter::Verdict verdict) const {
    return verdict == ValueFilter::Verdict::kAll && !streams && !splitter;
  }
  // Whether the stretch is a row of memory of which no more is needed than its ends and count.
  bool isAnsweredAlone(const Stretch& stretch, ValueFilter::Verdict verdict) const {
    return mayStandForAll(verdict) && stretch.wholeStrip() &&
           fold.takesExtent(*stretch.wholeStrip());
  }
  void add(const SampleBlock& block) {
    if (fold.needs().values) heldValues += block.size();
    if (!splitter) {
      fold.add(block);
      if (streams) streams->add(block);
      return;
    }
    splitter->split(block, [this](std::uint32_t group, const SampleBlock& own) {
      fold.enterGroup(group);
      fold.add(own);
      if (!streams) return;
      streams->enterGroup(group);
      streams->add(own);
    });
  }
  // How many values are held for percentiles and distinct counts.
  std::uint64_t held() const { return heldValues + (streams ? streams->heldValues() : 0); }
  std::uint64_t memoryBytes() const {
    return table.memoryBytes() + bytesBeside(table.size(), held(), fold.needs()) +
           (streams ? streams->memoryBytes() : 0) +
           (splitter ? splitter->tuples().memoryBytes() : 0);
  }
  // Takes what another part has, whose series come later.
  void merge(AggregatePart& other) {
    if (splitter) {
      // The same tuple may have another number there.
      const auto numbers = splitter->tuples().take(other.splitter->tuples());
      for (GroupCell& cell : other.table.cells()) cell.group = numbers[cell.group];
      if (streams) other.streams->renumber(numbers);
    }
    for (GroupCell& cell : other.table.cells()) {
      table.cellOf(cell.group, cell.bucket).addCell(cell, fold.needs());
    }
    if (streams) streams->merge(*other.streams);
  }
  // Takes what another part has of the same series, in other buckets.
  void append(AggregatePart& other) {
    auto& cells = table.cells();
    cells.insert(cells.end(), std::make_move_iterator(other.table.cells().begin()),
                 std::make_move_iterator(other.table.cells().end()));
  }

  SeriesReader reader;
  GroupTable table;
  SeriesFold fold;
  std::unique_ptr<ArgumentStreams> streams;  // Null without arguments.
  std::unique_ptr<KeySplitter> splitter;     // Null where no key is an expression.
  // The series and the time that it is of.
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::vector<TimeSlice> slices;
  std::uint64_t heldValues = 0;
  QueryMemory memory;
  Status status;
};

}  // namespace seriesdb
