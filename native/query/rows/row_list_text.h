// Raw rows of many series as text, in pieces. If rows are many, several threads print one piece
// each.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "common/base/parallel.h"
#include "query/rows/row_lists.h"
#include "query/rows/series_frames.h"

namespace seriesdb {

class RowListText {
 public:
  // The rows and the frames must outlive this.
  RowListText(RowLists rows, SeriesFrames& frames) : rows_(std::move(rows)), frames_(frames) {}

  // Replaces `piece` by the next 256 KiB or so; it has no rows at the end.
  void next(RowTexts& piece, const Threads& threads);
  // True if the next piece is already printed. False for the last one, because its return frees
  // much memory.
  bool isNextShort() const {
    return hasPrinted() && !(rows_.isDone() && given_ + 1 == printed_.size());
  }

 private:
  struct Block {
    std::span<const SampleRow> rows;
    std::size_t bytes;  // The approximate size of its text.
  };

  bool hasPrinted() const { return given_ < printed_.size(); }
  void print(const Threads& threads);
  Block nextBlock();
  void printBlock(const Block& block, RowTexts& piece) const;

  RowLists rows_;  // The rows not yet printed.
  SeriesFrames& frames_;
  std::vector<RowTexts> printed_;  // Pieces printed ahead; the first given_ of them are returned.
  std::size_t given_ = 0;
};

}  // namespace seriesdb
