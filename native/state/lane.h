// Where the next part of an answer is made.
#pragma once

#include <cstdint>

namespace seriesdb {

enum class Lane : std::uint8_t {
  kHere,   // By the thread that asks: it surely takes well under a millisecond.
  kQuery,  // By the threads of queries.
  kCare,   // By a thread that no query waits for: work on files may last as long as they do.
};

}  // namespace seriesdb
