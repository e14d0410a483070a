// The limits of an ingest request, and the interpretation of its times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/types/identity.h"
#include "common/types/sample.h"
#include "common/types/timestamp_unit.h"

namespace seriesdb {

struct IngestLimits {
  std::size_t lineSizeMax = 65536;
  std::size_t bodySizeMax = 64u << 20;  // In bytes, decompressed.
};

// The content of a column's cells.
enum class ColumnKind : std::uint8_t {
  kTime,
  kMetric,
  kValue,
  kLabel,
  kKind,  // This and the next two describe the row's metric.
  kUnit,
  kDescription,
  kSkipped,
  kEmpty,  // Every cell must be empty or blank.
};

// Text of a table that is skipped if it is blank. Other blank text makes its row invalid.
enum class SkippedBlanks : std::uint8_t {
  kAll,     // Lines, and cells of values.
  kValues,  // Cells of values. A line without any character is still skipped.
  kNone,    // Only what has no character at all, and no quotes.
};

struct CsvColumn {
  ColumnKind kind = ColumnKind::kSkipped;
  // For a label, its key. For a value, its metric, or the suffix of the row's metric.
  std::string name;
};

// The conversion of OpenTelemetry metrics.
struct OtlpRules {
  bool escapesNames = false;  // Escapes names as Prometheus does.
  bool storesDelta = false;   // Stores delta metrics as gauges.
  bool labelsScope = false;   // Adds labels of the instrumentation scope.
  // Resource attributes that become labels of their series; `*` means all.
  std::vector<std::string> resourceLabels;
};

struct IngestOptions {
  IngestLimits limits;
  TimestampConversion conversion;
  bool isLenient = false;
  // Samples with a ts above this are kInvalidRecord. INT64_MAX = off.
  Timestamp tsMax = INT64_MAX;
  // The time of samples without one, in the unit of arriving times.
  std::int64_t now = 0;
  // The database's unit, for times that carry their own unit.
  std::int64_t nanosPerUnit = 1'000'000;
  // The time of lines of line protocol without one, in the database's unit; absent: `now`.
  std::optional<Timestamp> at;
  // Joins a measurement and a field name.
  std::string separator = ".";
  // Added to each series that has no label with the same key.
  OwnedLabels labels;
  // Sorted by key. Every series gets these labels. A series with another value of such a key is
  // kInvalidRecord.
  OwnedLabels required;
  // The columns of a table, in their order.
  std::vector<CsvColumn> columns;
  SkippedBlanks skippedBlanks = SkippedBlanks::kAll;
  OtlpRules otlp;
  // Lines of the client's text before the parsed text; they count in line numbers.
  std::uint64_t linesBefore = 0;
};

}  // namespace seriesdb
