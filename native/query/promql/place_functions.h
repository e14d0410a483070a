// Functions that choose one sample of a window or count some.
#pragma once

#include <cmath>
#include <span>
#include <utility>

#include "query/promql/step_kernels.h"
#include "query/promql/step_window.h"

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
  // Fills the cells of windows that differ from this one by the stride, as Growth::makeAlike()
  // does. If a window ends with a stale marker, its cell is not counted and must be made again.
  std::size_t makeAlike(const StepWindow& window, WindowStride stride, StepCells cells) const {
    return eachAlike(row_, window, stride, {cells.values.size()},
                     [&](std::size_t place, std::size_t, std::size_t end) {
                       cells.values[place] = sideOf<side>(row_, end - 1);
                       cells.present[place] = 1;
                       return !isStale(row_.values[end - 1]);
                     });
  }

 private:
  const StepColumns row_;
};

// If samples are equal, the first gives the value and the last gives the time.
template <bool isMax, SampleSide side>
class Extreme {
 public:
  explicit Extreme(const StepColumns& row) : row_(row) {}

  bool operator()(const StepWindow& window, double& value) {
    const std::size_t seen = std::exchange(seen_, window.end);
    // If few samples are new, the queue is quicker; otherwise scanning the window is.
    constexpr std::size_t kLooksPerNew = 32;
    if constexpr (side == SampleSide::kValue) {
      if (window.size() <= kLooksPerNew * (window.end - seen)) {
        const auto values = row_.values.subspan(window.begin, window.size());
        value = isMax ? highestOf(values) : lowestOf(values);
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
  // True if the sample before leaves the queue.
  static bool gives(double before, double value) {
    if (side == SampleSide::kTime && before == value) return true;
    return isMax ? before < value : before > value;
  }
  void clear() {
    queue_.clear();
    first_ = 0;
  }

  const StepColumns row_;
  // Each sample in it is better than all behind it. NaN is never queued.
  std::vector<std::size_t> queue_;
  std::size_t first_ = 0;
  std::size_t next_ = 0;  // The first sample not yet considered for the queue.
  std::size_t seen_ = 0;  // The end of the last window.
};

// Counts the samples that meet a condition with the sample before.
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
