// A line of comma-separated values -> its cells, as RFC 4180 has them. A quote means something at
// the start of a cell only; inside a quoted cell two of them are one, and newlines are text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/status.h"
#include "ingest/text/dialect.h"

namespace seriesdb {

struct CsvCell {
  std::string_view text;
  bool isQuoted = false;

  // An empty cell is none; a pair of quotes is the empty text.
  bool isAbsent() const { return text.empty() && !isQuoted; }
};

// As Dialect::findEnd().
const char* findCsvLineEnd(const char* at, const char* end, LineSearch& search);

class CellReader {
 public:
  // The cells live until the next call and as long as the line.
  Status read(std::string_view line, std::vector<CsvCell>& out);
  std::size_t memoryBytes() const { return unescaped_.capacity(); }

 private:
  Status takeQuoted(CsvCell& cell);

  const char* at_ = nullptr;
  const char* end_ = nullptr;
  std::string unescaped_;  // Never grows while a line is read.
};

}  // namespace seriesdb
