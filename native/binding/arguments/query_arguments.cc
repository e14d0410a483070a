#include "binding/arguments/query_arguments.h"

#include <cmath>
#include <utility>

#include "binding/arguments/arguments.h"
#include "binding/arguments/discovery_request.h"
#include "binding/arguments/expression_arguments.h"
#include "binding/names.h"
#include "common/base/clock.h"
#include "query/expression/calendar.h"

namespace seriesdb {
namespace {

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

Status readFilter(const Napi::Object& object, ReadPlan& plan) {
  std::vector<ValueFilter::Step> steps;
  const Status read = readEach(object, "filter", [&steps](const Napi::Object& item) -> Status {
    const auto step = readName<FilterStep>(item, "op");
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

std::size_t seriesCount(const QueryRequest& request) {
  const auto* ids = std::get_if<std::vector<SeriesId>>(&request.series);
  return ids == nullptr ? 0 : ids->size();
}

Status readCondition(const Napi::Object& object, QueryRequest& request) {
  auto condition = readExpression(object.Get("condition"), seriesCount(request));
  if (!condition.ok()) return condition.status();
  request.plan.read.condition = std::move(condition).value();
  return Status::okStatus();
}

Status readExpressions(const Napi::Object& object, QueryRequest& request) {
  auto expressions = readExpression(object.Get("expressions"), seriesCount(request));
  if (!expressions.ok()) return expressions.status();
  const bool isOfGroups = request.answer == QueryAnswer::kGroups;
  (isOfGroups ? request.plan.arguments : request.order.expressions) =
      std::move(expressions).value();
  return Status::okStatus();
}

Status readKeyValues(const Napi::Object& object, QueryRequest& request) {
  auto values = readExpression(object.Get("keyValues"), seriesCount(request));
  if (!values.ok()) return values.status();
  request.plan.keyValues = std::move(values).value();
  return readEach(object, "keyColumns", [&request](const Napi::Object& item) -> Status {
    auto column = readKeyColumn(item, seriesCount(request));
    if (!column.ok()) return column.status();
    request.plan.keyColumns.push_back(std::move(column).value());
    return Status::okStatus();
  });
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
  if (status.ok()) limits.setTimeout(timeoutMs);
  return status;
}

Status readPlace(const Napi::Object& object, std::uint32_t& place) {
  const auto number = readNumber(object, "place");
  if (!number.ok()) return number.status();
  if (!(number.value() >= 0 && number.value() < UINT32_MAX)) {
    return Status::invalid("place must be a column index");
  }
  place = static_cast<std::uint32_t>(number.value());
  return Status::okStatus();
}

Status readGrouping(const Napi::Object& query, AggregatePlan& plan) {
  Status status = readEach(query, "keys", [&plan](const Napi::Object& item) -> Status {
    const auto kind = readName<KeyKind>(item, "kind");
    if (!kind.ok()) return kind.status();
    GroupKey key{kind.value(), ""};
    if (key.kind == KeyKind::kLabel) {
      auto label = readText(item, "label");
      if (!label.ok()) return label.status();
      key.label = std::move(label).value();
    }
    const bool isExpression = key.kind == KeyKind::kExpression;
    Status read;
    if (isExpression || key.kind == KeyKind::kColumn) read = readPlace(item, key.place);
    bool isText = false;
    if (read.ok() && isExpression) read = readKeyTexts(item.Get("texts"), key.texts, isText);
    plan.keys.push_back(std::move(key));
    return read;
  });
  if (!status.ok()) return status;
  status = readEach(query, "aggregates", [&plan](const Napi::Object& item) -> Status {
    const auto kind = readName<AggregateKind>(item, "name");
    if (!kind.ok()) return kind.status();
    const auto quantile = readNumber(item, "quantile");
    if (!quantile.ok()) return quantile.status();
    const auto argument = readNumber(item, "argument");
    if (!argument.ok()) return argument.status();
    const bool isPlace = argument.value() >= 0 && argument.value() < AggregateColumn::kValue;
    if (!isPlace && argument.value() != -1) return Status::invalid("argument is out of range");
    plan.aggregates.push_back(
        {kind.value(), quantile.value(),
         isPlace ? static_cast<std::uint32_t>(argument.value()) : AggregateColumn::kValue});
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

Result<std::int64_t> readMonths(const Napi::Object& bucket) {
  const auto months = readNumber(bucket, "months");
  if (!months.ok()) return months.status();
  constexpr auto kMonthsMax = static_cast<double>(Months::kCountMax);
  if (!(months.value() >= 0 && months.value() <= kMonthsMax) ||
      std::trunc(months.value()) != months.value()) {
    return Status::invalid("months must be a whole number of 0 to a million");
  }
  return static_cast<std::int64_t>(months.value());
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
  const auto months = readMonths(object);
  if (!months.ok()) return months.status();
  plan.bucket = BucketSpec{width.value(), origin.value(), months.value()};
  const auto most = readNumber(object, "most");
  if (!most.ok()) return most.status();
  constexpr double kMost = 1e9;
  if (!(std::fabs(most.value()) <= kMost)) return Status::invalid("most is too large");
  plan.bucketsMax = static_cast<std::int64_t>(most.value());
  return Status::okStatus();
}

Status readOrderKeys(const Napi::Object& query, RowOrder& order) {
  return readEach(query, "order", [&order](const Napi::Object& item) -> Status {
    OrderKey key{};
    const Status read = readPlace(item, key.place);
    if (!read.ok()) return read;
    const auto isDescending = readBoolean(item, "isDescending");
    if (!isDescending.ok()) return isDescending.status();
    key.isDescending = isDescending.value();
    order.keys.push_back(key);
    return read;
  });
}

Status readRowQuery(const Napi::Object& query, QueryRequest& request) {
  RowOrder& order = request.order;
  Status status = readFlag(query, "isOfOneSeries", request.isOfOneSeries);
  if (status.ok()) status = readFlag(query, "isDescending", order.isDescending);
  if (status.ok()) status = readOrderKeys(query, order);
  if (status.ok()) status = readCount(query, "offset", order.offset);
  return status.ok() ? readCount(query, "limit", order.limit) : status;
}

Status readTextColumn(const Napi::Object& item, TextPlan& plan) {
  const auto kind = readName<TextColumn::Kind>(item, "kind");
  if (!kind.ok()) return kind.status();
  auto label = readText(item, "label");
  if (!label.ok()) return label.status();
  auto before = readText(item, "before");
  if (!before.ok()) return before.status();
  TextColumn& column = plan.columns.emplace_back();
  column.kind = kind.value();
  column.label = std::move(label).value();
  column.before = std::move(before).value();
  return readPlace(item, column.place);
}

Status readWords(const Napi::Object& object, TextPlan& plan) {
  auto rowEnd = readText(object, "rowEnd");
  if (!rowEnd.ok()) return rowEnd.status();
  auto between = readText(object, "between");
  if (!between.ok()) return between.status();
  const auto isCsv = readBoolean(object, "isCsv");
  if (!isCsv.ok()) return isCsv.status();
  plan.rowEnd = std::move(rowEnd).value();
  plan.between = std::move(between).value();
  plan.isCsv = isCsv.value();
  return Status::okStatus();
}

Status readTextPlan(const Napi::Object& object, TextPlan& plan) {
  Status status = readWords(object, plan);
  if (status.ok()) {
    status = readEach(object, "columns",
                      [&plan](const Napi::Object& item) { return readTextColumn(item, plan); });
  }
  if (status.ok()) {
    status = readEach(object, "order", [&plan](const Napi::Object& item) -> Status {
      const auto isDescending = readBoolean(item, "isDescending");
      if (!isDescending.ok()) return isDescending.status();
      plan.order.push_back({0, isDescending.value()});
      return readPlace(item, plan.order.back().place);
    });
  }
  if (status.ok()) status = readCount(object, "offset", plan.offset);
  if (status.ok()) status = readCount(object, "limit", plan.limit);
  return status;
}

Status readList(const Napi::Object& object, ListPlan& plan) {
  const auto of = readName<ListPlan::Of>(object, "list");
  if (!of.ok()) return of.status();
  plan.of = of.value();
  auto key = readText(object, "labelKey");
  if (!key.ok()) return key.status();
  plan.labelKey = std::move(key).value();
  return Status::okStatus();
}

Result<QueryRequest> readPlainQuery(const Napi::Object& object) {
  QueryRequest request;
  const auto answer = readName<QueryAnswer>(object, "answer");
  if (!answer.ok()) return answer.status();
  request.answer = answer.value();
  Status status = readSeries(object, request);
  if (status.ok() && request.answer == QueryAnswer::kList) status = readList(object, request.list);
  if (!status.ok()) return status;
  if (request.answer == QueryAnswer::kList) return request;
  status = readRanges(object, request.plan.read.ranges);
  if (status.ok() && request.answer != QueryAnswer::kColumns) {
    status = readLimits(object, request);
    if (status.ok()) status = readFilter(object, request.plan.read);
    if (status.ok()) status = readCondition(object, request);
    if (status.ok()) status = readExpressions(object, request);
  }
  if (status.ok() && request.answer == QueryAnswer::kGroups) {
    status = readKeyValues(object, request);
    if (status.ok()) status = readGrouping(object, request.plan);
    if (status.ok()) status = readBucket(object, request.plan);
  }
  if (status.ok() && request.answer == QueryAnswer::kRows) {
    status = readRowQuery(object, request);
  }
  if (!status.ok()) return status;
  return request;
}

}  // namespace

Status readWhatIsRead(const Napi::Value& value, QueryRequest& request) {
  if (!value.IsObject()) return Status::invalid("expected an object of read options");
  const auto object = value.As<Napi::Object>();
  request.plan.read.ranges.clear();
  Status status = readSeries(object, request);
  if (status.ok()) status = readRanges(object, request.plan.read.ranges);
  return status.ok() ? readLimits(object, request) : status;
}

Result<QueryRequest> readQuery(const Napi::Value& value) {
  if (!value.IsObject()) return Status::invalid("expected a query object");
  const auto object = value.As<Napi::Object>();
  const Napi::Value of = object.Get("of");
  if (of.IsUndefined()) {
    auto plain = readPlainQuery(object);
    if (plain.ok() && plain.value().answer == QueryAnswer::kList) {
      return Status::invalid("a list is answered as text only");
    }
    return plain;
  }
  if (!of.IsObject()) return Status::invalid("of must be an object");
  auto request = readPlainQuery(of.As<Napi::Object>());
  if (!request.ok()) return request;
  const Status status = readTextPlan(object, request.value().text.emplace());
  if (!status.ok()) return status;
  return request;
}

}  // namespace seriesdb
