#include "query/fold/aggregate_value.h"

#include <cmath>
#include <limits>

namespace seriesdb {
namespace {

constexpr double kNull = std::numeric_limits<double>::quiet_NaN();

bool isTime(AggregateKind kind) {
  return kind == AggregateKind::kMinTime || kind == AggregateKind::kMaxTime;
}

// Both REQUIRE a cell with values.
double doubleOf(const AggregateColumn& aggregate, GroupCell& cell, const GoOn& goOn) {
  const auto count = static_cast<double>(cell.count);
  switch (aggregate.kind) {
    case AggregateKind::kSum:
      return cell.sum.total();
    case AggregateKind::kAvg:
      return cell.sum.total() / count;
    case AggregateKind::kMin:
      return cell.bounds.min;
    case AggregateKind::kMax:
      return cell.bounds.max;
    case AggregateKind::kStddev:
      return std::sqrt(cell.moments().variance(cell.count));
    case AggregateKind::kVariance:
      return cell.moments().variance(cell.count);
    case AggregateKind::kFirst:
      return cell.first.value;
    case AggregateKind::kLast:
      return cell.last.value;
    case AggregateKind::kDelta:
    case AggregateKind::kIncrease:
      return cell.rare->increase.total();
    case AggregateKind::kRate:
      return cell.rare->rateCount == 0 ? kNull : cell.rare->rate.total();
    case AggregateKind::kIntegral:
      return cell.rare->integral.total();
    default:
      return percentileOf(cell.rare->values, aggregate.quantile, goOn);
  }
}

std::int64_t integerOf(const AggregateColumn& aggregate, GroupCell& cell, const GoOn& goOn) {
  switch (aggregate.kind) {
    case AggregateKind::kMinTime:
      return cell.rare->least.ts;
    case AggregateKind::kMaxTime:
      return cell.rare->greatest.ts;
    case AggregateKind::kCountDistinct:
      return countDistinct(cell.rare->values, goOn);
    default:
      return static_cast<std::int64_t>(cell.count);
  }
}

}  // namespace

bool isInteger(AggregateKind kind) {
  return kind == AggregateKind::kRows || kind == AggregateKind::kCount || isTime(kind) ||
         kind == AggregateKind::kCountDistinct;
}

void appendValue(ResultColumn& column, const AggregateColumn& aggregate, GroupCell* cell,
                 const GoOn& goOn) {
  const bool hasValues = cell != nullptr && cell->count > 0;
  if (!isInteger(aggregate.kind)) {
    const double value = hasValues ? doubleOf(aggregate, *cell, goOn) : kNull;
    column.doubles.push_back(std::isfinite(value) ? value : kNull);
    return;
  }
  std::int64_t value = hasValues ? integerOf(aggregate, *cell, goOn) : 0;
  if (aggregate.kind == AggregateKind::kRows && cell != nullptr) {
    value = static_cast<std::int64_t>(cell->count + cell->nullCount);
  }
  column.integers.push_back(value);
  if (isTime(aggregate.kind)) column.nulls.push_back(hasValues ? 0 : 1);
}

}  // namespace seriesdb
