#include "ingest/otlp/point_series.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "common/types/stale_marker.h"
#include "ingest/record.h"
#include "ingest/sent_labels.h"

namespace seriesdb {
namespace {

// Each quantile is a series.
constexpr std::size_t kQuantilesMax = 8192;

bool isNumber(PointKind kind) { return kind == PointKind::kGauge || kind == PointKind::kSum; }

// Without an exponent, as Prometheus writes bounds and quantiles.
std::string plainText(double value) {
  char text[400];
  return {text, std::to_chars(text, text + sizeof text, value, std::chars_format::fixed).ptr};
}

Status checkBuckets(const SentPoint& point) {
  const auto& bounds = point.bounds;
  if (!std::ranges::all_of(bounds, [](double bound) { return std::isfinite(bound); })) {
    return invalidRecord("the histogram has a bound that is not a finite number");
  }
  const bool isIncreasing =
      std::ranges::adjacent_find(bounds, std::ranges::greater_equal()) == bounds.end();
  if (!isIncreasing) return invalidRecord("the bounds of the histogram do not increase");
  const std::size_t count = point.bucketCounts.size();
  const bool fits = count == bounds.size() + 1 || (count == 0 && (bounds.empty() || point.isStale));
  if (fits) return {};
  return invalidRecord("the histogram has " + std::to_string(count) + " buckets for " +
                       std::to_string(bounds.size()) + " bounds");
}

Status checkQuantiles(const SentPoint& point) {
  // Checked before the sort.
  if (point.quantiles.size() > kQuantilesMax) {
    return invalidRecord("the summary has " + std::to_string(point.quantiles.size()) +
                         " quantiles; at most " + std::to_string(kQuantilesMax) + " are read");
  }
  std::vector<double> sorted;
  sorted.reserve(point.quantiles.size());
  for (const SentQuantile& one : point.quantiles) {
    if (!(one.quantile >= 0 && one.quantile <= 1)) {
      return invalidRecord("the summary has a quantile outside 0 to 1");
    }
    sorted.push_back(one.quantile);
  }
  std::ranges::sort(sorted);
  const bool isTwice = std::ranges::adjacent_find(sorted) != sorted.end();
  return isTwice ? invalidRecord("the summary has the same quantile twice") : Status();
}

bool isInexact(std::uint64_t whole) {
  constexpr std::uint64_t kExactMax = std::uint64_t{1} << 53;
  return whole > kExactMax && static_cast<double>(whole) < 0x1p64 &&
         static_cast<std::uint64_t>(static_cast<double>(whole)) != whole;
}

void appendBuckets(const SentPoint& point, std::vector<double>& values) {
  std::uint64_t below = 0;
  for (std::size_t i = 0; i < point.bounds.size(); ++i) {
    if (!point.bucketCounts.empty()) below += point.bucketCounts[i];
    values.push_back(static_cast<double>(below));
  }
  values.push_back(static_cast<double>(point.count));
}

void appendBits(double value, std::string& out) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace

Status checkPoint(PointKind kind, const SentPoint& point) {
  if (point.time == 0) return invalidRecord("the point has no time");
  if (const Status fits = checkSentCount(point.attributeCount); !fits.ok()) return fits;
  if (kind == PointKind::kHistogram) return checkBuckets(point);
  if (kind == PointKind::kSummary) return checkQuantiles(point);
  if (!isNumber(kind) || point.hasValue || point.isStale) return {};
  return invalidRecord("the point has no value");
}

std::size_t pointSeriesCount(PointKind kind, const SentPoint& point) {
  if (isNumber(kind)) return 1;
  const std::size_t buckets = kind == PointKind::kHistogram ? point.bounds.size() + 1 : 0;
  return buckets + point.quantiles.size() + (point.hasSum ? 2 : 1);
}

void listPointSeries(PointKind kind, const SentPoint& point, std::vector<PointSeries>& series) {
  series.clear();
  if (isNumber(kind)) return void(series.emplace_back());
  if (kind == PointKind::kHistogram) {
    for (const double bound : point.bounds) series.push_back({"_bucket", "le", plainText(bound)});
    series.push_back({"_bucket", "le", "+Inf"});
  }
  for (const SentQuantile& one : point.quantiles) {
    series.push_back({"", "quantile", plainText(one.quantile)});
  }
  series.push_back({"_count", "", ""});
  if (point.hasSum) series.push_back({"_sum", "", ""});
}

void listPointValues(PointKind kind, const SentPoint& point, std::vector<double>& values) {
  values.clear();
  if (isNumber(kind)) {
    values.push_back(point.isWhole ? static_cast<double>(point.whole) : point.value);
  } else {
    if (kind == PointKind::kHistogram) appendBuckets(point, values);
    for (const SentQuantile& one : point.quantiles) values.push_back(one.value);
    values.push_back(static_cast<double>(point.count));
    if (point.hasSum) values.push_back(point.sum);
  }
  if (point.isStale) std::ranges::fill(values, std::bit_cast<double>(kStaleBits));
}

std::uint64_t inexactCountOf(PointKind kind, const SentPoint& point) {
  if (point.isStale) return 0;
  if (!isNumber(kind)) return isInexact(point.count) ? 1 : 0;
  if (!point.isWhole) return 0;
  const auto size = static_cast<std::uint64_t>(point.whole);
  return isInexact(point.whole < 0 ? 0 - size : size) ? 1 : 0;
}

void appendShape(PointKind kind, const SentPoint& point, std::string& out) {
  if (isNumber(kind)) return;
  out += point.hasSum ? '1' : '0';
  for (const double bound : point.bounds) appendBits(bound, out);
  for (const SentQuantile& one : point.quantiles) appendBits(one.quantile, out);
}

}  // namespace seriesdb
