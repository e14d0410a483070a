// The body of one ingest request, parsed in turns.
//
// A thread that serves many must not be kept by one of them: each call says how long it may take.
// What does not fit waits as a copy, in the order of the body, for the next call.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>

#include "common/base/bytes.h"
#include "common/base/clock.h"
#include "common/base/status.h"
#include "ingest/ingest_parser.h"

namespace seriesdb {

class PacedParser {
 public:
  static constexpr std::uint64_t kNoLimit = UINT64_MAX;
  // In nanoseconds; never goes back.
  using Clock = std::function<std::uint64_t()>;

  // Whether the parser may take so many bytes of scratch.
  using AdmitScratch = std::function<Status(std::size_t)>;

  explicit PacedParser(std::unique_ptr<IngestParser> parser, Clock clock = monotonicNanos,
                       AdmitScratch admitScratch = {})
      : parser_(std::move(parser)),
        clock_(std::move(clock)),
        admitScratch_(std::move(admitScratch)) {}

  // Parses what waits, then `chunk`, which is lent, and stops about `nanos` later; 0 only keeps a
  // copy. Any other limit is enough to get on by a step. Errors are those of IngestParser::write
  // and of AdmitScratch, which is asked before each step.
  Status write(Bytes chunk, std::uint64_t nanos);
  // Whether anything waits for a call that has more time.
  bool isWaiting() const { return !waiting_.empty() || parser_->isBusy(); }
  // Parses all that waits and the last line.
  Status finish();
  // REQUIRES: finish() returned ok. Moves the columns out.
  StagedSamples take() { return parser_->take(); }
  std::uint64_t refusedCount() const { return parser_->refusedCount(); }
  // Bytes held, what waits included.
  std::size_t memoryBytes() const { return parser_->memoryBytes() + waitingBytes_; }

 private:
  // Parses from the front of `rest` until the deadline, and takes away what was parsed.
  Status parse(Bytes& rest, std::uint64_t deadline);
  std::size_t nextStep(Bytes rest) const;
  void keep(Bytes rest);
  void forgetWaiting();
  Status checkScratch() const;

  std::unique_ptr<IngestParser> parser_;
  Clock clock_;
  AdmitScratch admitScratch_;
  std::uint64_t now_ = 0;         // As the clock said last.
  std::size_t stepSize_ = 16384;  // Bytes between two looks at the clock.
  std::deque<ByteBuffer> waiting_;
  std::size_t frontAt_ = 0;  // What was parsed of the first of them.
  std::size_t waitingBytes_ = 0;
};

}  // namespace seriesdb
