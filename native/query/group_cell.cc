#include "query/group_cell.h"

#include <algorithm>

namespace seriesdb {

Needs Needs::of(const std::vector<AggregateColumn>& columns, std::uint32_t argument) {
  Needs needs;
  for (const AggregateColumn& column : columns) {
    if (column.argument != argument) continue;
    switch (column.kind) {
      case AggregateKind::kCount:
        break;
      case AggregateKind::kSum:
      case AggregateKind::kAvg:
        needs.sum = true;
        break;
      case AggregateKind::kMin:
      case AggregateKind::kMax:
        needs.minMax = true;
        break;
      case AggregateKind::kStddev:
      case AggregateKind::kVariance:
        needs.moments = true;
        break;
      case AggregateKind::kFirst:
      case AggregateKind::kLast:
        needs.edges = true;
        break;
      case AggregateKind::kMinTime:
      case AggregateKind::kMaxTime:
        needs.minMax = needs.extremes = true;
        break;
      case AggregateKind::kDelta:
      case AggregateKind::kIncrease:
      case AggregateKind::kRate:
        needs.perSeries = needs.edges = needs.increase = true;
        break;
      case AggregateKind::kIntegral:
        needs.perSeries = needs.edges = needs.integral = true;
        break;
      case AggregateKind::kPercentile:
      case AggregateKind::kCountDistinct:
        needs.values = true;
        break;
    }
  }
  return needs;
}

void SampleRun::clear() {
  std::vector<double> kept = std::move(values);
  kept.clear();
  *this = SampleRun{};
  values = std::move(kept);
}

void GroupCell::widen(const Edge& otherLeast, const Edge& otherGreatest) {
  if (otherLeast.value < least.value ||
      (otherLeast.value == least.value && otherLeast.isBefore(least))) {
    least = otherLeast;
  }
  if (otherGreatest.value > greatest.value ||
      (otherGreatest.value == greatest.value && otherGreatest.isBefore(greatest))) {
    greatest = otherGreatest;
  }
}

void GroupCell::addRun(const SampleRun& run, SeriesId series, bool isCounter, const Needs& needs,
                       std::int64_t unitsPerSecond) {
  const bool isNew = count == 0;
  if (needs.sum) sum.add(run.sum);
  if (needs.minMax) {
    min = isNew ? run.min : std::min(min, run.min);
    max = isNew ? run.max : std::max(max, run.max);
  }
  if (needs.moments) addMoments(*this, {run.count, run.mean, run.squares});
  if (needs.edges) {
    const Edge runFirst{run.firstTs, series, run.firstValue};
    const Edge runLast{run.lastTs, series, run.lastValue};
    if (isNew || runFirst.isBefore(first)) first = runFirst;
    if (isNew || last.isBefore(runLast)) last = runLast;
  }
  if (needs.extremes) {
    const Edge runLeast{run.minTs, series, run.min};
    const Edge runGreatest{run.maxTs, series, run.max};
    if (isNew) {
      least = runLeast;
      greatest = runGreatest;
    } else {
      widen(runLeast, runGreatest);
    }
  }
  if (needs.perSeries) {
    const double gained = isCounter ? run.increase : run.lastValue - run.firstValue;
    increase.add(gained);
    if (run.count > 1) {
      const auto units = static_cast<double>(static_cast<std::uint64_t>(run.lastTs) -
                                             static_cast<std::uint64_t>(run.firstTs));
      rate.add(gained / (units / static_cast<double>(unitsPerSecond)));
      ++rateCount;
    }
    integral.add(run.integral.total());
  }
  if (needs.values) values.insert(values.end(), run.values.begin(), run.values.end());
  count += run.count;
}

void GroupCell::addCell(GroupCell& other, const Needs& needs) {
  if (count == 0) {
    const std::uint32_t ownGroup = group;
    *this = std::move(other);
    group = ownGroup;
    return;
  }
  sum.add(other.sum);
  min = std::min(min, other.min);
  max = std::max(max, other.max);
  if (needs.moments) addMoments(*this, {other.count, other.mean, other.squares});
  if (other.first.isBefore(first)) first = other.first;
  if (last.isBefore(other.last)) last = other.last;
  if (needs.extremes) widen(other.least, other.greatest);
  increase.add(other.increase);
  rate.add(other.rate);
  rateCount += other.rateCount;
  integral.add(other.integral);
  values.insert(values.end(), other.values.begin(), other.values.end());
  count += other.count;
}

}  // namespace seriesdb
