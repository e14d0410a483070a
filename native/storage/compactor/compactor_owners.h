// What the compactor and its parts work on. All must outlive them.
#pragma once

#include "storage/state/description.h"
#include "storage/state/disk_room.h"
#include "storage/state/engine_figures.h"
#include "storage/state/engine_settings.h"
#include "storage/state/sources.h"

namespace seriesdb {

struct CompactorOwners {
  const EngineSettings& settings;
  Sources& sources;
  Description& description;
  DiskRoom& room;
  EngineFigures& figures;
};

}  // namespace seriesdb
