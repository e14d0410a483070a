// Where the samples of one series lie, cut into stretches that follow one another in time.
//
// A stretch is as much of one source as no other reaches into, which can be taken whole from its
// summary or decoded without a merge; or what several sources share, which is read by a merge.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/types/sample.h"
#include "query/samples/time_slice.h"
#include "storage/view/series_sources.h"

namespace seriesdb {

struct Stretch {
  TimeRange range;                    // What to read of it; not empty.
  std::span<const SourcePart> parts;  // One, or several to be merged.
  // What reading it costs at most.
  std::uint32_t chunkCount = 0;
  std::uint64_t chunkBytes = 0;
  std::uint64_t sampleCountMax = 0;

  // The part, when there is only one; else null.
  const SourcePart* alone() const { return parts.size() == 1 ? parts.data() : nullptr; }
  // The chunk that the stretch is, or is of; null where it is something else.
  const ChunkEntry* chunk() const { return parts.size() == 1 ? parts[0].chunk : nullptr; }
  // The whole chunk is in range and of numbers, so that its summary answers for it.
  bool isWholeChunk() const {
    if (chunk() == nullptr || !chunk()->isKnown() || !chunk()->summary.isFinite()) return false;
    return range.start <= chunk()->summary.tsMin && chunk()->summary.tsMax <= range.end;
  }
  // The strip that is all in range and of numbers, so that its extent answers for it; or null.
  const Memtable::Extent* wholeStrip() const {
    if (parts.size() != 1 || parts[0].memtable == nullptr) return nullptr;
    if (!parts[0].extent->isFinite) return nullptr;
    const TimeRange all = parts[0].extent->range;
    return all.start == range.start && all.end == range.end ? parts[0].extent : nullptr;
  }
};

// Replaces `chunks` by those of the first series. The others are likely to be looked for next.
// REQUIRES: !series.empty()
void locateChunks(const TimeSlice& slice, std::span<const SeriesRef> series, SeriesChunks& chunks);
// Replaces `stretches` by those of what was captured, ascending, disjoint; as valid as the capture.
void findStretches(const SeriesSources& sources, std::vector<Stretch>& stretches);

}  // namespace seriesdb
