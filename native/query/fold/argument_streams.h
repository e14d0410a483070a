// Aggregates over expressions: each argument is a stream of its own, of the samples for which it is
// not null, folded into its own cells. The cells of the samples themselves say which rows there
// are. Not thread-safe: each part of a query has its own.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "common/types/result_table.h"
#include "query/expression/expression_machine.h"
#include "query/fold/aggregate_plan.h"
#include "query/fold/held_values.h"
#include "query/fold/integer_fold.h"
#include "query/fold/series_fold.h"

namespace seriesdb {

class ArgumentStreams {
 public:
  // kInvalidArgument when an aggregate does not take the type of its argument.
  static Status check(const AggregatePlan& plan);

  // The plan must outlive this. Buckets are expected in [first, second].
  ArgumentStreams(const AggregatePlan& plan, std::uint32_t groupCount,
                  std::pair<std::int64_t, std::int64_t> buckets);

  // `place` is the series' place in the plan.
  void beginSeries(std::uint32_t place, std::uint32_t group, SeriesId series, bool isCounter);
  // What follows is of another group of the same series. REQUIRES: a plan without a bucket.
  void enterGroup(std::uint32_t group);
  void add(const SampleBlock& block);
  void endSeries();
  // How many arguments there are.
  std::size_t size() const { return streams_.size(); }
  // Of the cells, less the values that they hold.
  std::size_t memoryBytes() const;
  // How many values are held for percentiles and distinct counts.
  std::uint64_t heldValues() const { return heldValues_; }
  // Gives each group another number. REQUIRES: distinct ones.
  void renumber(const std::vector<std::uint32_t>& numbers);
  // Takes what another part has, whose series come later.
  void merge(ArgumentStreams& other);
  // REQUIRES (both): an aggregate over an argument.
  bool isOfIntegers(const AggregateColumn& aggregate);
  // Appends the aggregate for a row of the answer; returns how many values that took.
  std::size_t append(const AggregateColumn& aggregate, const GroupCell& row, ResultColumn& column,
                     const GoOn& goOn);

 private:
  // One argument that an aggregate asks for.
  struct Stream {
    Stream(const AggregatePlan& plan, std::uint32_t argument, std::uint32_t groupCount,
           std::pair<std::int64_t, std::int64_t> buckets);

    std::uint32_t argument;
    bool isInteger;
    Needs needs;
    GroupTable table;
    SeriesFold floats;
    IntegerFold integers;
  };

  Stream& streamOf(const AggregateColumn& aggregate);
  void addTo(Stream& stream, std::span<const Timestamp> ts);

  const AggregatePlan& plan_;
  ExpressionMachine machine_;
  std::vector<std::unique_ptr<Stream>> streams_;
  std::vector<Timestamp> ts_;
  std::vector<double> floats_;
  std::vector<std::int64_t> integers_;
  std::uint64_t heldValues_ = 0;
};

}  // namespace seriesdb
