// The figures of an open engine, by name. src/telemetry/metric-names.ts describes them.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "storage/state/memory_use.h"

namespace seriesdb {

struct EngineOwners;
struct View;

using EngineStats = std::vector<std::pair<std::string, double>>;

EngineStats statsOf(const EngineOwners& owners, const MemoryUse& memory);
// The number of segments in which a read has met damage.
std::size_t damagedChunkCount(const View& view);

}  // namespace seriesdb
