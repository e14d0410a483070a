// The answer of a grouped query: its cells in order, as columns of keys and aggregates.
#pragma once

#include <cstdint>
#include <vector>

#include "common/types/result_table.h"
#include "query/fold/aggregate_plan.h"
#include "query/fold/argument_streams.h"
#include "query/fold/group_cell.h"
#include "query/group_index.h"
#include "query/keys/key_tuples.h"
#include "query/samples/query_control.h"

namespace seriesdb {

class GroupRows {
 public:
  // All must outlive this. `tuples` belongs to the cells' groups and is null if no key is an
  // expression. `streams` is null without arguments.
  GroupRows(const AggregatePlan& plan, const GroupIndex& groups, const KeyTuples* tuples,
            std::vector<GroupCell>& cells, ArgumentStreams* streams)
      : plan_(plan), groups_(groups), tuples_(tuples), cells_(cells), streams_(streams) {}

  // The cells' numbers in the order of the plan.
  std::vector<std::uint32_t> sorted() const;
  // fillKey() and fillAggregate() append the column for these cells.
  void fillKey(std::size_t key, const std::vector<std::uint32_t>& rows, ResultColumn& column) const;
  // May reorder held values. If the query is over, returns the status of `control`.
  Status fillAggregate(const AggregateColumn& aggregate, const std::vector<std::uint32_t>& rows,
                       QueryControl& control, ResultColumn& column);

 private:
  std::uint32_t codeOf(std::size_t key, std::uint32_t row) const;
  void putWords(std::size_t key, std::uint32_t row, std::vector<std::uint64_t>& words) const;
  KeyValue valueOf(std::size_t key, std::uint32_t row) const;
  void fillValues(std::size_t key, RegisterType type, const std::vector<std::uint32_t>& rows,
                  ResultColumn& column) const;
  void fillTexts(std::size_t key, const std::vector<std::uint32_t>& rows,
                 ResultColumn& column) const;

  const AggregatePlan& plan_;
  const GroupIndex& groups_;
  const KeyTuples* tuples_;
  std::vector<GroupCell>& cells_;
  ArgumentStreams* streams_;
};

}  // namespace seriesdb
