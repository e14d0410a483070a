// Parses a line of text into the JSON values of an ingest record, by simdjson. It validates the
// whole line, unknown keys included; record.h interprets the values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/status.h"
#include "ingest/text/dialect.h"
#include "ingest/text/equal_texts.h"
#include "simdjson.h"

namespace seriesdb {

// The maximum JSON nesting of a line; the record itself is level 1.
inline constexpr int kJsonDepthMax = 8;
static_assert(kLinePadding >= simdjson::SIMDJSON_PADDING);

enum class JsonKind : std::uint8_t {
  kAbsent,
  kNull,
  kTrueWord,
  kFalseWord,
  kNumber,
  kString,
  kObject,
  kArray
};

struct JsonValue {
  JsonKind kind = JsonKind::kAbsent;
  std::string_view text;  // A string's content; a number's token, pointing into the line.
};
struct JsonMember {
  std::string_view key;
  JsonValue value;
};

// The known keys of a line. JSON null counts as absent. If a key occurs twice, the last value
// counts.
struct ParsedLine {
  JsonValue metric, series, ts, value, kind, unit, description, labels, tags, fields;
  // Members of the three objects in document order, without duplicates.
  std::vector<JsonMember> labelMembers, tagMembers, fieldMembers;
  // Every number at the top level and inside `fields`, in document order: the slots of the line's
  // frame.
  std::vector<std::string_view> numbers;
  bool hasDuplicateKeys = false;
  // The first unknown member with a name of a time, such as "timestamp"; may be empty.
  std::string_view otherTime;

  std::size_t memoryBytes() const {
    return (labelMembers.capacity() + tagMembers.capacity() + fieldMembers.capacity()) *
               sizeof(JsonMember) +
           numbers.capacity() * sizeof(std::string_view);
  }
};

class LineParser {
 public:
  // REQUIRES: kLinePadding readable bytes after `line`, which is not blank. The result's texts are
  // valid until the next call, and while `line` is valid. Errors carry no line number.
  Status parse(std::string_view line, ParsedLine& out);
  std::size_t memoryBytes() const {
    return parser_.capacity() * kParserBytesPerByte + wrapped_.capacity() + equal_.memoryBytes();
  }

 private:
  // simdjson's memory per byte of a line: an index entry of four bytes, and the texts.
  static constexpr std::size_t kParserBytesPerByte = 6;

  Status parseObject(std::string_view line, ParsedLine& out);
  Status checkOtherJson(std::string_view line);

  simdjson::ondemand::parser parser_;
  std::string wrapped_;
  EqualTexts equal_;
};

}  // namespace seriesdb
