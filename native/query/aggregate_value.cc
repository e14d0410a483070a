#include "query/aggregate_value.h"

#include <cmath>
#include <limits>

namespace seriesdb {
namespace {

double finiteOrNull(double value) {
  return std::isfinite(value) ? value : std::numeric_limits<double>::quiet_NaN();
}

double anyDoubleOf(const AggregateColumn& aggregate, GroupCell& cell, const GoOn& goOn) {
  const auto count = static_cast<double>(cell.count);
  switch (aggregate.kind) {
    case AggregateKind::kSum:
      return cell.sum.total();
    case AggregateKind::kAvg:
      return cell.sum.total() / count;
    case AggregateKind::kMin:
      return cell.min;
    case AggregateKind::kMax:
      return cell.max;
    case AggregateKind::kStddev:
      return std::sqrt(cell.squares / (count - 1));  // Of one row 0 / 0.
    case AggregateKind::kVariance:
      return cell.squares / (count - 1);
    case AggregateKind::kFirst:
      return cell.first.value;
    case AggregateKind::kLast:
      return cell.last.value;
    case AggregateKind::kDelta:
    case AggregateKind::kIncrease:
      return cell.increase.total();
    case AggregateKind::kRate:
      return cell.rateCount == 0 ? std::numeric_limits<double>::quiet_NaN() : cell.rate.total();
    case AggregateKind::kIntegral:
      return cell.integral.total();
    default:
      return percentileOf(cell.values, aggregate.quantile, goOn);
  }
}

}  // namespace

double doubleOf(const AggregateColumn& aggregate, GroupCell& cell, const GoOn& goOn) {
  return finiteOrNull(anyDoubleOf(aggregate, cell, goOn));
}

bool isInteger(AggregateKind kind) {
  return kind == AggregateKind::kCount || kind == AggregateKind::kMinTime ||
         kind == AggregateKind::kMaxTime || kind == AggregateKind::kCountDistinct;
}

std::int64_t integerOf(const AggregateColumn& aggregate, GroupCell& cell, const GoOn& goOn) {
  switch (aggregate.kind) {
    case AggregateKind::kMinTime:
      return cell.least.ts;
    case AggregateKind::kMaxTime:
      return cell.greatest.ts;
    case AggregateKind::kCountDistinct:
      return countDistinct(cell.values, goOn);
    default:
      return static_cast<std::int64_t>(cell.count);
  }
}

}  // namespace seriesdb
