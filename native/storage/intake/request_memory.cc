#include "storage/intake/request_memory.h"

#include "storage/engine/engine.h"

namespace seriesdb {

void RequestMemory::set(std::size_t bytes) {
  engine_.holdBytes(static_cast<std::int64_t>(bytes) - static_cast<std::int64_t>(bytes_));
  bytes_ = bytes;
}

}  // namespace seriesdb
