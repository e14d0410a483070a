// The spans of segment files that a read will need, and whether the disk must be waited for.
#pragma once

#include <cstdint>
#include <vector>

#include "segment/segment.h"

namespace seriesdb {

class FileSpans {
 public:
  // To ask for more of them would hold the thread that asks for too long.
  static constexpr std::size_t kSpansMax = 32;

  // Chunks that lie behind one another in one file are one span.
  void add(const Segment& segment, const ChunkEntry& chunk) {
    if (chunk.size == 0) return;  // Its entry says all.
    const bool isNext = !spans_.empty() && spans_.back().segment == &segment &&
                        spans_.back().offset + spans_.back().size == chunk.offset;
    if (isNext) {
      spans_.back().size += chunk.size;
    } else if (spans_.size() <= kSpansMax) {
      spans_.push_back({&segment, chunk.offset, chunk.size});
    }
  }
  // Whether they are few and all in memory. Takes a microsecond for each of them.
  bool areInMemory() const {
    if (spans_.size() > kSpansMax) return false;
    for (const Span& span : spans_) {
      if (!span.segment->isInMemory(span.offset, span.size)) return false;
    }
    return true;
  }

 private:
  struct Span {
    const Segment* segment;
    std::uint64_t offset;
    std::uint64_t size;
  };
  std::vector<Span> spans_;  // One more than kSpansMax says that there are too many.
};

}  // namespace seriesdb
