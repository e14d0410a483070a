#include "steps/text/step_text.h"

#include <algorithm>

namespace seriesdb {

Status StepText::next(std::string& piece) {
  piece.clear();
  if (isCancelled()) return {StatusCode::kClosed, "the answer was cancelled"};
  if (taken_ == ready_.size()) printSome();
  if (taken_ < ready_.size()) piece = std::move(ready_[taken_++]);
  return Status::okStatus();
}

// Nothing where all was printed.
void StepText::printSome() {
  constexpr std::size_t kThreadsMax = 4;
  if (!blocks_) blocks_.emplace(print_);
  ready_.clear();
  taken_ = 0;
  while (ready_.empty() && !isCancelled()) {
    std::vector<StepBlock> blocks;
    StepBlock block;
    const std::size_t most = isShort(print_) ? 1 : std::min(threads_.count, kThreadsMax);
    while (blocks.size() < most && blocks_->plan(block)) blocks.push_back(block);
    if (blocks.empty()) return;
    ready_.resize(blocks.size());
    runParts(threads_.post, blocks.size(),
             [&](std::size_t i) { blocks_->print(blocks[i], ready_[i]); });
    std::erase_if(ready_, [](const std::string& text) { return text.empty(); });
  }
}

}  // namespace seriesdb
