#include "query/print/row_text.h"

#include "common/types/identity.h"

namespace seriesdb {

// Quotes as in RFC 4180. An empty text is a pair of quotes, because an empty cell means null.
static void appendCsvText(std::string& out, std::string_view text) {
  if (!text.empty() && text.find_first_of("\",\r\n") == std::string_view::npos) {
    out += text;
    return;
  }
  out += '"';
  for (const char one : text) {
    if (one == '"') out += '"';
    out += one;
  }
  out += '"';
}

void appendCell(std::string& out, std::string_view text, bool isCsv) {
  if (isCsv) {
    appendCsvText(out, text);
  } else {
    appendJsonString(out, text);
  }
}

}  // namespace seriesdb
