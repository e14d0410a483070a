// Time, as the engine needs it.
#pragma once

#include <chrono>
#include <cstdint>

namespace seriesdb {

// Nanoseconds of a monotonic clock.
inline std::uint64_t monotonicNanos() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}
inline std::uint64_t monotonicMs() { return monotonicNanos() / 1'000'000; }

// Nanoseconds since 1970 in UTC.
inline std::int64_t wallNanos() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}
inline std::int64_t wallMs() { return wallNanos() / 1'000'000; }

}  // namespace seriesdb
