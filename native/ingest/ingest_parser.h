// The body of one request -> staged samples, whatever its format. Formats stand above this room,
// one room each, and make parsers of their own (ingest/ndjson/ndjson_parser.h).
#pragma once

#include <cstdint>
#include <memory>

#include "common/base/bytes.h"
#include "common/base/memory_account.h"
#include "common/base/status.h"
#include "index/index_holder.h"
#include "ingest/ingest_options.h"
#include "ingest/staged_samples.h"

namespace seriesdb {

// Shared by the requests of one thread: frame cache, and scratch of each format. Not thread-safe.
class ParserState {
 public:
  // `indexes` must outlive it. `cacheBytesMax` bounds the frame cache, which is counted in the
  // account, if there is one.
  static std::unique_ptr<ParserState> make(const IndexHolder& indexes, std::size_t cacheBytesMax,
                                           std::shared_ptr<MemoryAccount> account = nullptr);
  virtual ~ParserState() = default;
};

// One request. Several may be open at a time on one ParserState, their chunks interleaved.
class IngestParser {
 public:
  virtual ~IngestParser() = default;
  // Parses the whole lines in carried + chunk; keeps only an unfinished last line. `chunk` is lent;
  // never reads past its end. An error is final: its message starts "line N: " (1-based), and later
  // calls return it again.
  virtual Status write(Bytes chunk) = 0;
  // Whether it paused in what it took, which proceed() goes on with; so does the next write().
  virtual bool isBusy() const { return false; }
  // Goes on for about as long as it takes to read `size` bytes. Errors as write().
  virtual Status proceed(std::size_t size) {
    static_cast<void>(size);
    return {};
  }
  // The most bytes that write() reads within one step, or pauses in.
  virtual std::size_t stepSizeMax() const { return std::size_t{16} << 10; }
  // Parses the last line (it needs no newline).
  virtual Status finish() = 0;
  // REQUIRES: finish() returned ok. Moves the columns out.
  virtual StagedSamples take() = 0;
  // What is lost when the whole request is refused: samples staged, lines set aside, and the line
  // at fault if there is one.
  virtual std::uint64_t refusedCount() const = 0;
  // Bytes held by carried text and staged columns; for admission.
  virtual std::size_t memoryBytes() const = 0;
  // What the next write() may take beside that while it runs, where it is much; for admission.
  virtual std::size_t scratchAhead() const { return 0; }
};

}  // namespace seriesdb
