// Reads the lines of one format that the frame cache does not know.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "common/base/status.h"
#include "ingest/ingest_options.h"
#include "ingest/record.h"

namespace seriesdb {

// Readable bytes after each line for a dialect or for the frame cache's matcher.
inline constexpr std::size_t kLinePadding = 128;

// The state of a search for the end of a line, which may come in pieces.
struct LineSearch {
  std::uint32_t state = 0;     // The dialect's state; 0 at the start of a line.
  std::uint64_t newlines = 0;  // Newlines inside the line so far, which do not end it.
};

// Shared by the requests of one thread: between calls it keeps only scratch.
class Dialect {
 public:
  virtual ~Dialect() = default;
  // The scope of a request: equal lines have the same meaning in all requests of one scope.
  virtual std::string scopeOf(const IngestOptions& options) const = 0;
  // The newline that ends the line; nullptr if the line continues. `at` begins the next piece of
  // it.
  virtual const char* findEnd(const char* at, const char* end, LineSearch& search) const {
    static_cast<void>(search);
    return static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
  }
  // True if the line has no content, so that it is skipped.
  virtual bool isBlank(std::string_view line, const IngestOptions& options) const = 0;
  // Checks everything that needs no index. Errors carry no line number; `out` is then undefined.
  // Its views are valid until the next call, and while the line is valid. REQUIRES: kLinePadding
  // readable bytes after the line, which is not blank.
  virtual Status read(std::string_view line, const IngestOptions& options, Record& out) = 0;
  // The most scratch that a long line takes per byte while it is read and staged, for admission.
  virtual std::size_t scratchPerByte() const = 0;
  // The memory of its scratch, which forget() frees.
  virtual std::size_t memoryBytes() const = 0;
  virtual void forget() = 0;
};

}  // namespace seriesdb
