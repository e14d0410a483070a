// The messages of OpenTelemetry's metrics (opentelemetry/proto/metrics/v1/metrics.proto and
// common/v1/common.proto), as far as they are read.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "common/base/bytes.h"
#include "common/protobuf/wire_reader.h"

namespace seriesdb {

enum class PointKind : std::uint8_t {
  kNone,  // The metric has no points, or such as later versions have.
  kGauge,
  kSum,
  kHistogram,
  kExponentialHistogram,
  kSummary,
};

// Other points stand for themselves.
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
  Bytes data;  // The message whose field 1 the points are.
  Temporality temporality = Temporality::kUntold;  // Of gauges and summaries it is.
  bool isMonotonic = false;
};

// A field of the message Metric, and of its data. False (here and below) when the message is
// damaged. What is returned are views into it.
bool takeMetricField(const WireField& field, SentMetric& metric);
bool takeDataField(const WireField& field, SentMetric& metric);

struct SentQuantile {
  double quantile = 0;
  double value = 0;
};

// What points of all kinds have, each some of it.
struct SentPoint {
  std::vector<Bytes> attributes;  // Fields, each with its tag, one or several together.
  std::uint64_t attributeCount = 0;
  std::uint64_t time = 0;         // Nanoseconds of Unix; 0 is none.
  bool hasValue = false;
  bool isWhole = false;  // The value is `whole`.
  double value = 0;
  std::int64_t whole = 0;
  std::uint64_t count = 0;
  bool hasSum = false;
  double sum = 0;
  std::vector<std::uint64_t> bucketCounts;  // Each without those below it.
  std::vector<double> bounds;
  std::vector<SentQuantile> quantiles;
  std::uint64_t exemplarCount = 0;
  bool isStale = false;  // It says that there is no value any more.

  std::size_t memoryBytes() const {
    return attributes.capacity() * sizeof(Bytes) +
           (bucketCounts.capacity() + bounds.capacity()) * sizeof(double) +
           quantiles.capacity() * sizeof(SentQuantile);
  }
};

// Keeps the memory of what was read into `point` before.
bool readPoint(PointKind kind, Bytes message, SentPoint& point);

struct SentAttribute {
  std::string_view key;
  Bytes value;  // An AnyValue.
};
bool readAttribute(Bytes message, SentAttribute& attribute);

}  // namespace seriesdb
