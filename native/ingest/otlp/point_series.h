// The series of a point: one, or the series that Prometheus uses for a histogram or summary. All
// functions use the same order.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/status.h"
#include "ingest/otlp/messages.h"

namespace seriesdb {

struct PointSeries {
  std::string_view suffix;  // Appended to the metric's name.
  std::string_view key;     // The key of an additional label; empty if there is none.
  std::string value;
};

// kInvalidRecord for a point without a value, with too many attributes, or with inconsistent parts.
Status checkPoint(PointKind kind, const SentPoint& point);

// The number of series that listPointSeries() gives.
std::size_t pointSeriesCount(PointKind kind, const SentPoint& point);

// Both replace the previous content. Buckets are cumulative; a point without a value has stale
// markers. REQUIRES: checkPoint() accepted the point.
void listPointSeries(PointKind kind, const SentPoint& point, std::vector<PointSeries>& series);
void listPointValues(PointKind kind, const SentPoint& point, std::vector<double>& values);

// The number of these values that were sent as integers which no double represents.
std::uint64_t inexactCountOf(PointKind kind, const SentPoint& point);

// Appends everything else that listPointSeries() depends on.
void appendShape(PointKind kind, const SentPoint& point, std::string& out);

}  // namespace seriesdb
