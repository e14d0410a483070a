// The samples of one series in a range from all sources of a view, at one moment.
//
// Segments, frozen memtables and the tombstones of a view never change. Two things
// change during a read: samples arrive in the active memtable's strip, and
// deletions erase some. Erased samples may have overwritten older values in
// segments and frozen memtables: these would reappear unless the same deletion
// masks them.
//
// The committer applies a deletion as follows (applyRemoval):
//   1. It passes the tombstone to the active memtable. Under the memtable's lock the tombstone
//      joins the list of erasures, and the erasure step grows. From here on no read of any strip
//      shows the samples. Large erasures are applied to the strips later, a few at a time, each
//      before it takes its next sample; the step grows with each change.
//   2. It publishes a view with the tombstone, marked as passed to the active memtable.
//   3. The remover updates the bounds of the series, and answers.
// A freeze turns the active memtable into a frozen one, which gets no more tombstones: later ones
// are only in later views.
//
// A reader captures as follows:
//   1. It reads the erasure step.
//   2. It reads the strip.
//   3. It collects the masks of the other sources: the tombstones of its view, and those that the
//      active memtable has but the view lacks.
//   4. If the step has grown, it starts again.
//
// Why this is one moment: with an unchanged step, the strip was read after exactly the erasures
// in the masks. Before step 1 of a deletion neither strip nor masks have it; after step 1 both
// do, whatever the age of the view. A view with the tombstone never meets a memtable without
// it, because the view is published later. If the masks were collected before the strip, a
// deletion in between would erase the newer value from the strip and reveal the older one in
// its segment.
//
// The moment is the read of the strip: its samples so far stay a prefix while nothing is erased.
// holdStrip() copies them, so later deletions do not matter. A strip of more than kHeldMax samples
// is read in blocks instead. Blocks read after another deletion lack its samples, and
// heedErasures() then masks the other sources, too. Each series and each time range of a query is
// captured separately.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/types/sample.h"
#include "format/segment/chunk_finder.h"
#include "storage/view/view.h"

namespace seriesdb {

// Chunks of one series in a range of time, from some segments of a view.
class SeriesChunks {
 public:
  struct Run {
    const Segment* segment = nullptr;
    std::span<const ChunkEntry> chunks;  // Not empty.
  };

  // Forgets all.
  void begin(SeriesRef ref) {
    ref_ = ref;
    runs_.clear();
    asked_ = 0;
  }
  // Looks up the first of `series` in a segment, which must outlive
  // this; the others are likely next, in order. REQUIRES: older segments
  // first.
  void addFrom(const Segment& segment, std::span<const SeriesRef> series, TimeRange range) {
    if (asked_ == finders_.size()) finders_.emplace_back();
    const auto found = finders_[asked_++].find(segment, series, range);
    if (!found.empty()) runs_.push_back({&segment, found});
  }

  // Prefetches the data of a series that is looked up next in the same segments.
  void expect(SeriesRef next) const {
    for (std::size_t i = 0; i < asked_; ++i) finders_[i].expect(next);
  }

  SeriesRef ref() const { return ref_; }
  const std::vector<Run>& runs() const { return runs_; }  // Oldest segment first; until begin().

 private:
  SeriesRef ref_ = 0;
  std::vector<Run> runs_;
  // A query asks the same segments for many series, so each segment has its own state.
  std::vector<ChunkFinder> finders_;
  std::size_t asked_ = 0;
};
// Replaces `chunks` by those of all segments for the first series in the range. The others are
// likely next. REQUIRES: !series.empty()
void findChunks(const View& view, std::span<const SeriesRef> series, TimeRange range,
                SeriesChunks& chunks);
// True if the lookup needs no disk access, as far as can be told.
bool areDirectoriesInMemory(const View& view, SeriesRef ref, TimeRange range);

// The part of one source: a chunk, or the strip of a memtable.
struct SourcePart {
  TimeRange range{0, -1};  // Contains its samples; starts and ends outside of deletions.
  const Segment* segment = nullptr;
  const ChunkEntry* chunk = nullptr;   // Of the segment.
  const Memtable* memtable = nullptr;  // Otherwise this, with the extent of its strip.
  const Memtable::Extent* extent = nullptr;
  std::uint32_t source = 0;  // Higher is newer: at equal timestamps the higher rank wins.

  std::uint64_t sampleCountMax() const {
    return chunk != nullptr ? chunk->summary.count : extent->count;
  }
};

// Captures one series after another. Not thread-safe.
class SeriesSources {
 public:
  SeriesSources() = default;
  SeriesSources(const SeriesSources&) = delete;
  SeriesSources& operator=(const SeriesSources&) = delete;

  // Replaces the capture. `view`, `chunks` and all references from here are valid until the next
  // capture. REQUIRES: `chunks` were found for this range.
  void capture(const View& view, const SeriesChunks& chunks, TimeRange range);
  // The same, with the strip held.
  void captureHeld(const View& view, const SeriesChunks& chunks, TimeRange range);
  // Copies the samples of the active memtable, unless they are too many. False if an erasure came
  // after the capture, which must then be repeated.
  [[nodiscard]] bool holdStrip();

  // Ascending by the start of their ranges.
  const std::vector<SourcePart>& parts() const { return parts_; }
  // The extent of the active memtable's part, if there is one; else null.
  const Memtable::Extent* activeStrip() const { return activeStrip_; }
  bool hasHoles() const { return !holes_.empty(); }
  // Deleted ranges in the part's source: disjoint, ascending.
  const std::vector<TimeRange>& holesOf(const SourcePart& part) const {
    return holes_.empty() ? kNoHoles : holes_[part.source];
  }
  // After a read of a live strip: if an erasure came meanwhile, collects the masks again and
  // returns true.
  bool heedErasures();

 private:
  friend class StripReader;
  // Maximum copied samples: 64 KiB, some microseconds.
  static constexpr std::size_t kHeldMax = 4096;
  static const std::vector<TimeRange> kNoHoles;

  void gather();
  void takeMasks();
  void addChunks(const SeriesChunks::Run& run, std::uint32_t source);
  bool addStrip(const Memtable& memtable, const Memtable::Extent& extent, std::uint32_t source);
  bool addPart(SourcePart part);

  const View* view_ = nullptr;
  const SeriesChunks* chunks_ = nullptr;
  TimeRange range_{0, -1};
  std::uint64_t erasureStep_ = 0;
  std::vector<SourcePart> parts_;
  std::vector<Memtable::Extent> extents_;        // Of the frozen memtables and the active one.
  std::vector<std::vector<TimeRange>> holes_;    // By source; empty without any.
  const Memtable::Extent* activeStrip_ = nullptr;  // Null when it has nothing in the range.
  bool isHeld_ = false;
  std::vector<Sample> held_;
};

// Reads a strip part in blocks. Not thread-safe.
class StripReader {
 public:
  // Starts with the part's samples in the range. REQUIRES: a part of the sources' last capture.
  void open(const SeriesSources& sources, const SourcePart& part, TimeRange range);
  // The next samples, valid until the next call; empty at the end. For the strip of a frozen
  // memtable, deleted samples are included.
  std::span<const Sample> next();
  // Whether deletions erase samples of the strip while it is read.
  bool isLive() const { return isLive_; }

 private:
  const Memtable* memtable_ = nullptr;  // Null at the end.
  const Memtable::Extent* extent_ = nullptr;
  SeriesRef ref_ = 0;
  TimeRange rest_{0, -1};
  bool isHeld_ = false;
  bool isLive_ = false;
  std::span<const Sample> held_;
  std::vector<Sample> block_;
};

}  // namespace seriesdb
