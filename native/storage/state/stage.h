// The stages of work whose durations are measured.
#pragma once

#include <cstddef>
#include <cstdint>

namespace seriesdb {

// In the order of `stages` in src/storage/native/names.ts, as binding/names.h has them.
enum class Stage : std::uint8_t {
  kParse,        // One chunk of a body, to staged columns.
  kWalAppend,    // The write of one batch of requests to the log.
  kWalSync,      // One fdatasync of the log.
  kApply,        // One batch to the memtable, and its acknowledgements.
  kFlush,        // One frozen memtable to segments.
  kRangeRead,    // One piece of a range answer, as text.
  kDiscovery,    // One piece of a discovery answer; the first with the search.
  kCompare,      // Both windows of a comparison.
  kAnnotations,  // One piece of an answer of annotations, with the search for it.
  kVerify,       // One file that an operator has checked.
};
inline constexpr std::size_t kStageCount = 10;

}  // namespace seriesdb
