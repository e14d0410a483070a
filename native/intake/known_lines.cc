#include "intake/known_lines.h"

#include <algorithm>
#include <utility>

namespace seriesdb {
namespace {

constexpr std::uint64_t kBytesMax = std::uint64_t{128} << 20;
// Lists of labels, each of which may take a part of what lines without may.
constexpr std::size_t kLabelledMax = 8;

}  // namespace

KnownLines::KnownLines(const Engine& engine)
    : engine_(engine),
      bytesMax_(std::min(kBytesMax, engine.limits().memoryLimitBytes / MemoryUse::kShares)),
      plain_(make(bytesMax_)) {}

std::shared_ptr<ParserState> KnownLines::make(std::size_t bytesMax) const {
  return ParserState::make(engine_.indexes(), bytesMax, engine_.memory().lines);
}

std::shared_ptr<ParserState> KnownLines::of(const OwnedLabels& labels) {
  if (labels.empty()) return plain_;
  const auto found = std::ranges::find(labelled_, labels, &Labelled::labels);
  if (found == labelled_.end()) {
    if (labelled_.size() == kLabelledMax) labelled_.pop_back();
    labelled_.push_front({labels, make(bytesMax_ / kLabelledMax)});
  } else {
    std::rotate(labelled_.begin(), found, found + 1);
  }
  return labelled_.front().lines;
}

}  // namespace seriesdb
