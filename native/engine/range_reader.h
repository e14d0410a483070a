// One range answer as JSON text, in pieces. Not thread-safe; a piece is made by one thread at a
// time.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "engine/merge_cursor.h"

namespace seriesdb {

class RangeReader {
 public:
  // Nothing for `cursor` gives `[]`.
  explicit RangeReader(std::optional<MergeCursor> cursor) : cursor_(std::move(cursor)) {}

  // Replaces `piece` with the next 256 KiB or so of `[{"ts":…,"value":…},…]`; empty at the end.
  Status next(std::string& piece);
  // Makes the next() that runs, and all later ones, end early with kClosed. Any thread.
  void cancel() { isCancelled_.store(true, std::memory_order_relaxed); }
  // True when the whole answer is surely made in well under a millisecond.
  bool isShort() const { return !cursor_ || cursor_->estimatedSamples() <= kShortSamples; }

 private:
  static constexpr std::uint64_t kShortSamples = 4096;
  static constexpr std::size_t kPieceSize = std::size_t{256} << 10;
  static constexpr std::size_t kBlockSamples = 4096;

  std::optional<MergeCursor> cursor_;
  std::vector<Timestamp> ts_;
  std::vector<double> values_;
  bool isFirst_ = true;
  bool isOpen_ = false;
  bool isDone_ = false;
  std::atomic<bool> isCancelled_{false};
};

}  // namespace seriesdb
