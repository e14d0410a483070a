// Durations in log-linear buckets: two a power of two, from 1 microsecond to about a minute. Any
// thread; a record is two relaxed additions.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace seriesdb {

class LatencyHistogram {
 public:
  static constexpr std::size_t kBucketCount = 53;

  // The bucket whose bound is the first not below `nanos`.
  static constexpr std::size_t bucketOf(std::uint64_t nanos) {
    const std::uint64_t micros = nanos / 1000 + (nanos % 1000 != 0 ? 1 : 0);
    if (micros <= 2) return micros == 2 ? 1 : 0;
    const std::uint64_t below = micros - 1;
    const auto power = static_cast<std::size_t>(std::bit_width(below) - 1);
    const std::size_t bucket = 2 * power + ((below >> (power - 1)) & 1);
    return bucket < kBucketCount - 1 ? bucket : kBucketCount - 1;
  }
  // In seconds, inclusive: 1, 2, 3, 4, 6, 8, 12, 16, … microseconds; the last one is infinite.
  static constexpr double boundOf(std::size_t bucket) {
    if (bucket == kBucketCount - 1) return std::numeric_limits<double>::infinity();
    if (bucket < 2) return static_cast<double>(bucket + 1) / 1e6;
    const auto half = static_cast<double>(std::uint64_t{1} << (bucket / 2 - 1));
    return half * (bucket % 2 == 0 ? 3 : 4) / 1e6;
  }

  void record(std::uint64_t nanos) {
    counts_[bucketOf(nanos)].fetch_add(1, std::memory_order_relaxed);
    nanos_.fetch_add(nanos, std::memory_order_relaxed);
  }
  std::uint64_t count(std::size_t bucket) const {
    return counts_[bucket].load(std::memory_order_relaxed);
  }
  std::uint64_t sumNanos() const { return nanos_.load(std::memory_order_relaxed); }
  double sumSeconds() const { return static_cast<double>(sumNanos()) / 1e9; }

 private:
  std::array<std::atomic<std::uint64_t>, kBucketCount> counts_{};
  std::atomic<std::uint64_t> nanos_{0};
};

}  // namespace seriesdb
