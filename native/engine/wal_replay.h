// Recovery of what was acknowledged but not yet in segments.
#pragma once

#include <cstddef>

#include "engine/engine_state.h"

namespace seriesdb {

// A log file with no more than its header and one empty record is no longer than this.
inline constexpr std::size_t kEmptyLogSizeMax = 128;

// Applies every record past the manifest's flushedSequence to the active memtable, cuts the torn
// tail of the last file, removes files below the floor and starts a new WAL file. Damage is
// kStorageCorrupt.
Status replayWal(EngineState& state);

}  // namespace seriesdb
