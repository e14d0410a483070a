#include "query/promql/text/step_text.h"

#include <algorithm>

namespace seriesdb {

Status StepText::next(std::string& piece) {
  piece.clear();
  if (isCancelled()) return {StatusCode::kClosed, "the answer was cancelled"};
  if (!isReady()) printSome();
  if (isReady()) piece = std::move(ready_[taken_++]);
  return Status::okStatus();
}

bool StepText::printShort(const StepPrint& print, std::string& text) {
  if (!isShort(print)) return false;
  StepBlocks blocks(print);
  StepBlock block;
  std::string piece;
  while (blocks.plan(block)) {
    blocks.print(block, piece);
    text += piece;
  }
  return true;
}

// Leaves ready_ empty if everything is printed.
void StepText::printSome() {
  constexpr std::size_t kThreadsMax = 4;
  if (!blocks_) blocks_.emplace(print_);
  std::vector<StepBlock> blocks;
  StepBlock block;
  const std::size_t most = isShort() ? 1 : std::min(threads_.count, kThreadsMax);
  while (blocks.size() < most && blocks_->plan(block)) blocks.push_back(block);
  ready_.assign(blocks.size(), {});
  taken_ = 0;
  if (blocks.empty()) return;
  runParts(threads_, blocks.size(), [&](std::size_t i) { blocks_->print(blocks[i], ready_[i]); });
}

}  // namespace seriesdb
