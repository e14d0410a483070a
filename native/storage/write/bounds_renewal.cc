#include "storage/write/bounds_renewal.h"

#include <algorithm>

#include "common/base/work_pace.h"
#include "storage/view/live_bounds.h"

namespace seriesdb {
namespace {

// Series per step of the committer.
constexpr std::size_t kAppliedSeries = 512;
// Series between two yields of the core.
constexpr std::size_t kBoundsPerLook = 16;

// The view, less everything older than the tombstone.
View sourcesAfter(const View& view, std::uint64_t sequence) {
  View later;
  later.active = view.active;
  later.activeErasures = view.activeErasures;
  for (const auto& segment : view.segments) {
    if (segment->floor() > sequence) later.segments.push_back(segment);
  }
  for (const auto& frozen : view.frozen) {
    if (frozen->sequenceMax > sequence) later.frozen.push_back(frozen);
  }
  // In the active memtable these tombstones mask nothing.
  if (!later.segments.empty() || !later.frozen.empty()) later.tombstones = view.tombstones;
  return later;
}

}  // namespace

BoundsRenewal::BoundsRenewal(const ViewHolder& viewHolder, const IndexHolder& indexHolder,
                             std::span<const Narrowed> all)
    : view_(viewHolder), index_(indexHolder) {
  const auto view = view_.current();
  active_ = view->active;
  const auto index = index_.current();
  View later;
  const Tombstone* by = nullptr;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i % kBoundsPerLook == 0) PacedThread::giveWay();
    if (all[i].by != nullptr && all[i].by != by) {
      by = all[i].by;
      later = sourcesAfter(*view, by->sequence);
    }
    compute(*index, {*view, later}, all[i]);
  }
}

// The bounds already reflect all samples from before the deletion. If it covered all of them, only
// later samples remain, and no chunk need be decoded.
void BoundsRenewal::compute(const SeriesIndex& index, Views views, Narrowed one) {
  // The mark comes before the bounds: samples that arrive in between count twice, instead of never.
  const Memtable::StripMark mark = active_->markOf(one.ref);
  const auto before = index.boundsOf(one.ref);
  if (!before) return;
  const bool losesStart = one.range.contains(before->start);
  const bool losesEnd = one.range.contains(before->end);
  if (!losesStart && !losesEnd) return;
  computed_.push_back(one);
  marks_.push_back(mark);
  const bool losesAll = losesStart && losesEnd && one.by != nullptr;
  bounds_.push_back(liveBounds(losesAll ? views.later : views.all, one.ref));
}

bool BoundsRenewal::applySome() {
  const auto view = view_.current();
  const std::size_t end = std::min(computed_.size(), applied_ + kAppliedSeries);
  std::vector<SeriesRef> refs;
  std::vector<std::optional<TimeRange>> bounds;
  for (; applied_ < end; ++applied_) {
    const Narrowed one = computed_[applied_];
    auto now = bounds_[applied_];
    if (view->active != active_ || !active_->widenSince(one.ref, marks_[applied_], now)) {
      again_.push_back(one);
      continue;
    }
    refs.push_back(one.ref);
    bounds.push_back(now);
  }
  const auto index = index_.writable();
  index->replaceBounds(refs, bounds);
  return applied_ < computed_.size();
}

}  // namespace seriesdb
