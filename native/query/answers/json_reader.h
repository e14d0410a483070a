// An answer as JSON text, made in pieces while it is read. Not thread-safe, but for cancel(); a
// piece is made by one thread at a time.
#pragma once

#include <atomic>
#include <string>

#include "common/base/status.h"
#include "query/print/row_text.h"
#include "storage/state/lane.h"
#include "storage/state/stage_times.h"

namespace seriesdb {

class JsonReader {
 public:
  virtual ~JsonReader() = default;

  // Replaces `piece` with the next 256 KiB or so of the text; empty at the end.
  virtual Status next(std::string& piece) = 0;
  // True when the whole answer is surely made in well under a millisecond.
  virtual bool isShort() const = 0;
  // True when the next piece is made already.
  virtual bool isReady() const { return false; }
  // What next() counts as.
  virtual Stage stage() const = 0;
  // Where next() is to be called.
  Lane lane() const {
    if (isReady() || isShort()) return Lane::kHere;
    return stage() == Stage::kVerify ? Lane::kCare : Lane::kQuery;
  }
  // Makes the next() that runs, and all later ones, end early with kClosed. Any thread.
  void cancel() { isCancelled_.store(true, std::memory_order_relaxed); }

 protected:
  static constexpr std::size_t kPieceSize = TextSink::kPieceSize;
  bool isCancelled() const { return isCancelled_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> isCancelled_{false};
};

}  // namespace seriesdb
