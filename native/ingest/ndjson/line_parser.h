// One line of text -> the JSON values an ingest record can use, by simdjson.
// The whole line is validated, unknown keys included; what the values mean is record.h's matter.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/status.h"
#include "ingest/text/dialect.h"
#include "ingest/text/equal_texts.h"
#include "simdjson.h"

namespace seriesdb {

// JSON nesting that a line may have; the record itself is level 1.
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

// The known keys of a line. JSON null counts as absent. Of equal keys the last one is held.
struct ParsedLine {
  JsonValue metric, series, ts, value, kind, unit, description, labels, tags, fields;
  // Members of the three objects in document order, duplicates already dropped.
  std::vector<JsonMember> labelMembers, tagMembers, fieldMembers;
  // Every number at the top level and inside `fields`, in document order: the slots of the line's
  // frame.
  std::vector<std::string_view> numbers;
  bool hasDuplicateKeys = false;
  // The first member that is not read but has the name of a time, as "timestamp"; may be empty.
  std::string_view otherTime;

  std::size_t memoryBytes() const {
    return (labelMembers.capacity() + tagMembers.capacity() + fieldMembers.capacity()) *
               sizeof(JsonMember) +
           numbers.capacity() * sizeof(std::string_view);
  }
};

class LineParser {
 public:
  // REQUIRES: kLinePadding readable bytes after `line`, which is not blank.
  // The result's texts live until the next call and as long as `line`. Errors carry no line number.
  Status parse(std::string_view line, ParsedLine& out);
  std::size_t memoryBytes() const {
    return parser_.capacity() * kParserBytesPerByte + wrapped_.capacity() + equal_.memoryBytes();
  }

 private:
  // simdjson's: an index of four bytes, and the texts.
  static constexpr std::size_t kParserBytesPerByte = 6;

  Status parseObject(std::string_view line, ParsedLine& out);
  Status checkOtherJson(std::string_view line);

  simdjson::ondemand::parser parser_;
  std::string wrapped_;
  EqualTexts equal_;
};

}  // namespace seriesdb
