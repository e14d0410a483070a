// An answer as JSON text, made in pieces while it is read. Only cancel() is thread-safe. One thread
// at a time makes a piece.
#pragma once

#include <atomic>
#include <string>

#include "common/base/status.h"
#include "query/print/piece_size.h"
#include "storage/state/lane.h"
#include "storage/state/stage.h"

namespace seriesdb {

class JsonReader {
 public:
  static constexpr std::size_t kPieceSize = kTextPieceSize;

  virtual ~JsonReader() = default;

  // Replaces `piece` with the next kPieceSize or little more of the text; empty at the end.
  virtual Status next(std::string& piece) = 0;
  // True if the whole answer surely takes well under a millisecond.
  virtual bool isShort() const = 0;
  // True if the next piece exists already.
  virtual bool isReady() const { return false; }
  // The stage that next() counts as.
  virtual Stage stage() const = 0;
  // The thread that should call next().
  Lane lane() const {
    if (isReady() || isShort()) return Lane::kHere;
    return stage() == Stage::kVerify ? Lane::kMaintenance : Lane::kQuery;
  }
  // Ends a running next(), and all later ones, early with kClosed. Callable from any thread.
  void cancel() { isCancelled_.store(true, std::memory_order_relaxed); }

 protected:
  bool isCancelled() const { return isCancelled_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> isCancelled_{false};
};

}  // namespace seriesdb
