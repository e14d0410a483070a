// OpenTelemetry's ExportMetricsServiceRequest in JSON -> the same in protobuf, as it comes in: what
// it means is said in one place, whatever it is written in.
//
// The mapping is that of proto3, as OTLP has it: integers of 64 bits are numbers or texts, enums
// numbers or names, bytes base64; null is absent, and what is not known is passed over. A field
// that stands twice is refused.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/plain_array.h"
#include "common/base/status.h"
#include "ingest/otlp/json_fields.h"
#include "ingest/otlp/json_pieces.h"

namespace seriesdb {

class JsonRequest {
 public:
  // kInvalidJson, kInvalidRecord; nothing more may come then.
  Status write(std::string_view piece);
  // kInvalidJson when something is missing.
  Status finish() const;

  // Whole fields of the request, in protobuf, until take() or write().
  Bytes ready() const { return {output_.data() + takenSize_, readySize_ - takenSize_}; }
  // Drops so many bytes off their front.
  void take(std::size_t size);
  std::size_t memoryBytes() const;

 private:
  // An object or a list that is open.
  struct Level {
    // Of an object what it is, of a list what it is of; nullptr: it is passed over.
    const JsonMessage* message = nullptr;
    const JsonField* field = nullptr;
    bool isList = false;
    bool isMessage = false;   // Its size stands before `bodyAt`.
    bool hasChoice = false;   // A field that is one of several.
    std::uint32_t seen = 0;   // By numbers of fields.
    std::size_t bodyAt = 0;
  };

  Status takeEvent(JsonEvent event);
  Status takeKey();
  Status openObject();
  Status openList();
  void close();
  Status takeScalar(JsonEvent event);
  // Of the value that comes; nullptr where it is passed over.
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

  JsonPieces json_;
  std::vector<Level> levels_;
  const JsonField* member_ = nullptr;  // Of the innermost object: the one of the last key.
  PlainArray<std::uint8_t> output_;
  std::size_t takenSize_ = 0;
  std::size_t readySize_ = 0;
};

}  // namespace seriesdb
