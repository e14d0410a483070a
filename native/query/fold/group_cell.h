// Partial aggregates: a run is one series in one bucket; a cell is one row of the answer. Runs and
// other cells are merged into cells.
//
// At equal times the series' id decides: first and the extremes take the lower id, last takes the
// higher. Results do not depend on the order of merges; for sums see base/compensated_sum.h.
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

// The parts of runs and cells that some aggregate needs. Other parts are not computed.
struct Needs {
  bool sum = false;
  bool minMax = false;
  bool moments = false;   // Exact sums of values and of squares.
  bool edges = false;     // First and last.
  bool extremes = false;  // Times of least and greatest.
  bool perSeries = false;
  bool increase = false;
  bool integral = false;
  bool values = false;  // All values.

  bool isRare() const { return moments || extremes || perSeries || values; }
  // The needs of the aggregates over this argument.
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

// Merges extremes into a part. If values are equal, the earliest stays.
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
  std::uint64_t count = 0;  // Counts values; nullCount counts nulls, which are only counted.
  std::uint64_t nullCount = 0;
  CompensatedSum sum;
  ValueBounds bounds{};
  std::unique_ptr<ExactMoments> moments;  // Set if the run has values and Needs::moments.
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
  // Call it before `count` includes the values of these bounds.
  void addBounds(const ValueBounds& added) {
    if (count == 0) {
      bounds = added;
    } else {
      bounds.add(added);
    }
  }
  // Prepares for the next run. Its first value sets all parts that are not sums. Keeps the memory
  // of `values` and `moments`.
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

// Parts that few aggregates need. They are separate, so that an answer of many rows is small.
struct RareParts {
  std::unique_ptr<ExactMoments> moments;  // Set if Needs::moments.
  Edge least;
  Edge greatest;
  // Sums over the group's series.
  CompensatedSum increase;
  CompensatedSum rate;
  CompensatedSum integral;
  std::uint64_t rateCount = 0;  // The count of series with a rate.
  std::vector<double> values;
};

// The bytes of a cell with values outside the cell, without `values`.
inline std::size_t rareBytesOf(const Needs& needs) {
  return (needs.isRare() ? sizeof(RareParts) : 0) + (needs.moments ? sizeof(ExactMoments) : 0);
}

struct GroupCell {
  std::uint32_t group = 0;
  std::int64_t bucket = 0;
  std::uint64_t count = 0;  // Counts values. The parts below are of values; nullCount counts nulls.
  std::uint64_t nullCount = 0;
  CompensatedSum sum;
  ValueBounds bounds{};
  Edge first;
  Edge last;
  std::unique_ptr<RareParts> rare;  // Set if the cell has a value and Needs::isRare().

  void addRun(const SampleRun& run, SeriesId series, bool isCounter, const Needs& needs,
              std::int64_t unitsPerSecond);
  void addCell(GroupCell& other, const Needs& needs);
  // Call it before `count` includes the values of these bounds.
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
