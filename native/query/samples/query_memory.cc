#include "query/samples/query_memory.h"

#include "storage/engine/engine.h"
#include "storage/state/memory_use.h"

namespace seriesdb {

QueryMemory::QueryMemory(const QueryLimits& limits)
    : engine_(limits.countedIn),
      counted_(engine_ == nullptr ? MemoryHold() : MemoryHold(engine_->memory().queries)) {}

Status QueryMemory::admit() const { return engine_->admitQuery(); }

}  // namespace seriesdb
