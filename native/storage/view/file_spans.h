// The spans of segment files that a read needs, and whether the read must wait for the disk.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "format/segment/segment.h"

namespace seriesdb {

class FileSpans {
 public:
  // A check of more spans would block the calling thread too long.
  static constexpr std::size_t kSpansMax = 32;

  // Adds a chunk. Nearby chunks of one file form one span, gaps included.
  void add(const Segment& segment, const ChunkEntry& chunk) {
    if (chunk.size == 0) return;  // The directory entry holds all its samples.
    const auto last = std::find_if(spans_.rbegin(), spans_.rend(), [&](const Span& span) {
      return span.segment == &segment;
    });
    if (last != spans_.rend() && last->takes(chunk)) {
      last->size = chunk.offset + chunk.size - last->offset;
    } else if (spans_.size() <= kSpansMax) {
      spans_.push_back({&segment, chunk.offset, chunk.size});
    }
  }
  // True if the spans are few and all in memory. Takes a microsecond per span.
  bool areInMemory() const {
    if (spans_.size() > kSpansMax) return false;
    for (const Span& span : spans_) {
      if (!span.segment->isInMemory(span.offset, span.size)) return false;
    }
    return true;
  }

 private:
  // Eight pages, which the system most likely read ahead together.
  static constexpr std::uint64_t kGapMax = std::uint64_t{1} << 15;
  // Larger spans cannot be checked quickly.
  static constexpr std::uint64_t kSizeMax = std::uint64_t{1} << 20;

  struct Span {
    const Segment* segment;
    std::uint64_t offset;
    std::uint64_t size;

    bool takes(const ChunkEntry& chunk) const {
      const std::uint64_t end = offset + size;
      if (chunk.offset < end || chunk.offset - end > kGapMax) return false;
      return chunk.size <= kSizeMax && chunk.offset - offset <= kSizeMax - chunk.size;
    }
  };
  std::vector<Span> spans_;  // kSpansMax + 1 means too many.
};

}  // namespace seriesdb
