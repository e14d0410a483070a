// The input of a grouped query, after names are resolved: plain data.
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
  kRows,  // Counts rows, null values included. All other aggregates ignore nulls.
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
  kDelta,     // For a gauge last - first, for a counter its increase.
  kIncrease,  // The same as kDelta.
  kRate,
  kIntegral,
  kPercentile,
  kCountDistinct,
};

struct AggregateColumn {
  // As `argument`: the sample's value.
  static constexpr std::uint32_t kValue = UINT32_MAX;

  AggregateKind kind;
  double quantile = 0;  // For kPercentile, 0…1.
  // A numeric output of the plan's arguments; nulls are ignored. An integer argument allows only
  // counts, sum, extremes with their times, first and last.
  std::uint32_t argument = kValue;
};

enum class KeyKind : std::uint8_t { kBucket, kMetric, kSeriesId, kLabel, kExpression, kColumn };

struct GroupKey {
  KeyKind kind;
  std::string label;        // For kLabel.
  std::uint32_t place = 0;  // For kExpression and kColumn: the place in the key values or columns.
  // For kExpression, ascending by bytes. If there are texts, the value is an integer that chooses
  // one.
  std::vector<std::string> texts = {};
};

// A key that is constant within a series.
struct KeyValues {
  SeriesColumn values;
  bool isText = false;
  // If isText: ascending by bytes. The values are integers that choose among them.
  std::vector<std::string> texts;
};

struct AggregatePlan {
  ReadPlan read;
  // One for each series; empty if all are gauges.
  std::vector<bool> isCounter;
  std::int64_t unitsPerSecond = 1000;
  std::optional<BucketSpec> bucket;  // Required by a key of kBucket; at most one key is.
  std::vector<GroupKey> keys;
  // The values of kExpression keys for each sample. If they exist, they include the bucket and no
  // key is of kBucket.
  Expression keyValues;
  // The values of kColumn keys, by the series' places.
  std::vector<KeyValues> keyColumns;
  std::vector<AggregateColumn> aggregates;
  Expression arguments;
  // Rows ascend by these keys, given by place, nulls last; then by the other keys.
  std::vector<std::uint32_t> order;
  // Keep only this many of the latest (or, below 0, the earliest) buckets; 0 keeps all. REQUIRES if
  // not 0: the bucket is the only key. If a bucket has no start, all are returned.
  std::int64_t bucketsMax = 0;

  // kInvalidArgument. Ignores the series, except that their count must match their kinds.
  Status check() const;
};

}  // namespace seriesdb
