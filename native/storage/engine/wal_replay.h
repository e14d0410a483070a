// Replays acknowledged data that is not in segments yet.
#pragma once

#include <cstddef>

#include "storage/state/engine_state.h"

namespace seriesdb {

// The largest size of a WAL file that has only a header and one empty record.
inline constexpr std::size_t kEmptyLogSizeMax = 128;

// Applies every record after the manifest's flushedSequence to the active memtable, and returns
// where the WAL ends. Changes nothing on disk. Damage is kStorageCorrupt.
Result<WalEnd> replayWal(EngineState& state);
// Removes flushed and unused WAL files, cuts a torn tail, and starts a new file. The new file
// replaces the last one if that is empty.
Status resumeWal(EngineState& state, const WalEnd& end);

}  // namespace seriesdb
