// Parses the body of one ingest request in turns.
//
// One request must not occupy a thread that serves many, so each call has a time limit. Input
// beyond the limit waits as a copy, in order, for the next call.
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
  // In nanoseconds; monotonic.
  using Clock = std::function<std::uint64_t()>;

  // Fails if the parser may not take so many bytes of scratch.
  using AdmitScratch = std::function<Status(std::size_t)>;

  explicit PacedParser(std::unique_ptr<IngestParser> parser, Clock clock = monotonicNanos,
                       AdmitScratch admitScratch = {})
      : parser_(std::move(parser)),
        clock_(std::move(clock)),
        admitScratch_(std::move(admitScratch)) {}

  // Parses the waiting input, then `chunk`, which is lent. Stops after about `nanos`; 0 only keeps
  // a copy, and any other limit allows at least one step. Fails as IngestParser::write() does, or
  // as AdmitScratch does, which each step calls first.
  Status write(Bytes chunk, std::uint64_t nanos);
  // True if input waits for a call with more time.
  bool isWaiting() const { return !waiting_.empty() || parser_->isBusy(); }
  // Parses all waiting input and the last line.
  Status finish();
  // REQUIRES: finish() returned ok. Moves the columns out.
  StagedSamples take() { return parser_->take(); }
  std::uint64_t refusedCount() const { return parser_->refusedCount(); }
  // Bytes held, including waiting input.
  std::size_t memoryBytes() const { return parser_->memoryBytes() + waitingBytes_; }

 private:
  // Parses from the front of `rest` until the deadline, and removes the parsed part.
  Status parse(Bytes& rest, std::uint64_t deadline);
  std::size_t nextStep(Bytes rest) const;
  void keep(Bytes rest);
  void forgetWaiting();
  Status checkScratch() const;

  std::unique_ptr<IngestParser> parser_;
  Clock clock_;
  AdmitScratch admitScratch_;
  std::uint64_t now_ = 0;         // The last reading of the clock.
  std::size_t stepSize_ = 16384;  // Bytes between two readings of the clock.
  std::deque<ByteBuffer> waiting_;
  std::size_t frontAt_ = 0;  // The parsed bytes of the first waiting chunk.
  std::size_t waitingBytes_ = 0;
};

}  // namespace seriesdb
