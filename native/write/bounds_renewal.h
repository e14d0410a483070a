// The bounds of series after a deletion, or after retention took samples, for discovery: computed
// beside the committer, which has other things to do, and put into the index by it, because it
// alone changes bounds.
//
// Meanwhile samples go on arriving. What comes after the computation is taken from the strips of
// the active memtable, which stand in order of arrival; where that cannot tell, because the
// memtable was frozen or another deletion took samples out of the strip, the series is computed
// once more. So what the index gets is exact at the moment when it gets it.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "state/engine_state.h"

namespace seriesdb {

// A series that has lost samples.
struct Narrowed {
  SeriesRef ref;
  TimeRange range;  // They lay in it.
  // All that there were in the range up to its sequence are gone. Null: only those of some segments
  // are, which the view does not have any more.
  const Tombstone* by;
};

class BoundsRenewal {
 public:
  // Computes the bounds of those that have lost an end. Any thread; `state` and the tombstones must
  // outlive it.
  BoundsRenewal(EngineState& state, std::span<const Narrowed> all);

  // Puts some of them into the index, in some hundred microseconds; false when all are there, or in
  // again(). The committer's.
  bool applySome();
  // Those that must be computed once more.
  const std::vector<Narrowed>& again() const { return again_; }

 private:
  // `later` is the view without what the tombstone is later than.
  struct Views {
    const View& all;
    const View& later;
  };
  void compute(const SeriesIndex& index, Views views, Narrowed one);

  EngineState& state_;
  std::shared_ptr<const Memtable> active_;  // Of the view that was read.
  // Side by side.
  std::vector<Narrowed> computed_;
  std::vector<Memtable::StripMark> marks_;
  std::vector<std::optional<TimeRange>> bounds_;
  std::size_t applied_ = 0;
  std::vector<Narrowed> again_;
};

}  // namespace seriesdb
