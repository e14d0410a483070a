// Aggregates over expressions. Each argument is its own stream of samples without nulls, folded
// into its own cells. The cells of the samples themselves define the rows. Not thread-safe: each
// part of a query has its own streams.
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
  // kInvalidArgument if an aggregate does not take the type of its argument.
  static Status check(const AggregatePlan& plan);

  // The plan must outlive this. Most buckets should lie in [first, second].
  ArgumentStreams(const AggregatePlan& plan, std::uint32_t groupCount,
                  std::pair<std::int64_t, std::int64_t> buckets);

  // `place` is the series' place in the plan.
  void beginSeries(std::uint32_t place, std::uint32_t group, SeriesId series, bool isCounter);
  // Switches to another group of the same series. REQUIRES: a plan without a bucket.
  void enterGroup(std::uint32_t group);
  void add(const SampleBlock& block);
  void endSeries();
  // The count of arguments.
  std::size_t size() const { return streams_.size(); }
  // The bytes of the cells, without the values that they hold.
  std::size_t memoryBytes() const;
  // The count of values held for percentiles and distinct counts.
  std::uint64_t heldValues() const { return heldValues_; }
  // Renumbers the groups. REQUIRES: distinct numbers.
  void renumber(const std::vector<std::uint32_t>& numbers);
  // Adds the streams of another part, with later series.
  void merge(ArgumentStreams& other);
  // Both REQUIRE an aggregate over an argument.
  bool isOfIntegers(const AggregateColumn& aggregate);
  // Appends the aggregate for a row of the answer. Returns the count of values processed.
  std::size_t append(const AggregateColumn& aggregate, const GroupCell& row, ResultColumn& column,
                     const GoOn& goOn);

 private:
  // One argument that some aggregates use.
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
