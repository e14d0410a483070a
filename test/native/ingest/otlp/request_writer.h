// Writes requests of OpenTelemetry metrics, for tests and benchmarks.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "common/protobuf/message_writer.h"

namespace seriesdb::test {

using Attributes = std::vector<std::pair<std::string, std::string>>;

inline MessageWriter textValue(const std::string& text) {
  MessageWriter value;
  value.addText(1, text);
  return value;
}

inline MessageWriter attributeMessage(const std::string& key, const MessageWriter& value) {
  MessageWriter attribute;
  attribute.addText(1, key);
  attribute.addMessage(2, value);
  return attribute;
}

inline void addAttributes(MessageWriter& to, std::uint32_t field, const Attributes& attributes) {
  for (const auto& [key, value] : attributes) {
    to.addMessage(field, attributeMessage(key, textValue(value)));
  }
}

// If this is inlined, GCC 12 reports the first bytes of a message as an overflow.
[[gnu::noinline]] inline void addFixed64(MessageWriter& to, std::uint32_t field,
                                         std::uint64_t value) {
  to.addDouble(field, std::bit_cast<double>(value));
}

struct NumberPoint {
  Attributes attributes;
  std::uint64_t time;
  std::variant<double, std::int64_t> value;
};

inline MessageWriter numberMessage(const NumberPoint& point) {
  MessageWriter message;
  addFixed64(message, 3, point.time);
  if (const auto* const value = std::get_if<double>(&point.value); value != nullptr) {
    message.addDouble(4, *value);
  } else {
    addFixed64(message, 6, static_cast<std::uint64_t>(std::get<std::int64_t>(point.value)));
  }
  addAttributes(message, 7, point.attributes);
  return message;
}

struct HistogramPoint {
  Attributes attributes;
  std::uint64_t time;
  std::vector<double> bounds;
  std::vector<std::uint64_t> counts;
  std::optional<double> sum;
};

inline MessageWriter histogramMessage(const HistogramPoint& point) {
  MessageWriter message;
  std::uint64_t count = 0;
  ByteBuffer counts;
  ByteBuffer bounds;
  for (const std::uint64_t one : point.counts) {
    appendLe(counts, one);
    count += one;
  }
  for (const double bound : point.bounds) appendLe(bounds, bound);
  addFixed64(message, 3, point.time);
  addFixed64(message, 4, count);
  if (point.sum) message.addDouble(5, *point.sum);
  message.addText(6, asText(counts));
  message.addText(7, asText(bounds));
  addAttributes(message, 9, point.attributes);
  return message;
}

// A metric. Its kind is the number of the field: 5 gauge, 7 sum, 9 histogram, 10 exponential
// histogram, 11 summary.
struct MetricText {
  std::string name;
  std::uint32_t kind = 5;
  std::vector<MessageWriter> points;
  std::uint64_t temporality = 2;
  bool isMonotonic = false;
  std::string unit{};
};

inline MessageWriter metricMessage(const MetricText& metric) {
  MessageWriter data;
  for (const auto& point : metric.points) data.addMessage(1, point);
  if (metric.kind != 5 && metric.kind != 11) data.addVarint(2, metric.temporality);
  if (metric.isMonotonic) data.addVarint(3, 1);
  MessageWriter message;
  message.addText(1, metric.name);
  if (!metric.unit.empty()) message.addText(3, metric.unit);
  message.addMessage(metric.kind, data);
  return message;
}

struct ResourceText {
  Attributes attributes;
  std::vector<MetricText> metrics;
};

inline void addResource(MessageWriter& request, const ResourceText& text) {
  MessageWriter resource;
  addAttributes(resource, 1, text.attributes);
  MessageWriter scope;
  for (const auto& metric : text.metrics) scope.addMessage(2, metricMessage(metric));
  MessageWriter message;
  message.addMessage(1, resource);
  message.addMessage(2, scope);
  request.addMessage(1, message);
}

inline std::string otlpRequest(const std::vector<ResourceText>& resources) {
  MessageWriter request;
  for (const auto& resource : resources) addResource(request, resource);
  return std::string(asText(request.bytes()));
}

}  // namespace seriesdb::test
