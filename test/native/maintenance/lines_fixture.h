// The lines of a report.
#pragma once

#include <string>
#include <vector>

#include "harness.h"
#include "query/answers/json_reader.h"

namespace seriesdb::test {

using Lines = std::vector<std::string>;

// All lines until the end; a failure is the last line.
inline Lines linesOf(JsonReader& reader) {
  Lines lines;
  std::string piece;
  for (;;) {
    const Status read = reader.next(piece);
    if (!read.ok()) lines.push_back("failed: " + read.message());
    if (!read.ok() || piece.empty()) return lines;
    std::size_t at = 0;
    for (std::size_t end; (end = piece.find('\n', at)) != std::string::npos; at = end + 1) {
      lines.push_back(piece.substr(at, end - at));
    }
    EXPECT(at == piece.size());
  }
}

}  // namespace seriesdb::test
