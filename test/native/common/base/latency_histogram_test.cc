#include "common/base/latency_histogram.h"

#include <random>
#include <thread>
#include <vector>

#include "harness.h"

using namespace seriesdb;

TEST("a duration is counted in the first bucket whose bound is not below it") {
  std::mt19937_64 random(test::seed());
  for (int i = 0; i < 200'000; ++i) {
    const std::uint64_t nanos = random() >> (random() % 64);
    const std::size_t bucket = LatencyHistogram::bucketOf(nanos);
    const double seconds = static_cast<double>(nanos) / 1e9;
    REQUIRE(bucket < LatencyHistogram::kBucketCount);
    // Bounds are doubles and so inexact; the test ignores differences below a nanosecond.
    EXPECT(seconds <= LatencyHistogram::boundOf(bucket) + 1e-12);
    EXPECT(bucket == 0 || seconds > LatencyHistogram::boundOf(bucket - 1) - 1e-12);
  }
}

TEST("every bucket ends exactly at its bound") {
  for (std::size_t bucket = 0; bucket + 1 < LatencyHistogram::kBucketCount; ++bucket) {
    const double micros = LatencyHistogram::boundOf(bucket) * 1e6;
    const auto nanos = static_cast<std::uint64_t>(micros + 0.5) * 1000;
    EXPECT(LatencyHistogram::bucketOf(nanos) == bucket);
    EXPECT(LatencyHistogram::bucketOf(nanos + 1) == bucket + 1);
    EXPECT(LatencyHistogram::boundOf(bucket) < LatencyHistogram::boundOf(bucket + 1));
  }
  EXPECT(LatencyHistogram::bucketOf(0) == 0);
  EXPECT(LatencyHistogram::bucketOf(UINT64_MAX) == LatencyHistogram::kBucketCount - 1);
}

TEST("durations recorded by several threads are all counted") {
  LatencyHistogram histogram;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&histogram] {
      for (std::uint64_t i = 1; i <= 50'000; ++i) histogram.record(i * 1000);
    });
  }
  for (auto& thread : threads) thread.join();
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < LatencyHistogram::kBucketCount; ++i) total += histogram.count(i);
  EXPECT(total == 200'000);
  EXPECT(histogram.sumSeconds() > 4999.9 && histogram.sumSeconds() < 5000.2);
}
