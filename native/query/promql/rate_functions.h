// Functions of a window that measure growth, from its first and last sample or from its last two.
#pragma once

#include "query/promql/step_window.h"

namespace seriesdb {

// The span of a window's samples, and how far they are extrapolated to its ends.
struct Reach {
  // The input: windows with equal spans and gaps have the same reach.
  struct Of {
    std::int64_t spanMs = 0;
    std::int64_t toStartMs = 0;
    std::int64_t toEndMs = 0;
    std::int64_t gaps = 0;

    bool operator==(const Of&) const = default;
  };
  Of of;
  double span = 0;  // Seconds, as toStart and toEnd.
  double toStart = 0;
  double toEnd = 0;
  double factor = 0;  // The samples' growth times this factor is the window's growth.

  static Reach make(const Of& of) {
    // If a sample is farther from an end, in gaps, the series starts or ends inside the window.
    constexpr double kGapsMax = 1.1;
    Reach reach{of, seconds(of.spanMs), seconds(of.toStartMs), seconds(of.toEndMs)};
    const double gap = reach.span / static_cast<double>(of.gaps);
    const double far = gap * kGapsMax;
    if (reach.toStart >= far) reach.toStart = gap / 2;
    if (reach.toEnd >= far) reach.toEnd = gap / 2;
    reach.factor = reach.factorFrom(reach.toStart);
    return reach;
  }
  double factorFrom(double start) const { return (span + start + toEnd) / span; }
};

// The growth of a window's samples, extrapolated to the window's ends if the samples are close to
// them.
template <bool isCounter, bool isRate>
class Growth {
 public:
  explicit Growth(const StepColumns& row)
      : row_(row), resets_(isCounter ? row.values : std::span<const double>()) {}

  bool operator()(const StepWindow& window, double& value) {
    if (window.size() < 2) return false;
    const std::size_t last = window.end - 1;
    const double first = row_.values[window.begin];
    double grown = row_.values[last] - first;
    if constexpr (isCounter) {
      for (const std::size_t place : resets_.in(window)) grown += row_.values[place - 1];
    }
    lookAt(window);
    value = grown * factor(grown, first);
    return true;
  }

  // Fills the cells of windows that differ from this one by the stride; only first and last values
  // are read. REQUIRES: this window had a value. `cells` are the steps behind it. Returns the count
  // of cells filled.
  std::size_t makeAlike(const StepWindow& window, WindowStride stride, StepCells cells) const {
    const std::size_t endMax = isCounter ? resets_.noneUntil() : SIZE_MAX;
    return eachAlike(row_, window, stride, {cells.values.size(), endMax},
                     [&](std::size_t place, std::size_t begin, std::size_t end) {
                       const double first = row_.values[begin];
                       const double grown = row_.values[end - 1] - first;
                       cells.values[place] = grown * factor(grown, first);
                       cells.present[place] = 1;
                       return true;
                     });
  }

 private:
  // Evenly spaced samples mostly give the same reach as the last window.
  void lookAt(const StepWindow& window) {
    const std::int64_t first = row_.ms[window.begin];
    const std::int64_t last = row_.ms[window.end - 1];
    const Reach::Of of{last - first, first - window.after, window.until - last,
                       static_cast<std::int64_t>(window.size() - 1)};
    if (of == reach_.of) return;
    reach_ = Reach::make(of);
    duration_ = durationSeconds(window.until - window.after);
    factor_ = perDuration(reach_.factor);
  }

  double factor(double grown, double first) const {
    if (!isCounter || keepsStart(grown, first)) return factor_;
    if (!(grown > 0 && first >= 0)) return factor_;
    // The seconds before its first sample at which a counter with this growth was zero.
    const double toZero = reach_.span * (first / grown);
    return perDuration(reach_.factorFrom(std::min(reach_.toStart, toZero)));
  }

  // True if the counter would have been zero only before the extrapolated start, or never. It
  // avoids a division: between these sizes a product's error is below the margin.
  bool keepsStart(double grown, double first) const {
    constexpr double kLeast = 1e-100;
    constexpr double kMost = 1e100;
    constexpr double kMargin = 1 + 0x1p-40;
    return first >= kLeast && first <= kMost && grown <= kMost &&
           first * reach_.span > reach_.toStart * grown * kMargin;
  }

  double perDuration(double factor) const { return isRate ? factor / duration_ : factor; }

  const StepColumns row_;
  MetPlaces<IsReset> resets_;
  Reach reach_;
  double duration_ = 1;
  double factor_ = 1;
};

// The growth between the last two samples of a window.
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
