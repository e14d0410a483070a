// Where the samples of one series lie, cut into pieces that follow one another in time.
//
// Where only one source covers a stretch, the piece is that source, which can be taken whole from
// its summary or decoded without a merge. Stretches which several sources share are one piece, read
// by a merge.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/view.h"
#include "model/sample.h"
#include "query/time_slice.h"

namespace seriesdb {

struct Piece {
  TimeRange range;                   // What to read of it; not empty.
  const Segment* segment = nullptr;  // With `chunk`: that chunk alone.
  const ChunkEntry* chunk = nullptr;
  const Memtable* memtable = nullptr;  // That memtable alone. Neither: merge all sources.
  Memtable::Extent extent;             // Of the memtable.
  // What reading it costs at most.
  std::uint32_t chunkCount = 0;
  std::uint64_t chunkBytes = 0;
  std::uint64_t sampleCountMax = 0;

  // The whole chunk is in range, so that its summary answers for it.
  bool isWholeChunk() const {
    return chunk != nullptr && range.start <= chunk->summary.tsMin &&
           chunk->summary.tsMax <= range.end;
  }
  // All that the memtable held of the series is in range.
  bool isWholeRow() const {
    return memtable != nullptr && extent.range.start == range.start &&
           extent.range.end == range.end;
  }
};

// The chunks of one series, by segment of a slice.
using SeriesChunks = std::vector<std::span<const ChunkEntry>>;

// Replaces `chunks` by those of the series, and has them fetched into the cache.
void locateChunks(const TimeSlice& slice, SeriesRef ref, SeriesChunks& chunks);
// Replaces `pieces` by those of the series in the slice, ascending, disjoint. `chunks` are as
// locateChunks gives them. The pieces are valid as long as the view.
void findPieces(const View& view, const TimeSlice& slice, SeriesRef ref, const SeriesChunks& chunks,
                std::vector<Piece>& pieces);
// The same for one series and range alone.
void findPieces(const View& view, SeriesRef ref, TimeRange range, std::vector<Piece>& pieces);

// What reading series costs at most.
struct ReadCost {
  std::uint64_t chunks = 0;
  std::uint64_t memorySamples = 0;  // Of memtables and merges.
  std::uint64_t samples = 0;        // Of these and of chunks, whole.
};
ReadCost costOf(const View& view, std::span<const SeriesRef> refs,
                std::span<const TimeRange> ranges);

}  // namespace seriesdb
