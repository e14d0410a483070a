// Folds integers of one series after another into the cells of their buckets, exactly.
//
// The cells have only group, bucket and count; the integer parts stand beside them. Not
// thread-safe.
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
  // The plan must outlive the fold. Only this fold may create cells in the table.
  IntegerFold(const AggregatePlan& plan, const Needs& needs, GroupTable& table)
      : plan_(plan), needs_(needs), table_(table) {}

  void beginSeries(std::uint32_t group, SeriesId series);
  // Switches to another group of the same series.
  void enterGroup(std::uint32_t group) { group_ = group; }
  // The values must be later than those before. REQUIRES: ascending timestamps, equal lengths.
  void add(std::span<const Timestamp> ts, std::span<const std::int64_t> values);
  // Adds the parts of another fold, with later series.
  void merge(IntegerFold& other);
  // The bytes beside the table, without the values.
  std::size_t memoryBytes() const { return parts_.capacity() * sizeof(Part); }
  // Appends the aggregate of a cell of the table; null means a cell without values. Returns the
  // count of values processed.
  std::size_t appendTo(ResultColumn& column, const AggregateColumn& aggregate,
                       const GroupCell* cell, const GoOn& goOn);

 private:
  using Edge = EdgeOf<std::int64_t>;
  struct Part {
    Wide sum = 0;  // Cannot overflow: there are fewer than 2^64 values.
    Edge least;    // The earliest of equal values, as greatest.
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
  std::vector<Part> parts_;  // Indexed as the table's cells.
  std::uint32_t group_ = 0;
  SeriesId series_ = 0;
};

}  // namespace seriesdb
