// A parsed ingest request in any format: columns of samples, and the series and descriptors that it
// would create. The commit stores all of it or nothing.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/plain_array.h"
#include "common/base/status.h"
#include "common/types/sample.h"
#include "common/types/timestamp_unit.h"
#include "index/series_index.h"

namespace seriesdb {

// A series that the index did not know when its line was parsed.
struct PendingSeries {
  std::string name;
  std::vector<std::pair<std::string, std::string>> labels;  // Sorted by key.
};
struct PendingDescriptor {
  std::string metric;
  Descriptor descriptor;
};

// A rejected line; in binary formats, a rejected series.
struct RejectedLine {
  std::uint64_t line;  // 1-based.
  StatusCode code;
  std::string error;
  std::string text;  // The line, cut at lineSizeMax, for the file of rejects.
  // The number of rejected items: lines of text, or samples of binary formats.
  std::uint64_t count = 1;
};

// A deque, because a vector would move up to a million entries as it grows.
using RejectedLines = std::deque<RejectedLine>;

inline std::uint64_t rejectedCountOf(const RejectedLines& rejected) {
  std::uint64_t count = 0;
  for (const RejectedLine& line : rejected) count += line.count;
  return count;
}

// The record of a request fits kRecordPayloadSizeMax even at twice its worst case of 25 bytes per
// sample.
inline constexpr std::size_t kRequestSamplesMax = std::size_t{16} << 20;
inline Status checkSampleCount(std::size_t count) {
  if (count <= kRequestSamplesMax) return {};
  return {StatusCode::kPayloadTooLarge, "a request holds at most " +
                                            std::to_string(kRequestSamplesMax) +
                                            " samples; send it in parts"};
}

// A ref with this bit set is an index into `pendingSeries`.
inline constexpr SeriesRef kPendingBit = 0x80000000u;
static_assert(kPendingBit == kSeriesRefsMax);

// Why valid input is not stored. It may be a field without a sample, an exemplar, or the buckets of
// a native histogram. Or it is metadata that is useless, conflicting, or without room.
enum class SkipReason : std::uint8_t {
  kString,
  kTimestamp,
  kLong256,
  kExemplar,
  kNativeHistogram,
  kMetadata,
  kMetadataConflict,
  kMetadataLimit,
};
inline constexpr std::string_view kSkipReasonNames[] = {
    "string",           "timestamp", "long256",          "exemplar",
    "native_histogram", "metadata",  "metadata_conflict",
    "metadata_limit"};
using SkippedCounts = std::array<std::uint64_t, std::size(kSkipReasonNames)>;

// The columns of a finished request.
struct SpentColumns {
  PlainArray<SeriesRef> refs;
  PlainArray<Timestamp> ts;
  PlainArray<double> values;
};

// The columns of a request, in document order. All have equal lengths.
struct StagedSamples {
  PlainArray<SeriesRef> refs;
  PlainArray<Timestamp> ts;
  PlainArray<double> values;
  std::deque<PendingSeries> pendingSeries;
  std::deque<PendingDescriptor> pendingDescriptors;
  // If set, descriptors that conflict with earlier ones are dropped, and nothing is refused for
  // them.
  bool keepsFirstDescriptors = false;
  // The indexes in which the resolved refs were found, the newest last. They still have series that
  // are gone by now.
  std::vector<std::shared_ptr<const SeriesIndex>> indexes;
  RejectedLines rejected;  // All rejected lines; lenient mode only.
  std::uint64_t legacyLineCount = 0;
  std::uint64_t inexactCount = 0;  // Values written as integers that no double represents.
  std::uint64_t lineCount = 0;     // Without blank lines.
  SkippedCounts skipped{};
  TimestampConversion conversion;  // The conversion of `ts` from the client's unit.
};

}  // namespace seriesdb
