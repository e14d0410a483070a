// Ascending, append-only lists of u32 numbers: the series that have a name or a label pair.
//
// A list is a chain of runs in one arena, each twice as long as the one before, up to kRunSizeMax.
// A run begins with the place of the next run. So a list of one number takes 8 bytes, and a long
// list little more than 4 bytes a number. Numbers never move, so the spans of addSpans() are read
// without the owner's lock; all other calls need it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/base/chunked_array.h"

namespace seriesdb {

struct PostingList {
  std::uint32_t count = 0;
  std::uint32_t head = 0;  // Arena places of the first and of the last run.
  std::uint32_t tail = 0;
  std::uint16_t tailSize = 0;  // Words of the last run, including its link.
  std::uint16_t tailUsed = 0;
};

using PostingSpan = std::span<const std::uint32_t>;

class PostingLists {
 public:
  // REQUIRES: `number` is greater than all in the list; !isFull().
  void append(PostingList& list, std::uint32_t number);
  // True if the arena may lack space for the 65 lists that one series appends to.
  bool isFull() const { return words_.size() > UINT32_MAX - 80 * words_.kChunkSize; }

  // Adds the runs of the list to `spans`; they stay valid as long as this object.
  void addSpans(const PostingList& list, std::vector<PostingSpan>& spans) const;

  std::size_t memoryBytes() const { return words_.memoryBytes(); }

 private:
  static constexpr std::size_t kRunSizeFirst = 2;
  static constexpr std::size_t kRunSizeMax = 8192;

  ChunkedArray<std::uint32_t, 16> words_;
};

}  // namespace seriesdb
