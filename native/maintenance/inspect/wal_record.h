// The content of one WAL record in numbers; the record is not applied.
#pragma once

#include <cstdint>

#include "common/base/status.h"
#include "common/types/sample.h"
#include "format/log/log_file.h"

namespace seriesdb {

struct WalRecordFacts {
  const char* kind = "";  // "samples", "annotation", "deletion", "begin", "continued", "closed".
  std::uint64_t newSeries = 0;
  std::uint64_t series = 0;  // The number of series that a deletion names.
  std::uint64_t samples = 0;
  // The times of samples, a deletion or an annotation; empty (end before start) for other records.
  TimeRange range{INT64_MAX, INT64_MIN};
};

// kStorageCorrupt for a record that no engine can have written.
Result<WalRecordFacts> lookAtRecord(const LogRecord& record);

}  // namespace seriesdb
