#include "query/fold/group_cell.h"

#include <algorithm>

namespace seriesdb {

Needs Needs::of(const std::vector<AggregateColumn>& columns, std::uint32_t argument) {
  Needs needs;
  for (const AggregateColumn& column : columns) {
    if (column.argument != argument) continue;
    switch (column.kind) {
      case AggregateKind::kRows:
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

void GroupCell::addRun(const SampleRun& run, SeriesId series, bool isCounter, const Needs& needs,
                       std::int64_t unitsPerSecond) {
  nullCount += run.nullCount;
  if (run.count == 0) return;
  if (needs.sum) sum.add(run.sum);
  if (needs.minMax) addBounds(run.bounds);
  if (needs.edges) {
    addEdges({run.firstTs, series, run.firstValue}, {run.lastTs, series, run.lastValue});
  }
  if (needs.isRare()) addRareRun(run, series, isCounter, needs, unitsPerSecond);
  count += run.count;
}

void GroupCell::addRareRun(const SampleRun& run, SeriesId series, bool isCounter,
                           const Needs& needs, std::int64_t unitsPerSecond) {
  const bool isNew = rare == nullptr;
  if (isNew) rare = std::make_unique<RareParts>();
  if (needs.moments) moments().add(*run.moments);
  if (needs.extremes) {
    const Edge least{run.minTs, series, run.bounds.min};
    const Edge greatest{run.maxTs, series, run.bounds.max};
    if (isNew) {
      rare->least = least;
      rare->greatest = greatest;
    } else {
      widen(*rare, least, greatest);
    }
  }
  if (needs.perSeries) {
    const double gained = isCounter ? run.increase.total() : run.lastValue - run.firstValue;
    rare->increase.add(gained);
    if (run.count > 1) {
      const auto units = static_cast<double>(static_cast<std::uint64_t>(run.lastTs) -
                                             static_cast<std::uint64_t>(run.firstTs));
      rare->rate.add(gained / (units / static_cast<double>(unitsPerSecond)));
      ++rare->rateCount;
    }
    rare->integral.add(run.integral.total());
  }
  if (needs.values) {
    rare->values.insert(rare->values.end(), run.values.begin(), run.values.end());
  }
}

void GroupCell::addCell(GroupCell& other, const Needs& needs) {
  const std::uint64_t allNulls = nullCount + other.nullCount;
  if (count == 0) {
    const std::uint32_t ownGroup = group;
    *this = std::move(other);
    group = ownGroup;
  } else if (other.count > 0) {
    addValuesOf(other, needs);
  }
  nullCount = allNulls;
}

void GroupCell::addValuesOf(const GroupCell& other, const Needs& needs) {
  sum.add(other.sum);
  bounds.add(other.bounds);
  if (other.first.isBefore(first)) first = other.first;
  if (last.isBefore(other.last)) last = other.last;
  if (needs.isRare()) addRareCell(*other.rare, needs);
  count += other.count;
}

void GroupCell::addRareCell(const RareParts& other, const Needs& needs) {
  if (needs.moments) rare->moments->add(*other.moments);
  if (needs.extremes) widen(*rare, other.least, other.greatest);
  rare->increase.add(other.increase);
  rare->rate.add(other.rate);
  rare->rateCount += other.rateCount;
  rare->integral.add(other.integral);
  rare->values.insert(rare->values.end(), other.values.begin(), other.values.end());
}

}  // namespace seriesdb
