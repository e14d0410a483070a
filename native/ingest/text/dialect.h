// How the lines of one format are read where the frame cache does not know them.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "common/base/status.h"
#include "ingest/ingest_options.h"
#include "ingest/record.h"

namespace seriesdb {

// Readable bytes that follow a line that is handed to a dialect or to the frame cache's matcher.
inline constexpr std::size_t kLinePadding = 128;

// A search for the end of a line, which may come in pieces.
struct LineSearch {
  std::uint32_t state = 0;     // The dialect's; 0 at the start of a line.
  std::uint64_t newlines = 0;  // In the line, so far: they do not end it.
};

// Shared by the requests of one thread, so that between two calls it keeps nothing but scratch.
class Dialect {
 public:
  virtual ~Dialect() = default;
  // Lines of one text mean the same in all requests that have one scope.
  virtual std::string scopeOf(const IngestOptions& options) const = 0;
  // The newline that ends the line of which the next piece is given; nullptr when it goes on.
  virtual const char* findEnd(const char* at, const char* end, LineSearch& search) const {
    static_cast<void>(search);
    return static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
  }
  // Whether nothing is to be read in the line.
  virtual bool isBlank(std::string_view line) const = 0;
  // Checks everything that needs no index. Errors carry no line number; `out` is then undefined.
  // Its views live until the next call and as long as the line. REQUIRES: kLinePadding readable
  // bytes after the line, which is not blank.
  virtual Status read(std::string_view line, const IngestOptions& options, Record& out) = 0;
  // Of its scratch, which forget() gives back.
  virtual std::size_t memoryBytes() const = 0;
  virtual void forget() = 0;
};

}  // namespace seriesdb
