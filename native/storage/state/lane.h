// The thread on which the next part of an answer is made.
#pragma once

#include <cstdint>

namespace seriesdb {

enum class Lane : std::uint8_t {
  kHere,         // The calling thread: surely well below a millisecond.
  kQuery,        // The query threads.
  kMaintenance,  // A background thread without queries: file work may take long.
};

}  // namespace seriesdb
