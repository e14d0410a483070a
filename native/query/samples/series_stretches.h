// Cuts the samples of one series into stretches that follow one another in time.
//
// Some stretches belong to one source alone. They are answered from the summary or decoded without
// a merge. Other stretches are shared by several sources and read by a merge.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/types/sample.h"
#include "query/samples/time_slice.h"
#include "storage/view/series_sources.h"

namespace seriesdb {

struct Stretch {
  TimeRange range;                    // The range to read; not empty.
  std::span<const SourcePart> parts;  // One part, or several to merge.
  // The maximum cost of reading it.
  std::uint32_t chunkCount = 0;
  std::uint64_t chunkBytes = 0;
  std::uint64_t sampleCountMax = 0;

  // The only part; null if there are several.
  const SourcePart* alone() const { return parts.size() == 1 ? parts.data() : nullptr; }
  // The chunk that the stretch covers or lies in; null for any other source.
  const ChunkEntry* chunk() const { return parts.size() == 1 ? parts[0].chunk : nullptr; }
  // True if the whole chunk is in range with finite values. Then its summary can answer for it.
  bool isWholeChunk() const {
    if (chunk() == nullptr || !chunk()->isKnown() || !chunk()->summary.isFinite()) return false;
    return range.start <= chunk()->summary.tsMin && chunk()->summary.tsMax <= range.end;
  }
  // The extent of a strip that is wholly in range with finite values, else null. The extent can
  // answer for the strip.
  const Memtable::Extent* wholeStrip() const {
    if (parts.size() != 1 || parts[0].memtable == nullptr) return nullptr;
    if (!parts[0].extent->isFinite) return nullptr;
    const TimeRange all = parts[0].extent->range;
    return all.start == range.start && all.end == range.end ? parts[0].extent : nullptr;
  }
};

// Replaces `chunks` by the chunks of the first series. The other series are prefetched: they are
// likely to follow. REQUIRES: !series.empty()
void locateChunks(const TimeSlice& slice, std::span<const SeriesRef> series, SeriesChunks& chunks);
// Replaces `stretches` by the capture's stretches, ascending and disjoint. They are valid as long
// as the capture.
void findStretches(const SeriesSources& sources, std::vector<Stretch>& stretches);

}  // namespace seriesdb
