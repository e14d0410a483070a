#include "fold/aggregate_value.h"

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
      return cell.bounds.min;
    case AggregateKind::kMax:
      return cell.bounds.max;
    case AggregateKind::kStddev:
      return std::sqrt(cell.rare->squares / (count - 1));  // Of one row 0 / 0.
    case AggregateKind::kVariance:
      return cell.rare->squares / (count - 1);
    case AggregateKind::kFirst:
      return cell.first.value;
    case AggregateKind::kLast:
      return cell.last.value;
    case AggregateKind::kDelta:
    case AggregateKind::kIncrease:
      return cell.rare->increase.total();
    case AggregateKind::kRate:
      return cell.rare->rateCount == 0 ? std::numeric_limits<double>::quiet_NaN()
                                       : cell.rare->rate.total();
    case AggregateKind::kIntegral:
      return cell.rare->integral.total();
    default:
      return percentileOf(cell.rare->values, aggregate.quantile, goOn);
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
      return cell.rare->least.ts;
    case AggregateKind::kMaxTime:
      return cell.rare->greatest.ts;
    case AggregateKind::kCountDistinct:
      return countDistinct(cell.rare->values, goOn);
    default:
      return static_cast<std::int64_t>(cell.count);
  }
}

}  // namespace seriesdb
