#include "query/promql/fold_cells.h"

#include <cmath>
#include <limits>

#include "query/promql/neumaier_sum.h"
#include "query/promql/step_kernels.h"

namespace seriesdb {

namespace {

template <typename Counts>
bool hasZero(const Counts& counts) {
  unsigned isAny = 0;
  for (const auto one : counts) isAny |= one == 0 ? 1u : 0u;
  return isAny != 0;
}

}  // namespace

// Each operation adds a value to a cell that already has one; `begin` takes the first value.
struct FoldCells::Sum {
  static void begin(FoldCells& cells, std::size_t at, double value) { cells.values_[at] = value; }
  static void add(FoldCells& cells, std::size_t at, double value) {
    NeumaierSum sum{cells.values_[at], cells.rests_[at]};
    sum.add(value);
    cells.values_[at] = sum.sum;
    cells.rests_[at] = sum.rest;
    ++cells.counts_[at];
  }
};

struct FoldCells::Mean : Sum {
  static void add(FoldCells& cells, std::size_t at, double value) {
    Count& count = cells.counts_[at];
    const bool isMean = (count & kIsMean) != 0;
    ++count;
    RunningMean mean({cells.values_[at], cells.rests_[at]}, isMean);
    mean.add(value, static_cast<double>(count & ~kIsMean));
    cells.values_[at] = mean.parts().sum;
    cells.rests_[at] = mean.parts().rest;
    if (mean.isMean()) count |= kIsMean;
  }
};

template <bool isMax>
struct FoldCells::Extreme : Sum {
  static void add(FoldCells& cells, std::size_t at, double value) {
    double& most = cells.values_[at];
    if ((isMax ? most < value : most > value) || std::isnan(most)) most = value;
  }
};

struct FoldCells::Tally {
  static void begin(FoldCells&, std::size_t, double) {}
  static void add(FoldCells& cells, std::size_t at, double) { ++cells.counts_[at]; }
};

struct FoldCells::Variance {
  static double first(double value) {
    return std::isfinite(value) ? 0 : std::numeric_limits<double>::quiet_NaN();
  }
  static void begin(FoldCells& cells, std::size_t at, double value) {
    cells.values_[at] = first(value);
    cells.rests_[at] = value;
  }
  static void add(FoldCells& cells, std::size_t at, double value) {
    double& mean = cells.rests_[at];
    const double delta = value - mean;
    mean += delta / static_cast<double>(++cells.counts_[at]);
    cells.values_[at] += delta * (value - mean);
  }
};

bool FoldCells::hasRest(StepFold fold) {
  switch (fold) {
    case StepFold::kSum:
    case StepFold::kAvg:
    case StepFold::kStddev:
    case StepFold::kStdvar:
      return true;
    default:
      return false;
  }
}

FoldCells::FoldCells(StepFold fold, std::size_t groupCount, std::size_t stepCount)
    : fold_(fold),
      stepCount_(stepCount),
      values_(groupCount * stepCount),
      rests_(hasRest(fold) ? groupCount * stepCount : 0),
      counts_(groupCount * stepCount) {}

std::uint64_t FoldCells::bytesOf(StepFold fold, std::uint64_t cells) {
  return cells * (sizeof(double) * (hasRest(fold) ? 2 : 1) + sizeof(Count));
}

// Mostly every row has a value at every step, and every cell already has one.
void FoldCells::addSums(std::size_t at, StepCells row, std::size_t from, std::size_t to) {
  const std::size_t count = to - from;
  const auto counts = std::span(counts_).subspan(at + from, count);
  if (hasZero(row.present.subspan(from, count)) || hasZero(counts)) {
    return addEach<Sum>(at, row, from, to);
  }
  addToEach(std::span(values_).subspan(at + from, count),
            std::span(rests_).subspan(at + from, count), row.values.subspan(from, count));
  for (Count& one : counts) ++one;
}

template <typename Add>
void FoldCells::addEach(std::size_t at, StepCells row, std::size_t from, std::size_t to) {
  for (std::size_t step = from; step < to; ++step) {
    if (row.present[step] == 0) continue;
    const std::size_t cell = at + step;
    if (counts_[cell] == 0) {
      counts_[cell] = 1;
      Add::begin(*this, cell, row.values[step]);
    } else {
      Add::add(*this, cell, row.values[step]);
    }
  }
}

void FoldCells::add(std::size_t group, StepCells row, std::size_t from, std::size_t to) {
  const std::size_t at = group * stepCount_;
  switch (fold_) {
    case StepFold::kSum:
      return addSums(at, row, from, to);
    case StepFold::kAvg:
      return addEach<Mean>(at, row, from, to);
    case StepFold::kMin:
      return addEach<Extreme<false>>(at, row, from, to);
    case StepFold::kMax:
      return addEach<Extreme<true>>(at, row, from, to);
    case StepFold::kCount:
    case StepFold::kGroup:
      return addEach<Tally>(at, row, from, to);
    case StepFold::kStddev:
    case StepFold::kStdvar:
      return addEach<Variance>(at, row, from, to);
  }
}

void FoldCells::finishAlone(StepFold fold, StepCells row) {
  const auto replace = [row](auto resultOf) {
    for (std::size_t step = 0; step < row.values.size(); ++step) {
      if (row.present[step] != 0) row.values[step] = resultOf(row.values[step]);
    }
  };
  switch (fold) {
    case StepFold::kSum:
    case StepFold::kAvg:
      // A single value has no rounding error. Adding 0.0 turns -0 into 0, as a sum from 0 does.
      for (double& value : row.values) value += 0.0;
      return;
    case StepFold::kCount:
    case StepFold::kGroup:
      return replace([](double) { return 1.0; });
    case StepFold::kStddev:
    case StepFold::kStdvar:
      return replace([](double value) { return Variance::first(value); });
    case StepFold::kMin:
    case StepFold::kMax:
      return;
  }
}

void FoldCells::finish(std::size_t group, StepCells row) const {
  for (std::size_t step = 0; step < stepCount_; ++step) {
    const std::size_t cell = group * stepCount_ + step;
    row.present[step] = counts_[cell] == 0 ? 0 : 1;
    row.values[step] = counts_[cell] == 0 ? 0 : resultOf(cell);
  }
}

double FoldCells::resultOf(std::size_t cell) const {
  const auto count = static_cast<double>(counts_[cell] & ~kIsMean);
  switch (fold_) {
    case StepFold::kSum:
      return values_[cell] + rests_[cell];
    case StepFold::kAvg:
      return RunningMean({values_[cell], rests_[cell]}, (counts_[cell] & kIsMean) != 0).of(count);
    case StepFold::kCount:
      return count;
    case StepFold::kGroup:
      return 1;
    case StepFold::kStdvar:
      return values_[cell] / count;
    case StepFold::kStddev:
      return std::sqrt(values_[cell] / count);
    default:
      return values_[cell];
  }
}

}  // namespace seriesdb
