// The memory that a query, or one of its threads, holds; its engine counts it. It covers memory
// that grows with the data: groups, values, rows and series. Buffers of a fixed size do not count.
#pragma once

#include <cstdint>

#include "common/base/memory_account.h"
#include "common/base/status.h"
#include "query/samples/query_limits.h"

namespace seriesdb {

// Not thread-safe.
class QueryMemory {
 public:
  explicit QueryMemory(const QueryLimits& limits);

  // Sets the bytes held from now on. kQueryLimit if they grow and queries have no memory left. It
  // is called for each block of samples, so changes below kStepBytes are ignored.
  Status hold(std::uint64_t bytes) {
    const std::uint64_t before = counted_.bytes();
    if (bytes != 0 && bytes < before + kStepBytes && before < bytes + kStepBytes) return {};
    counted_.set(bytes);
    return bytes > before && engine_ != nullptr ? admit() : Status();
  }
  void giveBack() { counted_.set(0); }

 private:
  Status admit() const;

  static constexpr std::uint64_t kStepBytes = std::uint64_t{64} << 10;

  const Engine* engine_;
  MemoryHold counted_;
};

}  // namespace seriesdb
