#include "query/promql/row_maker.h"

#include <cmath>

#include "query/promql/place_functions.h"
#include "query/promql/rate_functions.h"
#include "query/promql/sum_functions.h"

namespace seriesdb {

Status RowMaker::make(StepSamples& samples, StepCells cells, bool& isAny) {
  if (!seesStale(plan_.function)) samples.dropStale();
  const StepColumns row = samples.columns();
  isAny_ = false;
  Status made = isIncremental(plan_.function) ? makeIncremental(row, cells) : makeWhole(row, cells);
  isAny = isAny_;
  return made;
}

template <typename Function>
Status RowMaker::each(const StepColumns& row, StepCells cells, Function function) {
  constexpr std::size_t kStepsOfSpend = 1024;
  StepWindow window{0, 0, 0, plan_.grid.at(0), plan_.after(), plan_.after() + plan_.window};
  WindowEnd begin(row.ms);
  WindowEnd end(row.ms);
  const std::int64_t step = plan_.grid.step;
  while (window.step < plan_.grid.count) {
    window.end = end.moveTo(window.until);
    window.begin = begin.moveTo(window.after);
    double value = 0;
    const bool isThere = window.begin < window.end && function(window, value);
    cells.present[window.step] = isThere ? 1 : 0;
    cells.values[window.step] = isThere ? value : 0;
    isAny_ = isAny_ || isThere;
    std::size_t work = window.step % kStepsOfSpend == 0 ? kStepsOfSpend : 0;
    if constexpr (requires { function.makeAlike(window, WindowStride{}, cells); }) {
      if (isThere && begin.stride() == end.stride()) {
        const WindowStride stride{end.stride(), step};
        const std::size_t made = function.makeAlike(window, stride, cells.from(window.step + 1));
        begin.skipTo(window.begin + made * stride.samples);
        end.skipTo(window.end + made * stride.samples);
        window.move(made, static_cast<std::int64_t>(made) * step);
        work += made;
      }
    }
    window.move(1, step);
    if (work == 0) continue;
    Status allowed = brake_.spend(work);
    if (!allowed.ok()) return allowed;
  }
  return Status::okStatus();
}

// Runs a function that reads all values of each window of at least `sizeMin` samples. Such
// functions are slow, so each call spends brake work.
template <typename OfWindow>
Status RowMaker::eachWhole(const StepColumns& row, StepCells cells, std::size_t sizeMin,
                           OfWindow ofWindow) {
  Status allowed;
  const Status made = each(row, cells, [&](const StepWindow& window, double& value) {
    if (window.size() < sizeMin || !allowed.ok()) return false;
    value = ofWindow(window);
    allowed = brake_.spend(window.size());
    return true;
  });
  return allowed.ok() ? made : allowed;
}

Status RowMaker::makeIncremental(const StepColumns& row, StepCells cells) {
  constexpr auto kValue = SampleSide::kValue;
  constexpr auto kTime = SampleSide::kTime;
  switch (plan_.function) {
    case StepFunction::kRate:
      return each(row, cells, Growth<true, true>(row));
    case StepFunction::kIncrease:
      return each(row, cells, Growth<true, false>(row));
    case StepFunction::kDelta:
      return each(row, cells, Growth<false, false>(row));
    case StepFunction::kIrate:
      return each(row, cells, LastStep<true>(row));
    case StepFunction::kIdelta:
      return each(row, cells, LastStep<false>(row));
    case StepFunction::kMin:
      return each(row, cells, Extreme<false, kValue>(row));
    case StepFunction::kMax:
      return each(row, cells, Extreme<true, kValue>(row));
    case StepFunction::kTimeOfMin:
      return each(row, cells, Extreme<false, kTime>(row));
    case StepFunction::kTimeOfMax:
      return each(row, cells, Extreme<true, kTime>(row));
    case StepFunction::kChanges:
      return each(row, cells, Occurrences<IsChange>(row));
    case StepFunction::kResets:
      return each(row, cells, Occurrences<IsReset>(row));
    default:
      return makePlain(row, cells);
  }
}

Status RowMaker::makePlain(const StepColumns& row, StepCells cells) {
  switch (plan_.function) {
    case StepFunction::kLastTime:
    case StepFunction::kTimeOfLast:
      return each(row, cells, LastSample<SampleSide::kTime>(row));
    case StepFunction::kCount:
      return each(row, cells, [](const StepWindow& window, double& value) {
        value = static_cast<double>(window.size());
        return true;
      });
    case StepFunction::kPresent:
      return each(row, cells, [](const StepWindow&, double& value) {
        value = 1;
        return true;
      });
    default:
      return each(row, cells, LastSample<SampleSide::kValue>(row));
  }
}

Status RowMaker::makeWhole(const StepColumns& row, StepCells cells) {
  const auto valuesIn = [&row](const StepWindow& window) {
    return row.values.subspan(window.begin, window.size());
  };
  switch (plan_.function) {
    case StepFunction::kSum:
      return eachWhole(row, cells, 1, [&](const StepWindow& one) { return sumOf(valuesIn(one)); });
    case StepFunction::kAvg:
      return eachWhole(row, cells, 1, [&](const StepWindow& one) { return meanOf(valuesIn(one)); });
    case StepFunction::kStdvar:
      return eachWhole(row, cells, 1,
                       [&](const StepWindow& one) { return varianceOf(valuesIn(one)); });
    case StepFunction::kStddev:
      return eachWhole(row, cells, 1,
                       [&](const StepWindow& one) { return std::sqrt(varianceOf(valuesIn(one))); });
    case StepFunction::kQuantile:
    case StepFunction::kMad:
      return makeOrdered(row, cells);
    default:
      return makeLinear(row, cells);
  }
}

Status RowMaker::makeOrdered(const StepColumns& row, StepCells cells) {
  if (plan_.function == StepFunction::kMad) {
    return eachWhole(row, cells, 1,
                     [&](const StepWindow& one) { return medianDeviationOf(copyOf(row, one)); });
  }
  const StepArgument quantile(plan_.arguments[0]);
  return eachWhole(row, cells, 1, [&](const StepWindow& one) {
    return quantileOf(quantile.at(one.step), copyOf(row, one));
  });
}

Status RowMaker::makeLinear(const StepColumns& row, StepCells cells) {
  const auto line = [&row](const StepWindow& window, std::int64_t at) {
    return lineThrough(row.ms.subspan(window.begin, window.size()),
                       row.values.subspan(window.begin, window.size()), at);
  };
  if (plan_.function == StepFunction::kDeriv) {
    return eachWhole(row, cells, 2,
                     [&](const StepWindow& one) { return line(one, row.ms[one.begin]).slope; });
  }
  const StepArgument first(plan_.arguments[0]);
  if (plan_.function == StepFunction::kPredictLinear) {
    return eachWhole(row, cells, 2, [&](const StepWindow& one) {
      const Line through = line(one, one.at);
      return through.slope * first.at(one.step) + through.value;
    });
  }
  const StepArgument second(plan_.arguments[1]);
  return eachWhole(row, cells, 2, [&](const StepWindow& one) {
    const auto values = row.values.subspan(one.begin, one.size());
    return smoothed(values, first.at(one.step), second.at(one.step));
  });
}

std::span<double> RowMaker::copyOf(const StepColumns& row, const StepWindow& window) {
  scratch_.assign(row.values.begin() + static_cast<std::ptrdiff_t>(window.begin),
                  row.values.begin() + static_cast<std::ptrdiff_t>(window.end));
  return scratch_;
}

}  // namespace seriesdb
