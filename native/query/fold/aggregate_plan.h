// What a grouped query asks for, after names were resolved: plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/types/sample.h"
#include "query/expression/bucket.h"
#include "query/expression/expression.h"
#include "query/samples/read_plan.h"

namespace seriesdb {

enum class AggregateKind : std::uint8_t {
  kRows,  // Of which values may be null. All others leave nulls out.
  kCount,
  kSum,
  kAvg,
  kMin,
  kMax,
  kStddev,
  kVariance,
  kFirst,
  kLast,
  kMinTime,
  kMaxTime,
  kDelta,     // Of a gauge last - first, of a counter its increase.
  kIncrease,  // The same.
  kRate,
  kIntegral,
  kPercentile,
  kCountDistinct,
};

struct AggregateColumn {
  // As `argument`: the value of the sample.
  static constexpr std::uint32_t kValue = UINT32_MAX;

  AggregateKind kind;
  double quantile = 0;  // Of kPercentile, 0…1.
  // An output of the plan's arguments, a number; nulls are left out. Of an integer only counts,
  // sum, extremes with their times, first and last.
  std::uint32_t argument = kValue;
};

enum class KeyKind : std::uint8_t { kBucket, kMetric, kSeriesId, kLabel, kExpression, kColumn };

struct GroupKey {
  KeyKind kind;
  std::string label;        // Of kLabel.
  std::uint32_t place = 0;  // Of kExpression and kColumn: which of the key values or columns.
  // Of kExpression: where there are any the value is an integer and chooses one of them, which
  // ascend by bytes.
  std::vector<std::string> texts = {};
};

// A key that each series has by itself.
struct KeyValues {
  SeriesColumn values;
  bool isText = false;
  // Of texts: ascending by bytes; the values are integers and choose among them.
  std::vector<std::string> texts;
};

struct AggregatePlan {
  ReadPlan read;
  // For each of the series; empty: all are gauges.
  std::vector<bool> isCounter;
  std::int64_t unitsPerSecond = 1000;
  std::optional<BucketSpec> bucket;  // Needed by a key of kBucket, of which there is one at most.
  std::vector<GroupKey> keys;
  // What keys of kExpression are of each sample; then buckets are among them, and none is of
  // kBucket.
  Expression keyValues;
  // What keys of kColumn are, by the places of the series.
  std::vector<KeyValues> keyColumns;
  std::vector<AggregateColumn> aggregates;
  Expression arguments;
  // Rows ascend by these keys, given by place, nulls last; then by the other keys.
  std::vector<std::uint32_t> order;
  // Only this many of the latest (or, below 0, the earliest) buckets; 0 = all. REQUIRES for
  // others: the bucket is the only key. All come where one of them has no start.
  std::int64_t bucketsMax = 0;

  // kInvalidArgument. Of the series only their number counts, with that of their kinds.
  Status check() const;
};

}  // namespace seriesdb
