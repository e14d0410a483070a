// Recomputes the time bounds of series for discovery, after a deletion or after retention removed
// samples. The computation runs beside the committer; the committer puts the bounds into the index,
// because only it changes them.
//
// Samples keep arriving meanwhile. Later samples come from the strips of the active memtable, which
// are in order of arrival. If the memtable was frozen, or another deletion erased samples of the
// strip, the series is computed again. So the bounds are exact at the moment when the index gets
// them.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "common/types/tombstone.h"
#include "index/index_holder.h"
#include "storage/view/view.h"

namespace seriesdb {

// A series that has lost samples.
struct Narrowed {
  SeriesRef ref;
  TimeRange range;  // The time range of the lost samples.
  // All samples of the range up to this sequence are gone. Null: only the samples of some segments
  // are gone, which the view no longer has.
  const Tombstone* by;
};

class BoundsRenewal {
 public:
  // Computes the bounds of series that lost an end. Any thread; both holders and the
  // tombstones must outlive it.
  BoundsRenewal(const ViewHolder& view, const IndexHolder& index, std::span<const Narrowed> all);

  // Puts some bounds into the index, in some hundred microseconds. False once all are in the index
  // or in again(). Committer only.
  bool applySome();
  // Series that must be computed again.
  const std::vector<Narrowed>& again() const { return again_; }

 private:
  // `later`: the view, less everything older than the tombstone.
  struct Views {
    const View& all;
    const View& later;
  };
  void compute(const SeriesIndex& index, Views views, Narrowed one);

  const ViewHolder& view_;
  const IndexHolder& index_;
  std::shared_ptr<const Memtable> active_;  // The active memtable of the view that was read.
  // Parallel vectors: `marks_[i]` belongs to `computed_[i]`.
  std::vector<Narrowed> computed_;
  std::vector<Memtable::StripMark> marks_;
  std::vector<std::optional<TimeRange>> bounds_;
  std::size_t applied_ = 0;
  std::vector<Narrowed> again_;
};

}  // namespace seriesdb
