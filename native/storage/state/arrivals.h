// The newest timestamp that clients sent recently, to compare their clocks with ours. The committer
// writes it, the compactor reads it.
#pragma once

#include <atomic>
#include <limits>
#include <optional>

#include "common/types/sample.h"

namespace seriesdb {

class Arrivals {
 public:
  void note(Timestamp ts) {
    Timestamp newest = newest_.load(std::memory_order_relaxed);
    while (newest < ts &&
           !newest_.compare_exchange_weak(newest, ts, std::memory_order_relaxed)) {
    }
  }
  // The newest timestamp since the last reset; null if there is none.
  std::optional<Timestamp> newest() const {
    const Timestamp newest = newest_.load(std::memory_order_relaxed);
    return newest == kNone ? std::nullopt : std::optional(newest);
  }
  void reset() { newest_.store(kNone, std::memory_order_relaxed); }

 private:
  static constexpr Timestamp kNone = std::numeric_limits<Timestamp>::min();

  std::atomic<Timestamp> newest_{kNone};
};

}  // namespace seriesdb
