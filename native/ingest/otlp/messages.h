// The parts of OpenTelemetry's metric messages that are read
// (opentelemetry/proto/metrics/v1/metrics.proto and common/v1/common.proto).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "common/base/bytes.h"
#include "common/protobuf/wire_reader.h"

namespace seriesdb {

enum class PointKind : std::uint8_t {
  kNone,  // The metric has no points, or points of a later version.
  kGauge,
  kSum,
  kHistogram,
  kExponentialHistogram,
  kSummary,
};

// False for points that need no temporality.
inline bool hasTemporality(PointKind kind) {
  return kind == PointKind::kSum || kind == PointKind::kHistogram ||
         kind == PointKind::kExponentialHistogram;
}

enum class Temporality : std::uint8_t { kUntold, kDelta, kCumulative };

struct SentMetric {
  std::string_view name;
  std::string_view description;
  std::string_view unit;
  PointKind kind = PointKind::kNone;
  Bytes data;                                      // The message with the points in field 1.
  Temporality temporality = Temporality::kUntold;  // Stays kUntold for gauges and summaries.
  bool isMonotonic = false;
};

// Reads a field of Metric or of its data. False (here and below) if the message is damaged. The
// results are views into it.
bool takeMetricField(const WireField& field, SentMetric& metric);
bool takeDataField(const WireField& field, SentMetric& metric);

struct SentQuantile {
  double quantile = 0;
  double value = 0;
};

// The union of all kinds of points.
struct SentPoint {
  std::vector<Bytes> attributes;  // Runs of one or more fields, each with its tag.
  std::uint64_t attributeCount = 0;
  std::uint64_t time = 0;  // Nanoseconds since 1970; 0 if absent.
  bool hasValue = false;
  bool isWhole = false;  // The value is `whole`.
  double value = 0;
  std::int64_t whole = 0;
  std::uint64_t count = 0;
  bool hasSum = false;
  double sum = 0;
  std::vector<std::uint64_t> bucketCounts;  // Counts of each bucket alone, not cumulative.
  std::vector<double> bounds;
  std::vector<SentQuantile> quantiles;
  std::uint64_t exemplarCount = 0;
  bool isStale = false;  // The point marks the end of the series.

  std::size_t memoryBytes() const {
    return attributes.capacity() * sizeof(Bytes) +
           (bucketCounts.capacity() + bounds.capacity()) * sizeof(double) +
           quantiles.capacity() * sizeof(SentQuantile);
  }
};

// Reuses the memory of `point`.
bool readPoint(PointKind kind, Bytes message, SentPoint& point);

struct SentAttribute {
  std::string_view key;
  Bytes value;  // An AnyValue.
};
bool readAttribute(Bytes message, SentAttribute& attribute);

}  // namespace seriesdb
