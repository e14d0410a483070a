// What a function of a window sees.
//
// A function is an object for one row: called with windows whose ends never move back, none of them
// empty, it says whether there is a value, and which. What it keeps from one to the next changes no
// bit of that, so that it does not matter where a query begins.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "steps/step_samples.h"

namespace seriesdb {

struct StepWindow {
  std::size_t begin;  // Places of samples.
  std::size_t end;
  std::size_t step;   // The place of the step.
  std::int64_t at;    // The time of the step, and what the window reaches: (after, until].
  std::int64_t after;
  std::int64_t until;

  std::size_t size() const { return end - begin; }
};

inline double seconds(std::int64_t ms) { return static_cast<double>(ms) / 1000; }
// Of a span that is given as a duration, whose last bit Go rounds so.
inline double durationSeconds(std::int64_t ms) {
  constexpr std::int64_t kWhole = 1000;
  return static_cast<double>(ms / kWhole) + seconds(ms % kWhole);
}

// An end of windows, which moves forward.
class WindowEnd {
 public:
  explicit WindowEnd(std::span<const std::int64_t> ms) : ms_(ms) {}

  // How many samples are not after `limit`, which never falls. From step to step it is mostly as
  // many more as the last time.
  std::size_t moveTo(std::int64_t limit) {
    const std::size_t guess = at_ + stride_;
    const bool isRight = stride_ > 0 && guess <= ms_.size() && ms_[guess - 1] <= limit &&
                         (guess == ms_.size() || ms_[guess] > limit);
    if (isRight) return at_ = guess;
    const std::size_t before = at_;
    while (at_ < ms_.size() && ms_[at_] <= limit) ++at_;
    stride_ = at_ - before;
    return at_;
  }

 private:
  const std::span<const std::int64_t> ms_;
  std::size_t at_ = 0;
  std::size_t stride_ = 0;
};

// A parameter: one value, or one for each step.
class StepArgument {
 public:
  explicit StepArgument(const std::vector<double>& values) : values_(values) {}
  double at(std::size_t step) const { return values_[values_.size() == 1 ? 0 : step]; }

 private:
  const std::vector<double>& values_;
};

// The places in windows of a row that a sample and the one before it have made something of.
template <typename IsMet>
class MetPlaces {
 public:
  // Most rows have few, so that some samples are looked at together.
  explicit MetPlaces(std::span<const double> values) {
    constexpr std::size_t kTogether = 64;
    for (std::size_t begin = 1; begin < values.size(); begin += kTogether) {
      const std::size_t end = std::min(begin + kTogether, values.size());
      bool isAny = false;
      for (std::size_t i = begin; i < end; ++i) isAny |= IsMet()(values[i - 1], values[i]);
      for (std::size_t i = begin; isAny && i < end; ++i) {
        if (IsMet()(values[i - 1], values[i])) places_.push_back(i);
      }
    }
  }

  // Those behind the first sample of the window, ascending.
  std::span<const std::size_t> in(const StepWindow& window) {
    while (last_ < places_.size() && places_[last_] < window.end) ++last_;
    while (first_ < last_ && places_[first_] <= window.begin) ++first_;
    return std::span<const std::size_t>(places_).subspan(first_, last_ - first_);
  }

 private:
  std::vector<std::size_t> places_;
  std::size_t first_ = 0;
  std::size_t last_ = 0;
};

struct IsReset {
  bool operator()(double before, double value) const { return value < before; }
};
struct IsChange {
  bool operator()(double before, double value) const {
    return before != value && !(std::isnan(before) && std::isnan(value));
  }
};

}  // namespace seriesdb
