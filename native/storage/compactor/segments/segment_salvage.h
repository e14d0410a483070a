// A damaged segment: whether a whole copy exists elsewhere, and which parts are readable. Nothing
// here changes the database.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "common/base/status.h"
#include "common/file/file_system.h"
#include "format/segment/segment.h"

namespace seriesdb {

// The loss with the damaged chunks, according to the directory. If that is unreadable, the whole
// segment.
struct SegmentLoss {
  std::uint64_t series = 0;
  std::uint64_t samples = 0;
  TimeRange range{INT64_MAX, INT64_MIN};  // Empty if nothing is lost.
};

struct SegmentSalvage {
  // The readable part, for a merge; null if nothing is readable.
  std::shared_ptr<const Segment> readable;
  SegmentLoss loss;
  bool isWhole = false;  // True if everything is readable, even if the hash differs.
};

// Reads the whole segment. Fails only with kExhausted (nothing is known of it), kConfiguration (a
// later version wrote it), or kClosed if `isCancelled` returned true.
Result<SegmentSalvage> salvageSegment(FileSystem& fs, const std::string& directory,
                                      const SegmentFacts& facts,
                                      const std::function<bool()>& isCancelled);

// Finds a whole copy of the segment in another place: under another segment's name, by number, by
// hash, or in quarantine/. If the segment has no hash, only a file named by its own hash counts as
// whole. Null if there is none.
Result<std::optional<std::string>> findWholeCopy(FileSystem& fs, const std::string& directory,
                                                 const SegmentFacts& facts);

// True if the segment's own file has all its bytes, by hash. False if the segment has no hash, or
// `isCancelled` returned true. The file may still be damaged, if it was when it got its hash.
bool isWholeInPlace(FileSystem& fs, const std::string& directory, const SegmentFacts& facts,
                    const std::function<bool()>& isCancelled);

// Copies `from` to the segment's place, durably. The previous file there first moves to
// quarantine/.
Status putBack(FileSystem& fs, const std::string& directory, const std::string& from,
               const SegmentFacts& facts);

}  // namespace seriesdb
