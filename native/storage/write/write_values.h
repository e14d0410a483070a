// What the writes of an engine take and answer.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "common/base/status.h"
#include "common/types/sample.h"
#include "common/types/unit_suspect.h"
#include "index/selection/series_filter.h"
#include "ingest/staged_samples.h"

namespace seriesdb {

// The result of an ingest request.
struct IngestReport {
  std::uint64_t ingested = 0;
  std::uint64_t rejected = 0;
  std::vector<RejectedLine> errors{};  // The first 10, without their text.
  UnitSuspects suspects{};
  SkippedCounts skipped{};
  std::uint64_t lineCount = 0;  // Lines of the request, good and bad.
  std::map<StatusCode, std::uint64_t> rejectedByCode{};
  // The columns of a small request, freed by the thread that allocated them. On another thread,
  // both would wait for the lock of the heap.
  SpentColumns spent{};
};
inline constexpr std::size_t kReportedErrorsMax = 10;

// A requested deletion: all samples of these series in the ranges.
struct Removal {
  SeriesFilter series;
  std::vector<TimeRange> ranges;  // Disjoint; none is empty.
  // If more series match, nothing is deleted and the answer is kQueryLimit.
  std::uint64_t seriesMax = UINT64_MAX;

  // The series with these ids; unknown ones are skipped.
  static Removal ofIds(std::vector<SeriesId> ids, TimeRange range);
};

}  // namespace seriesdb
