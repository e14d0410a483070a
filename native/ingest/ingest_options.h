// What a request of samples may have, and how its times are taken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/types/identity.h"
#include "common/types/sample.h"
#include "common/types/timestamp_unit.h"

namespace seriesdb {

struct IngestLimits {
  std::size_t lineSizeMax = 65536;
  std::size_t bodySizeMax = 64u << 20;  // Decompressed.
};

// What the cells of a column are.
enum class ColumnKind : std::uint8_t {
  kTime,
  kMetric,
  kValue,
  kLabel,
  kKind,  // This and the next two describe the metric of the row.
  kUnit,
  kDescription,
  kSkipped,
};

struct CsvColumn {
  ColumnKind kind = ColumnKind::kSkipped;
  std::string name;  // The key of a label; of a value its metric, or what follows that of the row.
};

// What OpenTelemetry's metrics become.
struct OtlpRules {
  bool escapesNames = false;  // As Prometheus does.
  bool storesDelta = false;   // As gauges.
  bool labelsScope = false;   // The instrumentation scope is said by labels.
  // Attributes of resources which are labels of their series; `*` is all.
  std::vector<std::string> resourceLabels;
  bool isJson = false;  // The body is in JSON, else in protobuf.
};

struct IngestOptions {
  IngestLimits limits;
  TimestampConversion conversion;
  bool isLenient = false;
  // Samples with a ts above this are kInvalidRecord. INT64_MAX = off.
  Timestamp tsMax = INT64_MAX;
  // The time of what comes without one, in the unit of arriving times.
  std::int64_t now = 0;
  // Of the database, for times that say their unit themselves.
  std::int64_t nanosPerUnit = 1'000'000;
  // Between a measurement and the name of a field.
  std::string separator = ".";
  // Of every series that has no label of that key.
  OwnedLabels labels;
  // Sorted by key. Every series gets these; what has one of them with another value is
  // kInvalidRecord.
  OwnedLabels required;
  // Of a table, in their order.
  std::vector<CsvColumn> columns;
  OtlpRules otlp;
  // Lines of the client's text that stand before what is parsed, and count in the numbers of lines.
  std::uint64_t linesBefore = 0;
};

}  // namespace seriesdb
