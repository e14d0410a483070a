#include "query/aggregate_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "common/types/wide.h"

namespace seriesdb::test {
namespace {

// Computes one number per series and sums them; NaN if no series has one.
template <typename Fold>
double perSeries(const std::vector<ModelRow>& rows, Fold fold) {
  std::map<std::size_t, std::vector<ModelRow>> series;
  for (const ModelRow& row : rows) series[row.place].push_back(row);
  double sum = 0;
  bool hasAny = false;
  for (const auto& [place, own] : series) {
    const double one = fold(place, own);
    if (std::isnan(one)) continue;
    sum += one;
    hasAny = true;
  }
  return hasAny ? sum : static_cast<double>(NAN);
}

double gainOf(const std::vector<ModelRow>& rows, bool isCounter) {
  if (!isCounter) return rows.back().value - rows.front().value;
  double sum = 0;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const double distance = rows[i].value - rows[i - 1].value;
    sum += distance < 0 ? rows[i].value : distance;
  }
  return sum;
}

double seconds(const ModelRow& from, const ModelRow& to) {
  // Exact even if the times lie far from zero.
  const auto units = static_cast<std::uint64_t>(to.ts) - static_cast<std::uint64_t>(from.ts);
  return static_cast<double>(units) / 1000;
}

// The first time with this value.
double timeOf(const std::vector<ModelRow>& rows, double value) {
  for (const ModelRow& row : rows) {
    if (row.value == value) return static_cast<double>(row.ts);
  }
  return NAN;
}

// Exact, in half eighths of value times milliseconds. The parts reach 2^64 times a value if times
// lie at both ends of int64, and may cancel to nothing. So the tolerance depends on the size of the
// parts, not of the result. Each part is rounded three times: its time as a double, in seconds, and
// times the value; then the sums of each run and of all runs. That makes five half epsilons, and
// another half for the omitted remainders of sums.
ModelAnswer integralOf(const std::vector<ModelRow>& rows) {
  constexpr double kPerUnit = 16 * 1000;
  const auto eighths = [](const ModelRow& row) { return static_cast<Wide>(row.value * 8); };
  std::map<std::size_t, const ModelRow*> lastOf;
  Wide area = 0;
  double size = 0;
  for (const ModelRow& row : rows) {
    const ModelRow*& last = lastOf[row.place];
    if (last != nullptr) {
      const Wide part = (eighths(*last) + eighths(row)) * (Wide{row.ts} - last->ts);
      area += part;
      size += std::fabs(static_cast<double>(part));
    }
    last = &row;
  }
  return {static_cast<double>(area) / kPerUnit,
          3 * std::numeric_limits<double>::epsilon() * (size / kPerUnit)};
}

// REQUIRES: there are rows, and none is null.
ModelAnswer foldOf(const AggregateColumn& column, const std::vector<ModelRow>& rows,
                   const std::vector<bool>& isCounter) {
  const auto n = static_cast<double>(rows.size());
  std::vector<double> values;
  for (const ModelRow& row : rows) values.push_back(row.value);
  std::sort(values.begin(), values.end());
  double sum = 0;
  double squares = 0;
  for (const ModelRow& row : rows) sum += row.value;
  for (const ModelRow& row : rows) squares += (row.value - sum / n) * (row.value - sum / n);
  const auto gain = [&isCounter](std::size_t place, const std::vector<ModelRow>& own) {
    return gainOf(own, isCounter[place]);
  };
  switch (column.kind) {
    case AggregateKind::kRows:
    case AggregateKind::kCount:
      return n;
    case AggregateKind::kSum:
      return sum;
    case AggregateKind::kAvg:
      return sum / n;
    case AggregateKind::kMin:
      return values.front();
    case AggregateKind::kMax:
      return values.back();
    case AggregateKind::kStddev:
      return std::sqrt(squares / (n - 1));
    case AggregateKind::kVariance:
      return squares / (n - 1);
    case AggregateKind::kFirst:
      return rows.front().value;
    case AggregateKind::kLast:
      return rows.back().value;
    case AggregateKind::kMinTime:
      return timeOf(rows, values.front());
    case AggregateKind::kMaxTime:
      return timeOf(rows, values.back());
    case AggregateKind::kDelta:
    case AggregateKind::kIncrease:
      return perSeries(rows, gain);
    case AggregateKind::kRate:
      return perSeries(rows, [&gain](std::size_t place, const std::vector<ModelRow>& own) {
        return own.size() == 1 ? static_cast<double>(NAN)
                               : gain(place, own) / seconds(own.front(), own.back());
      });
    case AggregateKind::kIntegral:
      return integralOf(rows);
    case AggregateKind::kCountDistinct:
      return static_cast<double>(std::unique(values.begin(), values.end()) - values.begin());
    case AggregateKind::kPercentile: {
      const double rank = column.quantile * (n - 1);
      const double low = std::floor(rank);
      const double at = values[static_cast<std::size_t>(low)];
      const double next = values[std::min(values.size() - 1, static_cast<std::size_t>(low) + 1)];
      return at + (next - at) * (rank - low);
    }
  }
  return NAN;
}

}  // namespace

ModelAnswer expectedOf(const AggregateColumn& column, const std::vector<ModelRow>& rows,
                       const std::vector<bool>& isCounter) {
  if (column.kind == AggregateKind::kRows) return static_cast<double>(rows.size());
  std::vector<ModelRow> known = rows;
  std::erase_if(known, [](const ModelRow& row) { return std::isnan(row.value); });
  if (!known.empty()) return foldOf(column, known, isCounter);
  const bool isCount =
      column.kind == AggregateKind::kCount || column.kind == AggregateKind::kCountDistinct;
  return isCount ? 0 : static_cast<double>(NAN);
}

}  // namespace seriesdb::test
