// The owners of what the threads of an open engine share. Only open, recovery and the engine itself
// see all of them. Every other class gets those that it may use.
#pragma once

#include "storage/engine/flush_logs.h"
#include "storage/state/description.h"
#include "storage/state/disk_room.h"
#include "storage/state/engine_figures.h"
#include "storage/state/engine_settings.h"
#include "storage/state/sources.h"
#include "storage/state/write_path.h"

namespace seriesdb {

// They end in reverse order. So the thread that frees requests stops before the counters end. The
// ledger ends before the index and the figures that it reads.
struct EngineOwners {
  EngineOwners(FileSystem& fs, const EngineOptions& options)
      : settings(fs, options), sources(settings), room(settings), logs(settings) {}

  EngineSettings settings;
  EngineFigures figures;
  Sources sources;
  DiskRoom room;
  FlushLogs logs;
  Description description;
  WritePath writes;
};

}  // namespace seriesdb
