// The input and the helpers of a window function.
//
// A function is an object for one row. It is called with windows that are not empty and whose ends
// never move back. It returns true if there is a value. State from earlier windows never changes a
// bit of the result. So the start of a query does not matter.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "query/promql/step_kernels.h"
#include "query/promql/step_samples.h"

namespace seriesdb {

// One cell for each step.
struct StepCells {
  std::span<double> values;  // 0 if there is no value.
  std::span<std::uint8_t> present;

  StepCells from(std::size_t step) const { return {values.subspan(step), present.subspan(step)}; }
};

// The distance from the window before to this one, if samples are as regular as steps.
struct WindowStride {
  std::size_t samples = 0;
  std::int64_t step = 0;
};

struct StepWindow {
  std::size_t begin;  // Places of samples: from begin up to end.
  std::size_t end;
  std::size_t step;  // The place of the step.
  std::int64_t at;   // The time of the step. The window covers (after, until].
  std::int64_t after;
  std::int64_t until;

  std::size_t size() const { return end - begin; }
  void move(std::size_t steps, std::int64_t ms) {
    step += steps;
    at += ms;
    after += ms;
    until += ms;
  }
};

inline double seconds(std::int64_t ms) { return static_cast<double>(ms) / 1000; }
// Seconds of a duration, with the last bit as Go rounds it.
inline double durationSeconds(std::int64_t ms) {
  constexpr std::int64_t kWhole = 1000;
  return static_cast<double>(ms / kWhole) + seconds(ms % kWhole);
}

// One end of the windows; it only moves forward.
class WindowEnd {
 public:
  explicit WindowEnd(std::span<const std::int64_t> ms) : ms_(ms) {}

  // Returns the count of samples not after `limit`, which never falls. It first tries the same
  // stride as in the last step.
  std::size_t moveTo(std::int64_t limit) {
    const std::size_t guess = at_ + stride_;
    const bool isRight = stride_ > 0 && guess <= ms_.size() && ms_[guess - 1] <= limit &&
                         (guess == ms_.size() || ms_[guess] > limit);
    if (isRight) return at_ = guess;
    const std::size_t before = at_;
    at_ = search(limit);
    stride_ = at_ - before;
    return at_;
  }

  // The places moved in the last moveTo().
  std::size_t stride() const { return stride_; }
  // Moves to a place that moveTo() would have reached.
  void skipTo(std::size_t place) { at_ = place; }

 private:
  // A gallop and a binary search: the place is as likely near as far. It is rarely called, and
  // inlining would slow the usual path.
  [[gnu::noinline]] std::size_t search(std::int64_t limit) const {
    std::size_t begin = at_;
    std::size_t end = begin;
    for (std::size_t width = 1; end < ms_.size() && ms_[end] <= limit; width *= 2) {
      begin = end + 1;
      end += width;
    }
    end = std::min(end, ms_.size());
    const auto from = ms_.begin();
    const auto above = std::upper_bound(from + static_cast<std::ptrdiff_t>(begin),
                                        from + static_cast<std::ptrdiff_t>(end), limit);
    return static_cast<std::size_t>(above - from);
  }

  const std::span<const std::int64_t> ms_;
  std::size_t at_ = 0;
  std::size_t stride_ = 0;
};

// The most windows to visit, and the last sample place at which one may end.
struct WindowsMax {
  std::size_t count;
  std::size_t end = SIZE_MAX;
};

// Calls take(place, begin, end) for the windows behind this one while they are alike. Alike windows
// have equal sample counts and equal distances from their ends. Place 0 is the first. Stops at the
// first window that differs or for which `take` returns false. Returns the count taken.
template <typename Take>
std::size_t eachAlike(const StepColumns& row, const StepWindow& window, WindowStride stride,
                      WindowsMax max, Take take) {
  std::size_t begin = window.begin;
  std::size_t end = window.end;
  // Each check reads the sample behind the window.
  const std::size_t endMax = std::min(max.end, row.size() - 1);
  if (stride.samples == 0 || endMax < end) return 0;
  const std::size_t most = std::min(max.count, (endMax - end) / stride.samples);
  const std::int64_t first = row.ms[begin];
  const std::int64_t last = row.ms[end - 1];
  std::int64_t shift = 0;
  std::size_t taken = 0;
  for (; taken < most; ++taken) {
    begin += stride.samples;
    end += stride.samples;
    shift += stride.step;
    const bool isAlike = row.ms[begin - 1] <= window.after + shift &&
                         row.ms[begin] == first + shift && row.ms[end - 1] == last + shift &&
                         row.ms[end] > window.until + shift;
    if (!isAlike || !take(taken, begin, end)) break;
  }
  return taken;
}

// A parameter: one value, or one for each step.
class StepArgument {
 public:
  explicit StepArgument(const std::vector<double>& values) : values_(values) {}
  double at(std::size_t step) const { return values_[values_.size() == 1 ? 0 : step]; }

 private:
  const std::vector<double>& values_;
};

// The places in a row where a sample and the one before it meet a condition.
template <typename IsMet>
class MetPlaces {
 public:
  // Most rows have few such places, so blocks of samples are tested at once.
  explicit MetPlaces(std::span<const double> values) {
    constexpr std::size_t kTogether = 128;
    for (std::size_t begin = 1; begin < values.size(); begin += kTogether) {
      const std::size_t end = std::min(begin + kTogether, values.size());
      if (!IsMet::isAnyIn(values.subspan(begin - 1, end - begin + 1))) continue;
      for (std::size_t i = begin; i < end; ++i) {
        if (IsMet()(values[i - 1], values[i])) places_.push_back(i);
      }
    }
  }

  // The places behind the window's first sample, ascending.
  std::span<const std::size_t> in(const StepWindow& window) {
    while (last_ < places_.size() && places_[last_] < window.end) ++last_;
    while (first_ < last_ && places_[first_] <= window.begin) ++first_;
    return std::span<const std::size_t>(places_).subspan(first_, last_ - first_);
  }

  // If the last window of in() has no place: the end up to which later windows have none either.
  // Else 0.
  std::size_t noneUntil() const {
    if (first_ != last_) return 0;
    return last_ < places_.size() ? places_[last_] : SIZE_MAX;
  }

 private:
  std::vector<std::size_t> places_;
  std::size_t first_ = 0;
  std::size_t last_ = 0;
};

struct IsReset {
  static bool isAnyIn(std::span<const double> values) { return hasFall(values); }
  bool operator()(double before, double value) const { return value < before; }
};
struct IsChange {
  static bool isAnyIn(std::span<const double> values) {
    bool isAny = false;
    for (std::size_t i = 1; i < values.size(); ++i) {
      isAny |= IsChange()(values[i - 1], values[i]);
    }
    return isAny;
  }
  bool operator()(double before, double value) const {
    return before != value && !(std::isnan(before) && std::isnan(value));
  }
};

}  // namespace seriesdb
