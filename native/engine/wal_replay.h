// Recovery of what was acknowledged but not yet in segments.
#pragma once

#include <cstddef>

#include "state/engine_state.h"

namespace seriesdb {

// A log file with no more than its header and one empty record is no longer than this.
inline constexpr std::size_t kEmptyLogSizeMax = 128;

// Applies every record past the manifest's flushedSequence to the active memtable, and says where
// the log ends. Changes nothing on disk. Damage is kStorageCorrupt.
Result<WalEnd> replayWal(EngineState& state);
// Removes the files that a flush covers or that were never used, cuts a torn tail, and starts a new
// file, in the place of the last one if that has no content.
Status resumeWal(EngineState& state, const WalEnd& end);

}  // namespace seriesdb
