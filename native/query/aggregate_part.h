// The state of one part of a grouped query, folded by one thread. Internal to query/.
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

// The first and the last bucket that the ranges can reach.
inline std::pair<std::int64_t, std::int64_t> bucketSpan(const AggregatePlan& plan,
                                                        std::span<const TimeRange> ranges) {
  if (!plan.bucket || ranges.empty()) return {0, 0};
  return {bucketOf(*plan.bucket, ranges.front().start), bucketOf(*plan.bucket, ranges.back().end)};
}

// The bytes that cells hold outside their table.
inline std::uint64_t bytesBeside(std::uint64_t cells, std::uint64_t values, const Needs& needs) {
  return cells * rareBytesOf(needs) + values * sizeof(double);
}

// The plan and the control must outlive it.
struct AggregatePart {
  // The count of groups known before the fold, and the first and the last bucket.
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

  // True if a summary replaces reading samples with this verdict.
  bool mayStandForAll(ValueFilter::Verdict verdict) const {
    return verdict == ValueFilter::Verdict::kAll && !streams && !splitter;
  }
  // True if the stretch is a whole strip and its ends and count are enough for the aggregates.
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
  // The count of values held for percentiles and distinct counts.
  std::uint64_t held() const { return heldValues + (streams ? streams->heldValues() : 0); }
  std::uint64_t memoryBytes() const {
    return table.memoryBytes() + bytesBeside(table.size(), held(), fold.needs()) +
           (streams ? streams->memoryBytes() : 0) +
           (splitter ? splitter->tuples().memoryBytes() : 0);
  }
  // Adds the cells of another part, with later series.
  void merge(AggregatePart& other) {
    if (splitter) {
      // The other part may number the same tuple differently.
      const auto numbers = splitter->tuples().take(other.splitter->tuples());
      for (GroupCell& cell : other.table.cells()) cell.group = numbers[cell.group];
      if (streams) other.streams->renumber(numbers);
    }
    for (GroupCell& cell : other.table.cells()) {
      table.cellOf(cell.group, cell.bucket).addCell(cell, fold.needs());
    }
    if (streams) streams->merge(*other.streams);
  }
  // Adds the cells of another part, with the same series and other buckets.
  void append(AggregatePart& other) {
    auto& cells = table.cells();
    cells.insert(cells.end(), std::make_move_iterator(other.table.cells().begin()),
                 std::make_move_iterator(other.table.cells().end()));
  }

  SeriesReader reader;
  GroupTable table;
  SeriesFold fold;
  std::unique_ptr<ArgumentStreams> streams;  // Null without arguments.
  std::unique_ptr<KeySplitter> splitter;     // Null if no key is an expression.
  // The series' places, from begin up to end, and the time slices of this part.
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::vector<TimeSlice> slices;
  std::uint64_t heldValues = 0;
  QueryMemory memory;
  Status status;
};

}  // namespace seriesdb
