// Functions of a window that tell how a value grew: by its first and its last sample, or by the
// last two.
#pragma once

#include "steps/step_window.h"

namespace seriesdb {

// How much a window's samples grew by, made as long as the window where they end close to its
// ends.
template <bool isCounter, bool isRate>
class Growth {
 public:
  explicit Growth(const StepColumns& row) : row_(row), resets_(row.values) {}

  bool operator()(const StepWindow& window, double& value) {
    if (window.size() < 2) return false;
    const std::size_t last = window.end - 1;
    double grown = row_.values[last] - row_.values[window.begin];
    if constexpr (isCounter) {
      for (const std::size_t place : resets_.in(window)) grown += row_.values[place - 1];
    }
    value = grown * factor(window, grown);
    return true;
  }

 private:
  double factor(const StepWindow& window, double grown) const {
    const std::int64_t first = row_.ms[window.begin];
    const std::int64_t last = row_.ms[window.end - 1];
    const double span = seconds(last - first);
    const double gap = span / static_cast<double>(window.size() - 1);
    // Farther from an end than that, the series is taken to begin or end within the window.
    constexpr double kGapsMax = 1.1;
    const double far = gap * kGapsMax;
    double toStart = seconds(first - window.after);
    double toEnd = seconds(window.until - last);
    if (toStart >= far) toStart = gap / 2;
    if (isCounter) toStart = std::min(toStart, toZero(window, grown, span, toStart));
    if (toEnd >= far) toEnd = gap / 2;
    const double factor = (span + toStart + toEnd) / span;
    return isRate ? factor / durationSeconds(window.until - window.after) : factor;
  }

  // How long before its first sample a counter that grew so was at zero.
  double toZero(const StepWindow& window, double grown, double span, double toStart) const {
    const double first = row_.values[window.begin];
    return grown > 0 && first >= 0 ? span * (first / grown) : toStart;
  }

  const StepColumns row_;
  MetPlaces<IsReset> resets_;
};

// The last two samples of a window.
template <bool isRate>
class LastStep {
 public:
  explicit LastStep(const StepColumns& row) : row_(row) {}

  bool operator()(const StepWindow& window, double& value) const {
    if (window.size() < 2) return false;
    const std::size_t last = window.end - 1;
    const double before = row_.values[last - 1];
    value = row_.values[last];
    if (!isRate || !IsReset()(before, value)) value -= before;
    if (isRate) value /= seconds(row_.ms[last] - row_.ms[last - 1]);
    return true;
  }

 private:
  const StepColumns row_;
};

}  // namespace seriesdb
