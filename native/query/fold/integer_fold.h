// Folds integers of one series after another into the cells of their buckets, exactly.
//
// The cells themselves know only group, bucket and count; what is of integers stands beside them.
// Not thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/types/result_table.h"
#include "common/types/wide.h"
#include "query/fold/aggregate_plan.h"
#include "query/fold/group_cell.h"
#include "query/fold/group_table.h"
#include "query/fold/held_values.h"

namespace seriesdb {

class IntegerFold {
 public:
  // The plan must outlive the fold. The table is for cells that this alone makes.
  IntegerFold(const AggregatePlan& plan, const Needs& needs, GroupTable& table)
      : plan_(plan), needs_(needs), table_(table) {}

  void beginSeries(std::uint32_t group, SeriesId series);
  // What follows is of another group of the same series.
  void enterGroup(std::uint32_t group) { group_ = group; }
  // Values that follow those given before in time; as many as timestamps, which ascend.
  void add(std::span<const Timestamp> ts, std::span<const std::int64_t> values);
  // Takes what another fold has, whose series come later.
  void merge(IntegerFold& other);
  // Beside the table, less the values.
  std::size_t memoryBytes() const { return parts_.capacity() * sizeof(Part); }
  // Appends the aggregate of a cell of the table, or that of no values for null. Returns how many
  // values that took.
  std::size_t appendTo(ResultColumn& column, const AggregateColumn& aggregate,
                       const GroupCell* cell, const GoOn& goOn);

 private:
  using Edge = EdgeOf<std::int64_t>;
  struct Part {
    Wide sum = 0;  // Of fewer than 2^64 values: it cannot overflow.
    Edge least;    // The earliest of equals, as the next.
    Edge greatest;
    Edge first;
    Edge last;
    std::vector<std::int64_t> values;
  };

  Part& partOf(std::uint32_t group, std::int64_t bucket, std::uint64_t count, bool& isNew);
  static void reach(Part& part, const Edge& first, const Edge& last);
  void addStretch(std::span<const Timestamp> ts, std::span<const std::int64_t> values);

  const AggregatePlan& plan_;
  const Needs needs_;
  GroupTable& table_;
  std::vector<Part> parts_;  // As the cells of the table.
  std::uint32_t group_ = 0;
  SeriesId series_ = 0;
};

}  // namespace seriesdb
