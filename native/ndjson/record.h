// What a parsed line means: the rules of an ingest record, telemetry or legacy.
#pragma once

#include <string>
#include <vector>

#include "index/series_index.h"
#include "model/identity.h"
#include "ndjson/ingest_parser.h"
#include "ndjson/line_parser.h"

namespace seriesdb {

struct RecordSample {
  std::string metric;
  double value;
  const char* token;  // Where the number stands in the line.
  bool isInexact;     // It was written as an integer that no double equals.
};

// Views point into the ParsedLine's texts.
struct Record {
  bool isLegacy = false;
  Timestamp ts = 0;
  const char* tsToken = nullptr;
  std::vector<Label> labels;  // Sorted by key.
  std::string labelsText;     // `|{…}`, the part that the identities of all samples share.
  std::vector<RecordSample> samples;  // In document order; at least one; distinct metrics.
  DescriptorView descriptor;          // Holds for every sample's metric.
};

// Checks everything that needs no index. The errors carry no line number; `out` is then undefined.
Status interpretLine(const ParsedLine& line, const IngestOptions& options, Record& out);

// False when the product does not fit. Division rounds towards minus infinity.
inline bool convertTimestamp(std::int64_t arrived, const TimestampConversion& conversion,
                             Timestamp& out) {
  if (__builtin_mul_overflow(arrived, conversion.multiply, &out)) return false;
  if (conversion.divide == 1) return true;
  const auto quotient = out / conversion.divide;
  out = quotient - (out % conversion.divide < 0 ? 1 : 0);
  return true;
}

}  // namespace seriesdb
