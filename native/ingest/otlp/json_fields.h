// The messages of OpenTelemetry's metrics in JSON: names, numbers and types of the fields that are
// read. Other fields are ignored.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace seriesdb {

enum class JsonType : std::uint8_t {
  kMessage,
  kText,
  kBytes,
  kBoolean,
  kDouble,
  kFixed64,   // Unsigned.
  kSFixed64,  // Signed, as kInt64 is.
  kInt64,
  kUInt32,
  kTemporality,
};

struct JsonMessage;

struct JsonField {
  std::string_view name;
  std::uint32_t number;
  JsonType type;
  const JsonMessage* message = nullptr;  // Set for kMessage only.
  bool isRepeated = false;
  bool isOneOf = false;  // The message has at most one of its fields with this flag.
};

struct JsonMessage {
  std::string_view name;
  std::span<const JsonField> fields;
};

// ExportMetricsServiceRequest.
const JsonMessage& jsonRequest();

// Finds a field by its name in JSON or protobuf, `timeUnixNano` or `time_unix_nano`; nullptr if
// unknown.
const JsonField* findJsonField(const JsonMessage& message, std::string_view name);

}  // namespace seriesdb
