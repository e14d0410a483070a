// The messages of OpenTelemetry's metrics as JSON has them: names, numbers and types of the fields
// that are read. All else is passed over.
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
  kSFixed64,  // Signed, as both below.
  kInt64,
  kUInt32,
  kTemporality,
};

struct JsonMessage;

struct JsonField {
  std::string_view name;
  std::uint32_t number;
  JsonType type;
  const JsonMessage* message = nullptr;  // Of kMessage.
  bool isRepeated = false;
  bool isOneOf = false;  // Of all such fields of a message one is there.
};

struct JsonMessage {
  std::string_view name;
  std::span<const JsonField> fields;
};

// ExportMetricsServiceRequest.
const JsonMessage& jsonRequest();

// By its name in JSON or in protobuf, `timeUnixNano` or `time_unix_nano`; nullptr for any other.
const JsonField* findJsonField(const JsonMessage& message, std::string_view name);

}  // namespace seriesdb
