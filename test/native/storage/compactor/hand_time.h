// Clocks that a test moves.
#pragma once

#include <atomic>
#include <cstdint>

#include "common/base/time_source.h"

namespace seriesdb::test {

class HandTime final : public TimeSource {
 public:
  explicit HandTime(std::int64_t wallMs) : wallMs_(wallMs) {}

  std::int64_t wallNanos() const override { return wallMs_ * 1'000'000; }
  std::uint64_t monotonicMs() const override { return monotonicMs_; }
  std::int64_t wallMs() const { return wallMs_; }

  // Advances all clocks.
  void advance(std::int64_t ms) {
    wallMs_ += ms;
    monotonicMs_ += static_cast<std::uint64_t>(ms);
  }
  // Sets only the wall clock.
  void setWall(std::int64_t ms) { wallMs_ = ms; }

 private:
  std::atomic<std::int64_t> wallMs_;
  std::atomic<std::uint64_t> monotonicMs_{1};
};

}  // namespace seriesdb::test
