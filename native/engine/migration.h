// What a directory of before lacks of the content-addressed description: segments are given the
// hash of their bytes for a name, and tags that are files of their own go into REFS.
//
//   not held       a segment's bytes are read and hashed, and its file gets the new name beside the
//                  old one
//   MANIFEST held  one edit notes the hashes of some; then a view that reads them by the new names
//   not            the old names go once nobody reads by them any more
//
// A crash leaves a file with two names. The next start removes the one that MANIFEST does not mean.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "engine/engine_state.h"

namespace seriesdb {

struct MigrationReport {
  std::uint64_t segments = 0;  // That have their hash for a name now.
  std::uint64_t bytes = 0;
  std::uint64_t tags = 0;      // That are in REFS now.
  std::uint64_t left = 0;      // Segments that cannot be read, and so stay as they are.
};

// Segments that are read by their old names no more by whoever looks now.
using OnRenamed = std::function<void(std::vector<std::shared_ptr<const Segment>> before)>;

// What was done stands, also when it fails. Of the thread that merges segments. kConfiguration
// where no commits are written; kClosed.
Result<MigrationReport> migrate(EngineState& state, const std::atomic<bool>& isStopping,
                                const OnRenamed& onRenamed);

}  // namespace seriesdb
