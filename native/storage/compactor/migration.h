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

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "storage/compactor/task_watch.h"
#include "storage/state/engine_state.h"

namespace seriesdb {

// Segments that are read by their old names no more by whoever looks now.
using OnRenamed = std::function<void(std::vector<std::shared_ptr<const Segment>> before)>;

// kConfiguration where no commits are written.
Status checkMigratable(const EngineOptions& options);
// What was done stands, also when it fails. Of the thread that merges segments. Fails as
// checkMigratable() does; kClosed when `control` says that it is over.
Result<MigrationReport> migrate(EngineState& state, TaskControl& control,
                                const OnRenamed& onRenamed);

}  // namespace seriesdb
