#include "ingest/otlp/json_fields.h"

#include <algorithm>
#include <string>

namespace seriesdb {

// A separate namespace, because these names are common words.
namespace json_fields {
namespace {

using enum JsonType;

constexpr bool kMany = true;

constexpr JsonField one(std::string_view name, std::uint32_t number, JsonType type) {
  return {name, number, type};
}
constexpr JsonField choice(std::string_view name, std::uint32_t number, JsonType type) {
  return {name, number, type, nullptr, false, true};
}
constexpr JsonField numbers(std::string_view name, std::uint32_t number, JsonType type) {
  return {name, number, type, nullptr, kMany};
}
constexpr JsonField part(std::string_view name, std::uint32_t number, const JsonMessage& message) {
  return {name, number, kMessage, &message};
}
constexpr JsonField parts(std::string_view name, std::uint32_t number,
                          const JsonMessage& message) {
  return {name, number, kMessage, &message, kMany};
}
constexpr JsonField choice(std::string_view name, std::uint32_t number,
                           const JsonMessage& message) {
  return {name, number, kMessage, &message, false, true};
}

// A value may contain lists and maps of values.
extern const JsonMessage kAnyValue;

const JsonField kKeyValueFields[] = {one("key", 1, kText), part("value", 2, kAnyValue)};
const JsonMessage kKeyValue{"KeyValue", kKeyValueFields};
const JsonField kArrayValueFields[] = {parts("values", 1, kAnyValue)};
const JsonMessage kArrayValue{"ArrayValue", kArrayValueFields};
const JsonField kKeyValueListFields[] = {parts("values", 1, kKeyValue)};
const JsonMessage kKeyValueList{"KeyValueList", kKeyValueListFields};
const JsonField kAnyValueFields[] = {
    choice("stringValue", 1, kText),
    choice("boolValue", 2, kBoolean),
    choice("intValue", 3, kInt64),
    choice("doubleValue", 4, kDouble),
    choice("arrayValue", 5, kArrayValue),
    choice("kvlistValue", 6, kKeyValueList),
    choice("bytesValue", 7, kBytes),
};
const JsonMessage kAnyValue{"AnyValue", kAnyValueFields};

const JsonField kResourceFields[] = {parts("attributes", 1, kKeyValue)};
const JsonMessage kResource{"Resource", kResourceFields};
const JsonField kScopeFields[] = {
    one("name", 1, kText),
    one("version", 2, kText),
    parts("attributes", 3, kKeyValue),
};
const JsonMessage kScope{"InstrumentationScope", kScopeFields};

// Exemplars are only counted.
const JsonMessage kExemplar{"Exemplar", {}};

const JsonField kNumberPointFields[] = {
    one("timeUnixNano", 3, kFixed64),
    choice("asDouble", 4, kDouble),
    choice("asInt", 6, kSFixed64),
    parts("exemplars", 5, kExemplar),
    parts("attributes", 7, kKeyValue),
    one("flags", 8, kUInt32),
};
const JsonMessage kNumberPoint{"NumberDataPoint", kNumberPointFields};
const JsonField kHistogramPointFields[] = {
    one("timeUnixNano", 3, kFixed64),
    one("count", 4, kFixed64),
    one("sum", 5, kDouble),
    numbers("bucketCounts", 6, kFixed64),
    numbers("explicitBounds", 7, kDouble),
    parts("exemplars", 8, kExemplar),
    parts("attributes", 9, kKeyValue),
    one("flags", 10, kUInt32),
};
const JsonMessage kHistogramPoint{"HistogramDataPoint", kHistogramPointFields};
const JsonField kExponentialPointFields[] = {
    parts("attributes", 1, kKeyValue),
    one("timeUnixNano", 3, kFixed64),
    one("count", 4, kFixed64),
    one("sum", 5, kDouble),
    one("flags", 10, kUInt32),
    parts("exemplars", 11, kExemplar),
};
const JsonMessage kExponentialPoint{"ExponentialHistogramDataPoint", kExponentialPointFields};
const JsonField kQuantileFields[] = {one("quantile", 1, kDouble), one("value", 2, kDouble)};
const JsonMessage kQuantile{"ValueAtQuantile", kQuantileFields};
const JsonField kSummaryPointFields[] = {
    one("timeUnixNano", 3, kFixed64),
    one("count", 4, kFixed64),
    one("sum", 5, kDouble),
    parts("quantileValues", 6, kQuantile),
    parts("attributes", 7, kKeyValue),
    one("flags", 8, kUInt32),
};
const JsonMessage kSummaryPoint{"SummaryDataPoint", kSummaryPointFields};

const JsonField kGaugeFields[] = {parts("dataPoints", 1, kNumberPoint)};
const JsonMessage kGauge{"Gauge", kGaugeFields};
const JsonField kSumFields[] = {
    parts("dataPoints", 1, kNumberPoint),
    one("aggregationTemporality", 2, kTemporality),
    one("isMonotonic", 3, kBoolean),
};
const JsonMessage kSum{"Sum", kSumFields};
const JsonField kHistogramFields[] = {
    parts("dataPoints", 1, kHistogramPoint),
    one("aggregationTemporality", 2, kTemporality),
};
const JsonMessage kHistogram{"Histogram", kHistogramFields};
const JsonField kExponentialFields[] = {
    parts("dataPoints", 1, kExponentialPoint),
    one("aggregationTemporality", 2, kTemporality),
};
const JsonMessage kExponential{"ExponentialHistogram", kExponentialFields};
const JsonField kSummaryFields[] = {parts("dataPoints", 1, kSummaryPoint)};
const JsonMessage kSummary{"Summary", kSummaryFields};

const JsonField kMetricFields[] = {
    one("name", 1, kText),
    one("description", 2, kText),
    one("unit", 3, kText),
    choice("gauge", 5, kGauge),
    choice("sum", 7, kSum),
    choice("histogram", 9, kHistogram),
    choice("summary", 11, kSummary),
    choice("exponentialHistogram", 10, kExponential),
};
const JsonMessage kMetric{"Metric", kMetricFields};
const JsonField kScopeMetricsFields[] = {part("scope", 1, kScope), parts("metrics", 2, kMetric)};
const JsonMessage kScopeMetrics{"ScopeMetrics", kScopeMetricsFields};
const JsonField kResourceMetricsFields[] = {
    part("resource", 1, kResource),
    parts("scopeMetrics", 2, kScopeMetrics),
};
const JsonMessage kResourceMetrics{"ResourceMetrics", kResourceMetricsFields};
const JsonField kRequestFields[] = {parts("resourceMetrics", 1, kResourceMetrics)};
const JsonMessage kRequest{"ExportMetricsServiceRequest", kRequestFields};

}  // namespace
}  // namespace json_fields

namespace {

// `time_unix_nano` -> `timeUnixNano`.
std::string camelCase(std::string_view name) {
  std::string out;
  bool isBegin = false;
  for (const char c : name) {
    if (c == '_') {
      isBegin = true;
      continue;
    }
    out += isBegin && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    isBegin = false;
  }
  return out;
}

const JsonField* fieldNamed(const JsonMessage& message, std::string_view name) {
  const auto at = std::ranges::find(message.fields, name, &JsonField::name);
  return at == message.fields.end() ? nullptr : &*at;
}

}  // namespace

const JsonMessage& jsonRequest() { return json_fields::kRequest; }

const JsonField* findJsonField(const JsonMessage& message, std::string_view name) {
  constexpr std::size_t kLongest = 64;
  if (name.size() > kLongest) return nullptr;
  if (name.find('_') == std::string_view::npos) return fieldNamed(message, name);
  return fieldNamed(message, camelCase(name));
}

}  // namespace seriesdb
