// Converts OpenTelemetry's ExportMetricsServiceRequest from JSON to protobuf as it arrives. So one
// parser interprets both encodings.
//
// The mapping is that of proto3 as OTLP uses it: 64-bit integers are numbers or strings, enums are
// numbers or names, and bytes are base64. Null is absent, and unknown fields are ignored. A field
// that occurs twice is an error.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/plain_array.h"
#include "common/base/status.h"
#include "ingest/otlp/json_fields.h"
#include "ingest/text/json_pieces.h"

namespace seriesdb {

class JsonRequest {
 public:
  // kInvalidJson, kInvalidRecord; no further call is allowed after an error.
  Status write(std::string_view piece);
  // kInvalidJson if the text is incomplete.
  Status finish() const;

  // Complete fields of the request in protobuf, valid until take() or write().
  Bytes ready() const { return {output_.data() + takenSize_, readySize_ - takenSize_}; }
  // Drops `size` bytes from the front of ready().
  void take(std::size_t size);
  // True if memory of taken fields is left, which freePart() frees as PlainArray does.
  bool isSpent() const { return spent_.capacity() > 0; }
  bool freePart() { return spent_.freePart(); }
  std::size_t memoryBytes() const;

 private:
  // An open object or list.
  struct Level {
    // The type of the object, or of the list's elements; nullptr if it is ignored.
    const JsonMessage* message = nullptr;
    const JsonField* field = nullptr;
    bool isList = false;
    bool isMessage = false;  // The message's size stands before `bodyAt`.
    bool hasChoice = false;  // One of the alternatives has a value.
    std::uint32_t seen = 0;  // A bit per field number.
    std::size_t bodyAt = 0;
  };

  Status takeEvent(JsonEvent event);
  Status takeKey();
  Status openObject();
  Status openList();
  void close();
  Status takeScalar(JsonEvent event);
  // The field of the next value; nullptr if it is ignored.
  const JsonField* field() const;
  bool isListExpected(const JsonField& field) const;
  Status choose(const JsonField& field);
  Status fail(const JsonField& field, std::string_view why) const;

  bool writeScalar(const JsonField& field, JsonEvent event);
  bool writeDouble(const JsonField& field, JsonEvent event);
  bool writeInteger(const JsonField& field, JsonEvent event);
  bool writeTemporality(const JsonField& field, JsonEvent event);
  bool writeBase64(const JsonField& field);
  void writeTag(const JsonField& field, std::uint32_t type);
  void writeFixed(const JsonField& field, std::uint64_t value);
  void writeText(const JsonField& field, std::string_view text);
  void writeVarint(std::uint64_t value);
  void openMessage(const JsonField& field, Level& level);

  JsonPieces json_{"the body"};
  std::vector<Level> levels_;
  const JsonField* member_ = nullptr;  // The field of the last key in the innermost object.
  PlainArray<std::uint8_t> output_;
  PlainArray<std::uint8_t> spent_;  // An earlier output.
  std::size_t takenSize_ = 0;
  std::size_t readySize_ = 0;
};

}  // namespace seriesdb
