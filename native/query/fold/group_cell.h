// Partial aggregates: a run (one series in one bucket) and a cell (one row of the answer), which
// runs and other cells are merged into.
//
// Of equal times the id of the series decides: first and the extremes take the lower one, last the
// higher. What is merged does not depend on the order of merges; of sums see
// base/compensated_sum.h.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "common/base/compensated_sum.h"
#include "common/base/value_fold.h"
#include "common/types/sample.h"
#include "query/fold/aggregate_plan.h"
#include "query/fold/exact_moments.h"

namespace seriesdb {

// Which parts of a run and a cell are kept; what none needs is not computed.
struct Needs {
  bool sum = false;
  bool minMax = false;
  bool moments = false;   // Exact sums of values and squares.
  bool edges = false;     // First and last.
  bool extremes = false;  // Times of least and greatest.
  bool perSeries = false;
  bool increase = false;
  bool integral = false;
  bool values = false;  // All of them.

  bool isRare() const { return moments || extremes || perSeries || values; }
  // Of the aggregates over this argument.
  static Needs of(const std::vector<AggregateColumn>& columns,
                  std::uint32_t argument = AggregateColumn::kValue);
};

// A value with its place in the order of rows.
template <typename Value>
struct EdgeOf {
  Timestamp ts = 0;
  SeriesId series = 0;
  Value value = 0;
  bool isBefore(const EdgeOf& other) const {
    return ts != other.ts ? ts < other.ts : series < other.series;
  }
};
using Edge = EdgeOf<double>;

// Takes extremes into those of a part; of equals it keeps the earliest.
template <typename Part, typename Value>
void widen(Part& part, const EdgeOf<Value>& least, const EdgeOf<Value>& greatest) {
  if (least.value < part.least.value ||
      (least.value == part.least.value && least.isBefore(part.least))) {
    part.least = least;
  }
  if (greatest.value > part.greatest.value ||
      (greatest.value == part.greatest.value && greatest.isBefore(part.greatest))) {
    part.greatest = greatest;
  }
}

struct SampleRun {
  std::uint64_t count = 0;  // Of values, as the next of nulls, of which nothing else is known.
  std::uint64_t nullCount = 0;
  CompensatedSum sum;
  ValueBounds bounds{};
  std::unique_ptr<ExactMoments> moments;  // There with values, where Needs::moments.
  Timestamp minTs = 0;
  Timestamp maxTs = 0;
  Timestamp firstTs = 0;
  Timestamp lastTs = 0;
  double firstValue = 0;
  double lastValue = 0;
  CompensatedSum increase;
  CompensatedSum integral;  // In value times seconds.
  std::vector<double> values;

  bool isEmpty() const { return count == 0 && nullCount == 0; }
  // Before `count` counts the values that they are of.
  void addBounds(const ValueBounds& added) {
    if (count == 0) {
      bounds = added;
    } else {
      bounds.add(added);
    }
  }
  // For the next run, whose first value sets all that does not add up; keeps the memory of `values`
  // and `moments`.
  void clear() {
    count = 0;
    nullCount = 0;
    sum = {};
    increase = {};
    integral = {};
    values.clear();
    if (moments) moments->clear();
  }
};

// What few aggregates need: apart from the cell, so that an answer of many rows is small.
struct RareParts {
  std::unique_ptr<ExactMoments> moments;  // There where Needs::moments.
  Edge least;
  Edge greatest;
  // Sums over series of the group.
  CompensatedSum increase;
  CompensatedSum rate;
  CompensatedSum integral;
  std::uint64_t rateCount = 0;  // Series with a rate.
  std::vector<double> values;
};

// What a cell with values has beside itself, without `values`.
inline std::size_t rareBytesOf(const Needs& needs) {
  return (needs.isRare() ? sizeof(RareParts) : 0) + (needs.moments ? sizeof(ExactMoments) : 0);
}

struct GroupCell {
  std::uint32_t group = 0;
  std::int64_t bucket = 0;
  std::uint64_t count = 0;  // Of values. What follows is of them, but for the next.
  std::uint64_t nullCount = 0;
  CompensatedSum sum;
  ValueBounds bounds{};
  Edge first;
  Edge last;
  std::unique_ptr<RareParts> rare;  // There, once the cell has a value, where Needs::isRare().

  void addRun(const SampleRun& run, SeriesId series, bool isCounter, const Needs& needs,
              std::int64_t unitsPerSecond);
  void addCell(GroupCell& other, const Needs& needs);
  // Of values that `count` does not count yet.
  void addBounds(const ValueBounds& added) {
    if (count == 0) bounds = added;
    bounds.add(added);
  }
  ExactMoments& moments() {
    if (rare == nullptr) rare = std::make_unique<RareParts>();
    if (rare->moments == nullptr) rare->moments = std::make_unique<ExactMoments>();
    return *rare->moments;
  }
  void addEdges(const Edge& begin, const Edge& end) {
    if (count == 0 || begin.isBefore(first)) first = begin;
    if (count == 0 || last.isBefore(end)) last = end;
  }
  std::size_t heldValues() const { return rare == nullptr ? 0 : rare->values.size(); }

 private:
  void addRareRun(const SampleRun& run, SeriesId series, bool isCounter, const Needs& needs,
                  std::int64_t unitsPerSecond);
  void addValuesOf(const GroupCell& other, const Needs& needs);
  void addRareCell(const RareParts& other, const Needs& needs);
};

}  // namespace seriesdb
