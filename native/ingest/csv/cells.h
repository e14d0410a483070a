// Splits a line of comma-separated values into cells, by RFC 4180. A quote is special only at the
// start of a cell. In a quoted cell, two quotes stand for one, and newlines are text.
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

  // An empty cell is absent; a pair of quotes is the empty text.
  bool isAbsent() const { return text.empty() && !isQuoted; }
};

// See Dialect::findEnd().
const char* findCsvLineEnd(const char* at, const char* end, LineSearch& search);

class CellReader {
 public:
  // The cells are valid until the next call, and while the line is valid.
  Status read(std::string_view line, std::vector<CsvCell>& out);
  std::size_t memoryBytes() const { return unescaped_.capacity(); }

 private:
  Status takeQuoted(CsvCell& cell);

  const char* at_ = nullptr;
  const char* end_ = nullptr;
  std::string unescaped_;  // Does not grow while a line is read.
};

}  // namespace seriesdb
