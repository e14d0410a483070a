// Replays acknowledged data that is not in segments yet.
#pragma once

#include <cstddef>

#include "common/base/status.h"
#include "format/log/wal_writer.h"
#include "storage/ledger/manifest_holder.h"
#include "storage/state/counters.h"
#include "storage/state/engine_settings.h"
#include "storage/state/sources.h"
#include "storage/state/write_path.h"

namespace seriesdb {

// The largest size of a WAL file that has only a header and one empty record.
inline constexpr std::size_t kEmptyLogSizeMax = 128;

// Applies every record after the manifest's flushedSequence to the active memtable, and returns
// where the WAL ends. Changes nothing on disk. Damage is kStorageCorrupt.
Result<WalEnd> replayWal(const EngineSettings& settings, Sources& sources,
                         ManifestHolder& manifestHolder, WritePath& writes, Counters& counters);
// Removes flushed and unused WAL files, cuts a torn tail, and starts a new file. The new file
// replaces the last one if that is empty. REQUIRES: `writes.replayEnd` is set.
Status resumeWal(const EngineSettings& settings, ManifestHolder& manifestHolder, WritePath& writes);

}  // namespace seriesdb
