// What the sources of a view hold of one series in a range: all of one moment.
//
// Segments and frozen memtables never change, and neither do the tombstones of a view. Two things
// move under a reader: samples arrive in the strip of the active memtable, and a deletion takes
// some out of it. The second is the difficult one. What a strip gives up may have overwritten older
// values in segments and frozen memtables: these would come back, unless the same deletion masks
// them.
//
// The committer carries a deletion out so (applyRemoval):
//   1. It gives the tombstone to the active memtable. Under the memtable's lock the tombstone goes
//      into the list of erasures and the step of erasures grows. From here on no read of any strip
//      shows the samples. Where it is much work, the strips are gone through later, some at a time
//      and each before it takes its next sample; the step grows with each that changes.
//   2. It publishes a view that has the tombstone, and says that the active memtable had it.
//   3. The remover has the bounds of the series brought up to date, and answers.
// A freeze makes the active memtable a frozen one, which is given no tombstone any more: those that
// come later are only in later views.
//
// A reader captures so:
//   1. It notes the step of erasures.
//   2. It looks at the strip.
//   3. It takes the masks for the other sources: the tombstones of its view, and those that the
//      active memtable was given and the view does not know.
//   4. If the step has grown it begins again.
//
// Why that is one moment: with the same step before and behind, the strip was read after exactly
// the erasures that the masks consist of. Before step 1 of a deletion the reader finds it neither
// in the strip nor in the masks; after it, in both, whether its view is older or newer. A view that
// has the tombstone is never beside a memtable that was not given it, because it is published
// behind. Had the masks been taken before the strip, a deletion between would have taken the newer
// value out of the strip, and left the older one in its segment to be shown.
//
// The moment is that of the look at the strip, whose samples up to then are its beginning, and stay
// so while nothing is erased. holdStrip() copies them, so that later deletions do not matter. A
// strip of more than kHeldMax samples is not copied, but read in blocks: what is read of it after
// another deletion is without what that took, and heedErasures() then masks the other sources, too.
// Each series and each stretch of time that a query asks for is captured on its own.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/sample.h"
#include "segment/chunk_finder.h"
#include "view/view.h"

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
  // Looks for the series in a segment, which must live as long as this. It is the first of
  // `series`; the others are likely to be looked for next, in this order. REQUIRES: older segments
  // before.
  void addFrom(const Segment& segment, std::span<const SeriesRef> series, TimeRange range) {
    if (asked_ == finders_.size()) finders_.emplace_back();
    const auto found = finders_[asked_++].find(segment, series, range);
    if (!found.empty()) runs_.push_back({&segment, found});
  }

  // Has what the same segments have of a series that is looked for next fetched into the cache.
  void expect(SeriesRef next) const {
    for (std::size_t i = 0; i < asked_; ++i) finders_[i].expect(next);
  }

  SeriesRef ref() const { return ref_; }
  const std::vector<Run>& runs() const { return runs_; }  // Oldest segment first; until begin().

 private:
  SeriesRef ref_ = 0;
  std::vector<Run> runs_;
  // Of series after series the same segments are asked, so that each has its own.
  std::vector<ChunkFinder> finders_;
  std::size_t asked_ = 0;
};
// Replaces `chunks` by those that all segments have of the first series in the range. The others
// are likely to be looked for next. REQUIRES: !series.empty()
void findChunks(const View& view, std::span<const SeriesRef> series, TimeRange range,
                SeriesChunks& chunks);
// Whether that need not wait for the disk, as far as can be told.
bool areDirectoriesInMemory(const View& view, SeriesRef ref, TimeRange range);

// What one source has of the series: a chunk, or the strip of a memtable.
struct SourcePart {
  TimeRange range{0, -1};  // Holds its samples; begins and ends outside of what was deleted.
  const Segment* segment = nullptr;
  const ChunkEntry* chunk = nullptr;   // Of the segment.
  const Memtable* memtable = nullptr;  // Or else this, with the extent of its strip.
  const Memtable::Extent* extent = nullptr;
  std::uint32_t source = 0;  // The greater, the newer: of equal timestamps it has the value.

  std::uint64_t sampleCountMax() const {
    return chunk != nullptr ? chunk->summary.count : extent->count;
  }
};

// One capture after another. Not thread-safe.
class SeriesSources {
 public:
  SeriesSources() = default;
  SeriesSources(const SeriesSources&) = delete;
  SeriesSources& operator=(const SeriesSources&) = delete;

  // Replaces what was captured. View and chunks, which are those of the range, must live until the
  // next capture, up to which all that is reached from here is valid.
  void capture(const View& view, const SeriesChunks& chunks, TimeRange range);
  // The same, with the strip held.
  void captureHeld(const View& view, const SeriesChunks& chunks, TimeRange range);
  // Copies the samples of the active memtable, unless they are too many. False when something was
  // erased since the capture, which must then be done again.
  [[nodiscard]] bool holdStrip();

  // Ascending by the start of their ranges.
  const std::vector<SourcePart>& parts() const { return parts_; }
  // The extent of the active memtable's part, if there is one; else null.
  const Memtable::Extent* activeStrip() const { return activeStrip_; }
  bool hasHoles() const { return !holes_.empty(); }
  // What is deleted from the source of the part: disjoint, ascending.
  const std::vector<TimeRange>& holesOf(const SourcePart& part) const {
    return holes_.empty() ? kNoHoles : holes_[part.source];
  }
  // After a read of a live strip: where something was erased since, takes the masks anew and says
  // so.
  bool heedErasures();

 private:
  friend class StripReader;
  // Samples that are copied at most: 64 KiB, some microseconds.
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

// Reads a part that is a strip, in blocks. Not thread-safe.
class StripReader {
 public:
  // Begins with what the part has in the range. REQUIRES: a part of these sources' last capture.
  void open(const SeriesSources& sources, const SourcePart& part, TimeRange range);
  // The next samples, valid until the next call; empty at the end. Those that were deleted are
  // among them, where the strip is of a frozen memtable.
  std::span<const Sample> next();
  // Whether deletions take samples out of the strip while it is read.
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
