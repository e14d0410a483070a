#include "binding/query_arguments.h"

#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "binding/arguments.h"
#include "binding/discovery_request.h"

namespace seriesdb {
namespace {

constexpr std::array<std::string_view, 3> kAnswers = {"columns", "groups", "rows"};
// In the order of AggregateKind.
constexpr std::array<std::string_view, 17> kAggregates = {
    "count",    "sum",   "avg",      "min",        "max",           "stddev",
    "variance", "first", "last",     "min_time",   "max_time",      "delta",
    "increase", "rate",  "integral", "percentile", "count_distinct"};
// In the order of FilterStep.
constexpr std::array<std::string_view, 9> kSteps = {"=",  "!=",  "<",  "<=", ">",
                                                    ">=", "and", "or", "not"};
// In the order of KeyKind.
constexpr std::array<std::string_view, 4> kKeys = {"bucket", "metric", "series_id", "label"};

// The place of the text in the list, as the enumeration E.
template <typename E, std::size_t size>
Result<E> readName(const Napi::Object& object, const char* key,
                   const std::array<std::string_view, size>& names) {
  const auto text = readText(object, key);
  if (!text.ok()) return text.status();
  for (std::size_t i = 0; i < size; ++i) {
    if (names[i] == text.value()) return static_cast<E>(i);
  }
  return Status::invalid(std::string(key) + " is none of those known");
}

// Calls read(object) for each object of the array at `key`.
template <typename Read>
Status readEach(const Napi::Object& object, const char* key, Read read) {
  const Napi::Value value = object.Get(key);
  if (!value.IsArray()) return Status::invalid(std::string(key) + " must be an array");
  const auto array = value.As<Napi::Array>();
  for (std::uint32_t i = 0; i < array.Length(); ++i) {
    const Napi::Value item = array.Get(i);
    if (!item.IsObject()) return Status::invalid(std::string(key) + " must hold objects");
    const Status status = read(item.As<Napi::Object>());
    if (!status.ok()) return status;
  }
  return Status::okStatus();
}

// A count; Infinity is all.
Status readCount(const Napi::Object& object, const char* key, std::uint64_t& count) {
  const auto number = readNumber(object, key);
  if (!number.ok()) return number.status();
  if (!(number.value() >= 0)) return Status::invalid(std::string(key) + " must not be below 0");
  constexpr double kExact = 9007199254740992.0;
  count = number.value() >= kExact ? UINT64_MAX : static_cast<std::uint64_t>(number.value());
  return Status::okStatus();
}

Status readSeries(const Napi::Object& object, QueryRequest& request) {
  const Napi::Value series = object.Get("series");
  if (series.IsTypedArray()) {
    const auto ids = readSeriesIds(series);
    if (!ids.ok()) return ids.status();
    request.series = std::vector<SeriesId>(ids.value().begin(), ids.value().end());
    return Status::okStatus();
  }
  auto filter = readSeriesFilter(series);
  if (!filter.ok()) return filter.status();
  request.series = std::move(filter).value();
  return Status::okStatus();
}

Status readRanges(const Napi::Object& object, ReadPlan& plan) {
  const Napi::Value value = object.Get("ranges");
  if (!value.IsTypedArray() ||
      value.As<Napi::TypedArray>().TypedArrayType() != napi_bigint64_array) {
    return Status::invalid("ranges must be a BigInt64Array");
  }
  const auto bytes = readBytes(value);
  if (!bytes.ok()) return bytes.status();
  constexpr std::size_t kRangeSize = 2 * sizeof(Timestamp);
  if (bytes.value().size() % kRangeSize != 0) {
    return Status::invalid("ranges must hold pairs of start and end");
  }
  for (std::size_t at = 0; at < bytes.value().size(); at += kRangeSize) {
    const std::uint8_t* from = bytes.value().data() + at;
    plan.ranges.push_back({loadLe<Timestamp>(from), loadLe<Timestamp>(from + sizeof(Timestamp))});
  }
  return Status::okStatus();
}

Status readFilter(const Napi::Object& object, ReadPlan& plan) {
  std::vector<ValueFilter::Step> steps;
  const Status read = readEach(object, "filter", [&steps](const Napi::Object& item) -> Status {
    const auto step = readName<FilterStep>(item, "op", kSteps);
    if (!step.ok()) return step.status();
    const auto constant = readNumber(item, "constant");
    if (!constant.ok()) return constant.status();
    steps.push_back({step.value(), constant.value()});
    return Status::okStatus();
  });
  if (!read.ok()) return read;
  auto filter = ValueFilter::make(std::move(steps));
  if (!filter.ok()) return filter.status();
  plan.filter = std::move(filter).value();
  return read;
}

Status readLimits(const Napi::Object& query, QueryRequest& request) {
  const Napi::Value value = query.Get("limits");
  if (!value.IsObject()) return Status::invalid("limits must be an object");
  const auto object = value.As<Napi::Object>();
  QueryLimits& limits = request.plan.read.limits;
  std::uint64_t timeoutMs = 0;
  Status status = readCount(object, "series", request.seriesMax);
  if (status.ok()) status = readCount(object, "samples", limits.samplesMax);
  if (status.ok()) status = readCount(object, "rows", limits.rowsMax);
  if (status.ok()) status = readCount(object, "timeoutMs", timeoutMs);
  constexpr std::uint64_t kForeverMs = std::uint64_t{1} << 40;
  if (timeoutMs < kForeverMs) limits.deadlineNanos = monotonicNanos() + timeoutMs * 1'000'000;
  return status;
}

Status readGrouping(const Napi::Object& query, AggregatePlan& plan) {
  Status status = readEach(query, "keys", [&plan](const Napi::Object& item) -> Status {
    const auto kind = readName<KeyKind>(item, "kind", kKeys);
    if (!kind.ok()) return kind.status();
    GroupKey key{kind.value(), ""};
    if (key.kind == KeyKind::kLabel) {
      auto label = readText(item, "label");
      if (!label.ok()) return label.status();
      key.label = std::move(label).value();
    }
    plan.keys.push_back(std::move(key));
    return Status::okStatus();
  });
  if (!status.ok()) return status;
  status = readEach(query, "aggregates", [&plan](const Napi::Object& item) -> Status {
    const auto kind = readName<AggregateKind>(item, "name", kAggregates);
    if (!kind.ok()) return kind.status();
    const auto quantile = readNumber(item, "quantile");
    if (!quantile.ok()) return quantile.status();
    plan.aggregates.push_back({kind.value(), quantile.value()});
    return Status::okStatus();
  });
  if (!status.ok()) return status;
  const Napi::Value order = query.Get("order");
  if (!order.IsArray()) return Status::invalid("order must be an array");
  const auto places = order.As<Napi::Array>();
  for (std::uint32_t i = 0; i < places.Length(); ++i) {
    const Napi::Value place = places.Get(i);
    if (!place.IsNumber()) return Status::invalid("order must hold numbers");
    plan.order.push_back(place.As<Napi::Number>().Uint32Value());
  }
  return status;
}

Status readBucket(const Napi::Object& query, AggregatePlan& plan) {
  const Napi::Value value = query.Get("bucket");
  if (value.IsNull()) return Status::okStatus();
  if (!value.IsObject()) return Status::invalid("bucket must be an object or null");
  const auto object = value.As<Napi::Object>();
  const auto width = readInt64(object.Get("width"), "width");
  if (!width.ok()) return width.status();
  const auto origin = readInt64(object.Get("origin"), "origin");
  if (!origin.ok()) return origin.status();
  plan.bucket = BucketSpec{width.value(), origin.value()};
  const auto most = readNumber(object, "most");
  if (!most.ok()) return most.status();
  constexpr double kMost = 1e9;
  if (!(std::fabs(most.value()) <= kMost)) return Status::invalid("most is too large");
  plan.bucketsMax = static_cast<std::int64_t>(most.value());
  return Status::okStatus();
}

Status readOrder(const Napi::Object& query, RowOrder& order) {
  const auto isDescending = readBoolean(query, "isDescending");
  if (!isDescending.ok()) return isDescending.status();
  order.isDescending = isDescending.value();
  const Status status = readCount(query, "offset", order.offset);
  return status.ok() ? readCount(query, "limit", order.limit) : status;
}

}  // namespace

Result<QueryRequest> readQuery(const Napi::Value& value) {
  if (!value.IsObject()) return Status::invalid("expected a query object");
  const auto object = value.As<Napi::Object>();
  QueryRequest request;
  const auto answer = readName<QueryAnswer>(object, "answer", kAnswers);
  if (!answer.ok()) return answer.status();
  request.answer = answer.value();
  Status status = readSeries(object, request);
  if (status.ok()) status = readRanges(object, request.plan.read);
  if (status.ok() && request.answer != QueryAnswer::kColumns) {
    status = readLimits(object, request);
    if (status.ok()) status = readFilter(object, request.plan.read);
  }
  if (status.ok() && request.answer == QueryAnswer::kGroups) {
    status = readGrouping(object, request.plan);
    if (status.ok()) status = readBucket(object, request.plan);
  }
  if (status.ok() && request.answer == QueryAnswer::kRows) {
    status = readOrder(object, request.order);
  }
  if (!status.ok()) return status;
  return request;
}

}  // namespace seriesdb
