// Durations of the stages of work. Any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "common/base/clock.h"
#include "common/base/latency_histogram.h"
#include "storage/state/stage.h"

namespace seriesdb {

class StageTimes {
 public:
  // Ingest work of the listeners' and the committer's threads, in nanoseconds. Syncs only wait and
  // do not count.
  std::uint64_t ingestNanos() const {
    return of(Stage::kParse).sumNanos() + of(Stage::kWalAppend).sumNanos() +
           of(Stage::kApply).sumNanos();
  }

  // Count of numbers from copyTo(): all bucket bounds, then per stage its counts and its sum of
  // seconds.
  static constexpr std::size_t kNumberCount =
      LatencyHistogram::kBucketCount + kStageCount * (LatencyHistogram::kBucketCount + 1);

  void record(Stage stage, std::uint64_t nanos) {
    histograms_[static_cast<std::size_t>(stage)].record(nanos);
  }
  const LatencyHistogram& of(Stage stage) const {
    return histograms_[static_cast<std::size_t>(stage)];
  }
  // REQUIRES: numbers.size() >= kNumberCount
  void copyTo(std::span<double> numbers) const {
    std::size_t at = 0;
    for (std::size_t i = 0; i < LatencyHistogram::kBucketCount; ++i) {
      numbers[at++] = LatencyHistogram::boundOf(i);
    }
    for (const LatencyHistogram& one : histograms_) {
      for (std::size_t i = 0; i < LatencyHistogram::kBucketCount; ++i) {
        numbers[at++] = static_cast<double>(one.count(i));
      }
      numbers[at++] = one.sumSeconds();
    }
  }

 private:
  std::array<LatencyHistogram, kStageCount> histograms_;
};

// Records its lifetime.
class StageTimer {
 public:
  StageTimer(StageTimes& times, Stage stage) : times_(times), stage_(stage) {}
  ~StageTimer() { times_.record(stage_, monotonicNanos() - begin_); }
  StageTimer(const StageTimer&) = delete;
  StageTimer& operator=(const StageTimer&) = delete;

 private:
  StageTimes& times_;
  const Stage stage_;
  const std::uint64_t begin_ = monotonicNanos();
};

}  // namespace seriesdb
