// Converts an OpenTelemetry request from protobuf to JSON, for tests.
#pragma once

#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include "common/base/bytes.h"
#include "common/protobuf/wire_reader.h"
#include "ingest/otlp/json_fields.h"

namespace seriesdb::test {

inline std::string jsonText(std::string_view text) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<std::uint8_t>(c);
    if (byte < 0x20) {
      out.append("\\u00").append(1, kDigits[byte >> 4]).append(1, kDigits[byte & 15]);
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out += '"';
}

inline std::string jsonDouble(double value) {
  if (std::isnan(value)) return "\"NaN\"";
  if (std::isinf(value)) return value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
}

std::string otlpJsonOf(const JsonMessage& message, Bytes bytes);

inline std::string jsonValueOf(const JsonField& field, const WireField& sent) {
  switch (field.type) {
    case JsonType::kMessage:
      return otlpJsonOf(*field.message, sent.bytes);
    case JsonType::kText:
      return jsonText(asText(sent.bytes));
    case JsonType::kBytes:
      return "\"\"";
    case JsonType::kBoolean:
      return sent.value != 0 ? "true" : "false";
    case JsonType::kDouble:
      return jsonDouble(sent.asDouble());
    case JsonType::kFixed64:
      return '"' + std::to_string(sent.value) + '"';
    case JsonType::kSFixed64:
    case JsonType::kInt64:
      return '"' + std::to_string(sent.asSigned()) + '"';
    default:
      return std::to_string(sent.value);
  }
}

// The JSON of each value sent; packed values are listed one by one.
inline std::vector<std::string> jsonValuesOf(const JsonField& field, Bytes bytes) {
  std::vector<std::string> values;
  readFields(bytes, [&](WireField sent) {
    if (sent.number != field.number) return true;
    if (!field.isRepeated || field.type == JsonType::kMessage || sent.type != WireType::kBytes) {
      values.push_back(jsonValueOf(field, sent));
      return true;
    }
    for (std::size_t at = 0; at + 8 <= sent.bytes.size(); at += 8) {
      WireField number = sent;
      number.value = loadLe<std::uint64_t>(sent.bytes.data() + at);
      values.push_back(jsonValueOf(field, number));
    }
    return true;
  });
  return values;
}

inline std::string otlpJsonOf(const JsonMessage& message, Bytes bytes) {
  std::string out = "{";
  for (const JsonField& field : message.fields) {
    const std::vector<std::string> values = jsonValuesOf(field, bytes);
    if (values.empty()) continue;
    if (out.size() > 1) out += ',';
    out += '"' + std::string(field.name) + "\":";
    if (!field.isRepeated) {
      out += values.back();
      continue;
    }
    for (std::size_t i = 0; i < values.size(); ++i) out += (i == 0 ? "[" : ",") + values[i];
    out += ']';
  }
  return out += '}';
}

inline std::string otlpJsonOf(std::string_view body) {
  return otlpJsonOf(jsonRequest(), asBytes(body));
}

}  // namespace seriesdb::test
