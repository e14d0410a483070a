// Splits a line of line protocol into its parts, unescaped. line_protocol_parser.h interprets them.
//
//   measurement[,key=value…] key=value[,key=value…] [time]
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/status.h"
#include "common/types/identity.h"

namespace seriesdb {

struct LineField {
  std::string_view key;
  std::string_view value;  // The raw value; a string includes its quotes.
};

// Views into the line and into the reader.
struct LineParts {
  std::string_view measurement;
  std::vector<Label> tags;  // Tags with a value only.
  std::vector<LineField> fields;
  std::string_view time;  // Empty if the line has no time.
};

class LineReader {
 public:
  // The parts are valid until the next call, and while the line is valid.
  Status read(std::string_view line, LineParts& out);
  std::size_t memoryBytes() const { return unescaped_.capacity(); }

 private:
  Status readTags(LineParts& out);
  Status readFields(LineParts& out);
  Status readTime(LineParts& out);
  // Takes text up to the first character that ends it and that no backslash precedes, or to the
  // end of the line; a backslash before such a character is left out.
  template <bool (*ends)(char)>
  std::string_view take();
  bool takeString();
  bool isAtEnd() const { return at_ == end_; }
  void skipSpaces();

  const char* at_ = nullptr;
  const char* end_ = nullptr;
  std::string unescaped_;  // Does not grow while a line is read.
};

}  // namespace seriesdb
