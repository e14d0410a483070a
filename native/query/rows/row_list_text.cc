#include "query/rows/row_list_text.h"

#include <algorithm>
#include <utility>

namespace seriesdb {
namespace {
constexpr std::size_t kBlocksMax = 8;
}  // namespace

void RowListText::next(RowTexts& piece, const Threads& threads) {
  if (!hasPrinted()) print(threads);
  // Reuse the memory of the caller's previous piece.
  std::swap(piece, printed_[given_++]);
  piece.isLast = !hasPrinted() && rows_.isDone();
}

void RowListText::print(const Threads& threads) {
  frames_.leaveOutMany();
  std::vector<Block> blocks;
  do {
    blocks.push_back(nextBlock());
  } while (blocks.size() < std::min(threads.count, kBlocksMax) && !rows_.isDone());
  printed_.resize(blocks.size());
  given_ = 0;
  runParts(threads, blocks.size(), [&](std::size_t i) { printBlock(blocks[i], printed_[i]); });
}

// Takes the next rows and makes the frames that they need.
RowListText::Block RowListText::nextBlock() {
  const std::span<const SampleRow> left = rows_.left();
  std::size_t count = 0;
  std::size_t bytes = 0;
  while (count < left.size() && bytes < TextSink::kPieceSize) {
    bytes += frames_.sizeOf(frames_.at(left[count++].place));
  }
  rows_.pass(count);
  return {left.first(count), bytes};
}

void RowListText::printBlock(const Block& block, RowTexts& piece) const {
  TextSink sink(piece.text, block.bytes);
  piece.rowCount = piece.leftOutCount = 0;
  for (const SampleRow& row : block.rows) {
    if (piece.rowCount > 0) frames_.addBetween(sink);
    frames_.addRow(sink, frames_.known(row.place), {row.ts, row.value});
    ++piece.rowCount;
  }
  sink.finish();
}

}  // namespace seriesdb
