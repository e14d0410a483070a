#include "query/fold/aggregate_plan.h"

#include <algorithm>

#include "query/fold/argument_streams.h"

namespace seriesdb {
namespace {

// Samples are split by all key values, so every key value must belong to a key.
Status checkKeyValues(const AggregatePlan& plan) {
  std::vector<bool> isNamed(plan.keyValues.outputCount());
  for (const GroupKey& key : plan.keys) {
    if (key.kind == KeyKind::kColumn && key.place >= plan.keyColumns.size()) {
      return Status::invalid("a key names an unknown column");
    }
    if (key.kind != KeyKind::kExpression) continue;
    if (key.place >= isNamed.size()) {
      return Status::invalid("a key names an unknown expression");
    }
    isNamed[key.place] = true;
    const bool isInteger = plan.keyValues.outputType(key.place) == RegisterType::kInteger;
    if (!key.texts.empty() && !isInteger) {
      return Status::invalid("only an integer indexes the texts of a key");
    }
  }
  if (std::find(isNamed.begin(), isNamed.end(), false) != isNamed.end()) {
    return Status::invalid("an expression is used by no key");
  }
  if (plan.bucket && !plan.keyValues.isEmpty()) {
    return Status::invalid("with expression keys the bucket must be an expression, too");
  }
  return Status::okStatus();
}

}  // namespace

Status AggregatePlan::check() const {
  const auto isBucket = [](const GroupKey& key) { return key.kind == KeyKind::kBucket; };
  const auto bucketKeys = std::count_if(keys.begin(), keys.end(), isBucket);
  if (bucket) {
    BucketSpec spec = *bucket;
    spec.unitsPerSecond = unitsPerSecond;
    if (!spec.isValid()) {
      return Status::invalid(
          "the width of a bucket must be above 0, and its months below the limit");
    }
  }
  if ((bucketKeys > 0) != bucket.has_value()) {
    return Status::invalid("a bucket needs a bucket key, and a bucket key a bucket");
  }
  if (!isCounter.empty() && isCounter.size() != read.refs.size()) {
    return Status::invalid("the counts of kinds and series differ");
  }
  if (bucketsMax != 0 && (keys.size() != 1 || bucketKeys != 1)) {
    return Status::invalid("only a lone bucket key can be limited");
  }
  if (!keyColumns.empty() && read.places.size() != read.refs.size()) {
    return Status::invalid("columns of keys need the places of the series");
  }
  const Status keyed = checkKeyValues(*this);
  if (!keyed.ok()) return keyed;
  for (const std::uint32_t key : order) {
    if (key >= keys.size()) return Status::invalid("the order names an unknown key");
  }
  for (const AggregateColumn& column : aggregates) {
    if (!(column.quantile >= 0 && column.quantile <= 1)) {
      return Status::invalid("a quantile must lie in 0 to 1");
    }
  }
  const auto& ranges = read.ranges;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (ranges[i].start > ranges[i].end || (i > 0 && ranges[i - 1].end >= ranges[i].start)) {
      return Status::invalid("the ranges of time must ascend");
    }
  }
  return ArgumentStreams::check(*this);
}

}  // namespace seriesdb
