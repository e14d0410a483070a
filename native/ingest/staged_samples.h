// What a request of samples is when it is parsed, whatever its format: columns, and what it would
// create. It is stored whole or not at all, later.
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

// A series that the request names and the index did not know when its line was parsed.
struct PendingSeries {
  std::string name;
  std::vector<std::pair<std::string, std::string>> labels;  // Sorted by key.
};
struct PendingDescriptor {
  std::string metric;
  Descriptor descriptor;
};

// Of a binary format a series takes the place of a line.
struct RejectedLine {
  std::uint64_t line;  // 1-based.
  StatusCode code;
  std::string error;
  std::string text;  // The line itself (cut at lineSizeMax), for the file of rejects.
  std::uint64_t count = 1;  // What is counted as rejected: lines of text, else samples.
};

// There may be a million, which a vector would move as it grows.
using RejectedLines = std::deque<RejectedLine>;

inline std::uint64_t rejectedCountOf(const RejectedLines& rejected) {
  std::uint64_t count = 0;
  for (const RejectedLine& line : rejected) count += line.count;
  return count;
}

// The record of a request fits kRecordPayloadSizeMax at 25 bytes a sample, its worst case, twice.
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

// Why what is good is not stored: fields that make no sample, exemplars, the buckets of native
// histograms, and metadata which is of no use, differs from what is held or finds no room.
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

// The columns that were of a request.
struct SpentColumns {
  PlainArray<SeriesRef> refs;
  PlainArray<Timestamp> ts;
  PlainArray<double> values;
};

// The columns of a request, in document order. Equal lengths.
struct StagedSamples {
  PlainArray<SeriesRef> refs;
  PlainArray<Timestamp> ts;
  PlainArray<double> values;
  std::deque<PendingSeries> pendingSeries;
  std::deque<PendingDescriptor> pendingDescriptors;
  // Descriptors that differ from what came first are dropped, and nothing is refused for them.
  bool keepsFirstDescriptors = false;
  // Where the refs that are not pending were found, the newest last: one that is gone by now is
  // there still.
  std::vector<std::shared_ptr<const SeriesIndex>> indexes;
  RejectedLines rejected;  // Lenient mode only; all of them.
  std::uint64_t legacyLineCount = 0;
  std::uint64_t inexactCount = 0;  // Values that were written as integers which no double equals.
  std::uint64_t lineCount = 0;  // Not counting blank ones.
  SkippedCounts skipped{};
  TimestampConversion conversion;  // Of `ts`, from what the client sent.
};

}  // namespace seriesdb
