// What is made of the samples in a window, and of the rows of a group: the words `stepFunctions`
// and `stepFolds` of src/storage/native/names.ts. All give what Prometheus 3.5 does, to the last
// bit, since they compute in its order, but for kSum and kAvg of many samples.
#pragma once

#include <cstddef>
#include <cstdint>

namespace seriesdb {

enum class StepFunction : std::uint8_t {
  kLast,      // What a selector takes: the last sample, none where it is a stale marker.
  kLastTime,  // When that was, in seconds. From here on stale markers are passed over.
  kSamples,   // All of them, of one step.
  kRate,
  kIncrease,
  kDelta,
  kIrate,
  kIdelta,
  kDeriv,
  kPredictLinear,  // Seconds after the step.
  kChanges,
  kResets,
  kAvg,
  kMin,
  kMax,
  kSum,
  kCount,
  kLastOverTime,
  kPresent,
  kQuantile,  // The quantile.
  kStddev,
  kStdvar,
  kMad,
  kTimeOfMin,
  kTimeOfMax,
  kTimeOfLast,
  kSmoothing,  // The factors of smoothing and of the trend.
};

// How many parameters it has.
constexpr std::size_t argumentsOf(StepFunction function) {
  if (function == StepFunction::kSmoothing) return 2;
  return function == StepFunction::kPredictLinear || function == StepFunction::kQuantile ? 1 : 0;
}
// Whether a stale marker is a sample to it.
constexpr bool seesStale(StepFunction function) { return function <= StepFunction::kLastTime; }
// Whether a sample costs it something in one window, or little in some, not in all that it is in.
constexpr bool isIncremental(StepFunction function) {
  switch (function) {
    case StepFunction::kDeriv:
    case StepFunction::kPredictLinear:
    case StepFunction::kAvg:
    case StepFunction::kSum:
    case StepFunction::kQuantile:
    case StepFunction::kStddev:
    case StepFunction::kStdvar:
    case StepFunction::kMad:
    case StepFunction::kSmoothing:
      return false;
    default:
      return true;
  }
}

enum class StepFold : std::uint8_t { kSum, kAvg, kMin, kMax, kCount, kGroup, kStddev, kStdvar };

}  // namespace seriesdb
