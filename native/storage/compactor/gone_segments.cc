#include "storage/compactor/gone_segments.h"

#include <algorithm>
#include <utility>

#include "storage/compactor/publication.h"
#include "storage/compactor/segments/segment_merge.h"

namespace seriesdb {

void GoneSegments::note(const std::shared_ptr<const Segment>& segment, const SegmentFacts& facts) {
  gone_.push_back({segment, facts});
  isAny_ = true;
}

// A segment with readers is already listed since its merge.
void GoneSegments::noteFreed(const std::vector<SegmentFacts>& freed) {
  for (const SegmentFacts& facts : freed) {
    const auto isSame = [&facts](const Gone& one) { return one.facts.hash == facts.hash; };
    if (std::ranges::none_of(gone_, isSame)) note({}, facts);
  }
}

std::size_t GoneSegments::remove() {
  if (!isAny_) return 0;
  std::vector<SegmentFacts> removed;
  {
    const auto manifest = manifestHolder_.hold();
    if (manifest->isBehind() || !hold_.expired()) return 0;
    std::erase_if(gone_, [&](const Gone& one) {
      if (!one.segment.expired() || manifest->isHeld(one.facts)) return false;
      if (!manifest->isPinned(one.facts)) removed.push_back(one.facts);
      return true;
    });
    isAny_ = !gone_.empty();
  }
  removeSegmentFiles(settings_, removed);
  return removed.size();
}

Result<CommittedFiles> GoneSegments::holdFiles() {
  const auto manifest = manifestHolder_.hold();
  auto files = manifest->committedFiles();
  reportLedger(health_, manifest);
  if (!files.ok()) return files.status();
  std::shared_ptr<const int> hold = hold_.lock();
  if (!hold) hold = std::make_shared<const int>();
  hold_ = hold;
  files.value().hold = std::move(hold);
  return files;
}

bool GoneSegments::isRead(const UnnamedFile& file) {
  const auto manifest = manifestHolder_.hold();
  return !hold_.expired() || std::ranges::any_of(gone_, [&file](const Gone& one) {
    return !one.segment.expired() && segmentFileOf(one.facts) == file.name;
  });
}

void GoneSegments::forget(const std::unordered_set<std::string>& removed) {
  const auto manifest = manifestHolder_.hold();
  std::erase_if(gone_, [&](const Gone& one) { return removed.contains(segmentFileOf(one.facts)); });
  isAny_ = !gone_.empty();
}

}  // namespace seriesdb
