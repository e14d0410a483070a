// NDJSON -> staged samples of one request.
//
// Two paths with one result. The *frame cache* (frame_cache.h) knows lines byte for byte except for
// their number slots (ts, values): a line whose frame was seen before and whose slots are strict
// JSON numbers means what that line meant, so only the numbers are read. Everything else takes the
// simdjson path (line_parser.h), which validates all of it and teaches the cache. Prediction: the
// frame that followed the last one the last time is compared first, without hashing.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/memory_account.h"
#include "base/status.h"
#include "index/index_holder.h"
#include "model/identity.h"
#include "model/sample.h"

namespace seriesdb {

struct IngestLimits {
  std::size_t lineSizeMax = 65536;
  std::size_t bodySizeMax = 64u << 20;  // Decompressed.
};

// Multiply or floor-divide an arriving ts to the database's unit: stored = ts * multiply / divide
// (one of them 1). Overflow is kInvalidRecord.
struct TimestampConversion {
  std::int64_t multiply = 1;
  std::int64_t divide = 1;
};

struct IngestOptions {
  IngestLimits limits;
  TimestampConversion conversion;
  bool isLenient = false;
  // Samples with a ts above this are kInvalidRecord. INT64_MAX = off.
  Timestamp tsMax = INT64_MAX;
  // Every series gets these, sorted by key; a line that has one of them with another value is
  // kInvalidRecord. Known lines depend on them: one state is of one list.
  OwnedLabels labels;
};

// A series that the request names and the index did not know when its line was parsed.
struct PendingSeries {
  std::string name;
  std::vector<std::pair<std::string, std::string>> labels;  // Sorted by key.
};
struct PendingDescriptor {
  std::string metric;
  Descriptor descriptor;
};

struct RejectedLine {
  std::uint64_t line;  // 1-based.
  StatusCode code;
  std::string error;
  std::string text;  // The line itself (cut at lineSizeMax), for the file of rejects.
};

// A ref with this bit set is an index into `pendingSeries`.
inline constexpr SeriesRef kPendingBit = 0x80000000u;
static_assert(kPendingBit == kSeriesRefsMax);

// The columns of a request, in document order. Equal lengths.
struct StagedSamples {
  std::vector<SeriesRef> refs;
  std::vector<Timestamp> ts;
  std::vector<double> values;
  std::vector<PendingSeries> pendingSeries;
  std::vector<PendingDescriptor> pendingDescriptors;
  // Where the refs that are not pending were found, the newest last: one that is gone by now is
  // there still.
  std::vector<std::shared_ptr<const SeriesIndex>> indexes;
  std::vector<RejectedLine> rejected;  // Lenient mode only; all of them.
  std::uint64_t legacyLineCount = 0;
  std::uint64_t inexactCount = 0;  // Values that were written as integers which no double equals.
  std::uint64_t lineCount = 0;  // Not counting blank ones.
};

// Shared by the requests of one thread: frame cache, simdjson parser and scratch. Not thread-safe.
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
  static std::unique_ptr<IngestParser> make(ParserState& state, const IngestOptions& options);
  virtual ~IngestParser() = default;
  // Parses the whole lines in carried + chunk; keeps only an unfinished last line. `chunk` is lent;
  // never reads past its end. An error is final: its message starts "line N: " (1-based), and later
  // calls return it again.
  virtual Status write(Bytes chunk) = 0;
  // Parses the last line (it needs no newline).
  virtual Status finish() = 0;
  // REQUIRES: finish() returned ok. Moves the columns out.
  virtual StagedSamples take() = 0;
  // What is lost when the whole request is refused: samples staged, lines set aside, and the line
  // at fault if there is one.
  virtual std::uint64_t refusedCount() const = 0;
  // Bytes held by carried text and staged columns; for admission.
  virtual std::size_t memoryBytes() const = 0;
};

}  // namespace seriesdb
