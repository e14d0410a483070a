// Raw rows of many series as text, in pieces. Of many rows several pieces are printed at once, each
// by a thread of its own.
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
  // The rows must outlive this.
  RowListText(RowLists rows, SeriesFrames& frames) : rows_(std::move(rows)), frames_(frames) {}

  // Replaces `piece` by the next 256 KiB or so; without rows when there are none.
  void next(RowTexts& piece, const Threads& threads);
  // Whether the next piece is printed already, and not the last, with which much is freed.
  bool isNextShort() const {
    return hasPrinted() && !(rows_.isDone() && given_ + 1 == printed_.size());
  }

 private:
  struct Block {
    std::span<const SampleRow> rows;
    std::size_t bytes;  // So many, or about.
  };

  bool hasPrinted() const { return given_ < printed_.size(); }
  void print(const Threads& threads);
  Block nextBlock();
  void printBlock(const Block& block, RowTexts& piece) const;

  RowLists rows_;  // Of which those that are printed are passed.
  SeriesFrames& frames_;
  std::vector<RowTexts> printed_;  // Of which those up to given_ are given.
  std::size_t given_ = 0;
};

}  // namespace seriesdb
