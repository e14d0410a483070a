// The clock of parts that must be right over years; tests supply clocks that jump, stand still and
// disagree.
#pragma once

#include <cstdint>

#include "common/base/clock.h"

namespace seriesdb {

class TimeSource {
 public:
  virtual ~TimeSource() = default;
  // Nanoseconds since 1970 in UTC, by the system clock.
  virtual std::int64_t wallNanos() const = 0;
  // Milliseconds of a monotonic clock; never 0.
  virtual std::uint64_t monotonicMs() const = 0;
};

// Milliseconds since 1970.
inline std::int64_t wallMs(const TimeSource& time) { return time.wallNanos() / 1'000'000; }

// The machine's clocks.
inline const TimeSource& machineTime() {
  class MachineTime final : public TimeSource {
   public:
    std::int64_t wallNanos() const override { return seriesdb::wallNanos(); }
    std::uint64_t monotonicMs() const override { return seriesdb::monotonicMs(); }
  };
  static const MachineTime time;
  return time;
}

}  // namespace seriesdb
