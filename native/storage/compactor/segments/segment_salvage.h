// A damaged segment: whether its content stands whole elsewhere, and what of it can still be read.
// Nothing here changes what a database consists of.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "common/base/status.h"
#include "common/file/file_system.h"
#include "format/segment/segment.h"

namespace seriesdb {

// What is gone with damaged chunks, as far as the directory tells. Where that cannot be read, all.
struct SegmentLoss {
  std::uint64_t series = 0;
  std::uint64_t samples = 0;
  TimeRange range{INT64_MAX, INT64_MIN};  // Ends before it begins where nothing is gone.
};

struct SegmentSalvage {
  // The segment without what is damaged in it, for a merge. Null: nothing of it can be read.
  std::shared_ptr<const Segment> readable;
  SegmentLoss loss;
  bool isWhole = false;  // All of it can be read; its hash may tell otherwise.
};

// Reads all of it. Fails only with kExhausted, when nothing is known of it, with kConfiguration
// when it is of a later program, and with kClosed when `isCancelled` said so.
Result<SegmentSalvage> salvageSegment(FileSystem& fs, const std::string& directory,
                                      const SegmentFacts& facts,
                                      const std::function<bool()>& isCancelled);

// The path of a file with all the bytes that the segment should have, which is not where it should
// be: under the name of another one, by its number, by its hash, or in quarantine/. Of a segment
// without a hash only one that is named by its hash tells that it is whole. None: there is none.
Result<std::optional<std::string>> findWholeCopy(FileSystem& fs, const std::string& directory,
                                                 const SegmentFacts& facts);

// Whether the file that is where it should be has all of them; never of a segment without a hash,
// and not when `isCancelled` said so meanwhile. It may be damaged all the same, if it was when it
// got its hash.
bool isWholeInPlace(FileSystem& fs, const std::string& directory, const SegmentFacts& facts,
                    const std::function<bool()>& isCancelled);

// Puts a copy of that file where the segment should be, durably. What stood there goes to
// quarantine/ first.
Status putBack(FileSystem& fs, const std::string& directory, const std::string& from,
               const SegmentFacts& facts);

}  // namespace seriesdb
