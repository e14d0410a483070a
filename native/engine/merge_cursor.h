// Reads one series over all its sources in time order: k-way merge of runs, the newest run wins a
// tie.
//
// A run is what one segment or one memtable holds of the series: ascending, one sample a timestamp,
// without those that were deleted after it was complete.
// Chunks are decoded one at a time, when the merge reaches them; where only one run has samples,
// they are copied in bulk. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/status.h"
#include "engine/view.h"

namespace seriesdb {

class MergeCursor {
 public:
  // Holds on to `view`.
  MergeCursor(PinnedView view, SeriesRef ref, TimeRange range);

  // Appends at least one sample and about `countMax`, ascending; appends nothing at the end.
  Status next(std::size_t countMax, std::vector<Timestamp>& ts, std::vector<double>& values);

  // Appends what one source gives before another has a sample, at most `countMax`; returns how
  // many, 0 at the end.
  Result<std::size_t> nextPiece(std::size_t countMax, std::vector<Timestamp>& ts,
                                std::vector<double>& values);

  // Steps over the next chunk and gives its summary, when all of it is in range and no other source
  // has a sample before its end. Nothing when the next samples must be read.
  std::optional<ChunkSummary> takeWholeChunk();

  // Upper bound of the samples that are left to decode, for choosing a thread.
  std::uint64_t estimatedSamples() const { return estimatedSamples_; }

 private:
  struct Run {
    const Segment* segment = nullptr;    // Or else `memtable`.
    std::span<const ChunkEntry> chunks;  // Not yet decoded.
    std::uint64_t sequenceMax = 0;       // The last record of this source.
    std::vector<TimeRange> holes;        // Deleted from it.
    const Memtable* memtable = nullptr;  // Null once read to its end.
    Timestamp memtableFrom = 0;          // Where the next read of it begins.
    std::vector<Timestamp> ts;           // Decoded, in range.
    std::vector<double> values;
    std::size_t at = 0;

    bool isLoaded() const { return at < ts.size(); }
    bool hasMore() const { return isLoaded() || !chunks.empty() || memtable != nullptr; }
  };

  void addSegment(const Segment& segment, const Masks& masks);
  void addMemtable(const Memtable& memtable, std::uint64_t sequenceMax, const Masks& masks);
  void heedErasures();
  static void leaveOutHoles(Run& run);
  Timestamp head(const Run& run) const;
  Status load(Run& run);
  Status loadChunk(Run& run);
  void loadMemtable(Run& run);
  Result<Run*> pickNewestFirst();
  std::size_t countBeforeOthers(const Run& best, std::size_t countMax) const;

  PinnedView view_;
  SeriesRef ref_;
  TimeRange range_;
  std::vector<Run> runs_;  // Oldest first; the active memtable is the last.
  std::size_t erasureCount_;
  std::uint64_t estimatedSamples_ = 0;
};

}  // namespace seriesdb
