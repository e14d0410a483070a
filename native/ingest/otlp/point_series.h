// The series that a point has samples of: one, or those of a histogram or summary as Prometheus has
// them. They are in one order wherever they are listed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/status.h"
#include "ingest/otlp/messages.h"

namespace seriesdb {

struct PointSeries {
  std::string_view suffix;  // Of the name, behind that of the metric.
  std::string_view key;     // Of a label beside those of the point; empty: none.
  std::string value;
};

// kInvalidRecord for a point that has no value, has too many attributes, or whose parts do not fit
// each other.
Status checkPoint(PointKind kind, const SentPoint& point);

// How many listPointSeries() lists.
std::size_t pointSeriesCount(PointKind kind, const SentPoint& point);

// REQUIRES (both): checkPoint() took it. They replace what was there. Buckets have what is below
// them, too; a point without a value has stale markers.
void listPointSeries(PointKind kind, const SentPoint& point, std::vector<PointSeries>& series);
void listPointValues(PointKind kind, const SentPoint& point, std::vector<double>& values);

// Of these values, those that were sent as integers which no double equals.
std::uint64_t inexactCountOf(PointKind kind, const SentPoint& point);

// Appends what listPointSeries() depends on.
void appendShape(PointKind kind, const SentPoint& point, std::string& out);

}  // namespace seriesdb
