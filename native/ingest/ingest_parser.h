// Parses the body of one request into staged samples, in any format. Each format has its own room
// and its own factory (ingest/ndjson/ndjson_parser.h).
#pragma once

#include <cstdint>
#include <memory>

#include "common/base/bytes.h"
#include "common/base/memory_account.h"
#include "common/base/status.h"
#include "ingest/ingest_options.h"
#include "ingest/staged_samples.h"

namespace seriesdb {

class IndexHolder;

// The state that requests of one thread share: the frame cache, and the scratch of each format. Not
// thread-safe.
class ParserState {
 public:
  // `indexes` must outlive it. `cacheBytesMax` bounds the frame cache; `account`, if given, counts
  // the memory.
  static std::unique_ptr<ParserState> make(const IndexHolder& indexes, std::size_t cacheBytesMax,
                                           std::shared_ptr<MemoryAccount> account = nullptr);
  virtual ~ParserState() = default;
};

// The parser of one request. Several parsers may share a ParserState, with interleaved chunks.
class IngestParser {
 public:
  virtual ~IngestParser() = default;
  // Parses the whole lines in the carried text and the chunk; keeps only an unfinished last line.
  // `chunk` is lent and never read past its end. An error is final: later calls return it again.
  // Its message starts with "line N: ", 1-based.
  virtual Status write(Bytes chunk) = 0;
  // True if the parser paused within its input. proceed() or the next write() resumes.
  virtual bool isBusy() const { return false; }
  // Resumes, for about as long as reading `size` bytes takes. Fails as write().
  virtual Status proceed(std::size_t size) {
    static_cast<void>(size);
    return {};
  }
  // The largest chunk for which write() ends within one step or pauses.
  virtual std::size_t stepSizeMax() const { return std::size_t{16} << 10; }
  // Parses the last line (it needs no newline).
  virtual Status finish() = 0;
  // REQUIRES: finish() returned ok. Moves the columns out.
  virtual StagedSamples take() = 0;
  // The samples lost if the whole request is refused: staged samples, rejected lines, and the line
  // at fault, if any.
  virtual std::uint64_t refusedCount() const = 0;
  // The bytes of carried text and staged columns, for admission.
  virtual std::size_t memoryBytes() const = 0;
  // The large scratch that the next write() may need in addition, for admission.
  virtual std::size_t scratchAhead() const { return 0; }
};

}  // namespace seriesdb
