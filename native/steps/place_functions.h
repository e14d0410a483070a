// Functions of a window that choose one of its samples, or count some.
#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "steps/step_window.h"

namespace seriesdb {

enum class SampleSide : std::uint8_t { kValue, kTime };

template <SampleSide side>
double sideOf(const StepColumns& row, std::size_t place) {
  return side == SampleSide::kValue ? row.values[place] : seconds(row.ms[place]);
}

template <SampleSide side>
class LastSample {
 public:
  explicit LastSample(const StepColumns& row) : row_(row) {}
  bool operator()(const StepWindow& window, double& value) const {
    value = sideOf<side>(row_, window.end - 1);
    return !isStale(row_.values[window.end - 1]);
  }

 private:
  const StepColumns row_;
};

// The highest or lowest of some values, at least one; NaN only where there is nothing else, and of
// equal ones the first.
template <bool isMax>
double extremeOf(std::span<const double> values) {
  const auto isBetter = [](double value, double than) {
    return isMax ? value > than : value < than;
  };
  // Several at a time. No NaN is better than anything, so that one is passed over.
  constexpr double kWorst = isMax ? -std::numeric_limits<double>::infinity()
                                  : std::numeric_limits<double>::infinity();
  constexpr std::size_t kLanes = 8;
  std::array<double, kLanes> lanes;
  lanes.fill(kWorst);
  std::size_t at = 0;
  for (; at + kLanes <= values.size(); at += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const double value = values[at + lane];
      lanes[lane] = isBetter(value, lanes[lane]) ? value : lanes[lane];
    }
  }
  double best = kWorst;
  for (; at < values.size(); ++at) best = isBetter(values[at], best) ? values[at] : best;
  for (const double value : lanes) best = isBetter(value, best) ? value : best;
  // Nothing was better, or it is a zero, of which it matters which one was the first.
  if (best != kWorst && best != 0) return best;
  best = values[0];
  for (const double value : values) {
    if (isBetter(value, best) || std::isnan(best)) best = value;
  }
  return best;
}

// Of equal samples the first counts for the value, the last for the time.
template <bool isMax, SampleSide side>
class Extreme {
 public:
  explicit Extreme(const StepColumns& row) : row_(row) {}

  bool operator()(const StepWindow& window, double& value) {
    const std::size_t seen = std::exchange(seen_, window.end);
    // To look at all of them again is quicker than to keep a queue of few new ones.
    constexpr std::size_t kLooksPerNew = 32;
    if constexpr (side == SampleSide::kValue) {
      if (window.size() <= kLooksPerNew * (window.end - seen)) {
        value = extremeOf<isMax>(row_.values.subspan(window.begin, window.size()));
        return true;
      }
    }
    for (next_ = std::max(next_, window.begin); next_ < window.end; ++next_) push(next_);
    while (first_ < queue_.size() && queue_[first_] < window.begin) ++first_;
    const bool isEmpty = first_ == queue_.size();
    value = sideOf<side>(row_, isEmpty ? window.end - 1 : queue_[first_]);
    if (isEmpty) clear();
    return true;
  }

 private:
  void push(std::size_t place) {
    const double value = row_.values[place];
    if (std::isnan(value)) return;
    while (queue_.size() > first_ && gives(row_.values[queue_.back()], value)) queue_.pop_back();
    queue_.push_back(place);
  }
  // Whether the one before gives way.
  static bool gives(double before, double value) {
    if (side == SampleSide::kTime && before == value) return true;
    return isMax ? before < value : before > value;
  }
  void clear() {
    queue_.clear();
    first_ = 0;
  }

  const StepColumns row_;
  // Samples each of which is better than all behind it; NaN is worse than any number.
  std::vector<std::size_t> queue_;
  std::size_t first_ = 0;
  std::size_t next_ = 0;  // The first that was not looked at for the queue.
  std::size_t seen_ = 0;  // Where the last window ended.
};

// How often a sample and the one before it are such.
template <typename IsMet>
class Occurrences {
 public:
  explicit Occurrences(const StepColumns& row) : places_(row.values) {}
  bool operator()(const StepWindow& window, double& value) {
    value = static_cast<double>(places_.in(window).size());
    return true;
  }

 private:
  MetPlaces<IsMet> places_;
};

}  // namespace seriesdb
