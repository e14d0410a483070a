// What one record of the write-ahead log holds, without carrying it out.
#pragma once

#include <cstdint>

#include "common/base/status.h"
#include "common/types/sample.h"
#include "format/log/log_file.h"

namespace seriesdb {

struct WalRecordFacts {
  const char* kind = "";  // "samples", "annotation", "deletion", "begin", "continued", "closed".
  std::uint64_t newSeries = 0;
  std::uint64_t series = 0;  // That a deletion names.
  std::uint64_t samples = 0;
  // Of samples, of a deletion or of an annotation; ends before it begins where there is none.
  TimeRange range{INT64_MAX, INT64_MIN};
};

// kStorageCorrupt for a record that no engine can have written.
Result<WalRecordFacts> lookAtRecord(const LogRecord& record);

}  // namespace seriesdb
