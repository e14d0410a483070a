// Functions of the samples in a window, and folds of the rows in a group. Their numbers match
// `stepFunctions` and `stepFolds` of src/storage/native/names.ts. All compute in the order of
// Prometheus 3.5 and so return its results to the last bit. Exceptions are kSum and kAvg of many
// samples.
#pragma once

#include <cstddef>
#include <cstdint>

namespace seriesdb {

enum class StepFunction : std::uint8_t {
  kLast,      // A plain selector: the last sample, or no value if it is a stale marker.
  kLastTime,  // The last sample's time in seconds. All functions below ignore stale markers.
  kSamples,   // All samples of one step.
  kRate,
  kIncrease,
  kDelta,
  kIrate,
  kIdelta,
  kDeriv,
  kPredictLinear,  // Argument: seconds after the step.
  kChanges,
  kResets,
  kAvg,
  kMin,
  kMax,
  kSum,
  kCount,
  kLastOverTime,
  kPresent,
  kQuantile,  // Argument: the quantile.
  kStddev,
  kStdvar,
  kMad,
  kTimeOfMin,
  kTimeOfMax,
  kTimeOfLast,
  kSmoothing,  // Arguments: the smoothing factor and the trend factor.
};

// The count of its arguments.
constexpr std::size_t argumentsOf(StepFunction function) {
  if (function == StepFunction::kSmoothing) return 2;
  return function == StepFunction::kPredictLinear || function == StepFunction::kQuantile ? 1 : 0;
}
// True if the function sees stale markers as samples.
constexpr bool seesStale(StepFunction function) { return function <= StepFunction::kLastTime; }
// True if a sample costs work in only one of its windows, or little in some of them.
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
