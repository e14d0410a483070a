#include "query/print/row_text.h"

#include "common/types/identity.h"

namespace seriesdb {

// RFC 4180; an empty text is a pair of quotes, since nothing is null.
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
