#include "query/series_pieces.h"

#include <algorithm>
#include <vector>

namespace seriesdb {
namespace {

TimeRange overlap(TimeRange a, TimeRange b) {
  return {std::max(a.start, b.start), std::min(a.end, b.end)};
}

// The piece, or what deletions have left of it: several pieces, whose cost the first one bears.
void addPiece(Piece piece, const std::vector<TimeRange>& holes, std::vector<Piece>& pieces) {
  if (!touchesHole(holes, piece.range)) return pieces.push_back(piece);
  const TimeRange whole = piece.range;
  const auto add = [&](TimeRange part) {
    if (part.start > part.end) return;
    piece.range = part;
    pieces.push_back(piece);
    piece.chunkCount = 0;
    piece.chunkBytes = 0;
  };
  Timestamp from = whole.start;
  for (const TimeRange& hole : holes) {
    if (hole.end < from) continue;
    if (hole.start > whole.end) break;
    if (hole.start > from) add({from, hole.start - 1});
    if (hole.end >= whole.end) return;
    from = hole.end + 1;
  }
  add({from, whole.end});
}

void addChunks(const Segment& segment, std::span<const ChunkEntry> chunks, TimeRange range,
               const Masks& masks, std::vector<Piece>& pieces) {
  auto at = std::partition_point(chunks.begin(), chunks.end(), [range](const ChunkEntry& entry) {
    return entry.summary.tsMax < range.start;
  });
  std::vector<TimeRange> holes;
  if (!masks.isEmpty()) holes = masks.holesOf(segment.facts().sequenceMax);
  for (; at != chunks.end() && at->summary.tsMin <= range.end; ++at) {
    Piece piece;
    piece.range = overlap(range, {at->summary.tsMin, at->summary.tsMax});
    piece.segment = &segment;
    piece.chunk = &*at;
    piece.chunkCount = 1;
    piece.chunkBytes = at->size;
    piece.sampleCountMax = at->summary.count;
    addPiece(piece, holes, pieces);
  }
}

void addMemtable(const Memtable& memtable, SeriesRef ref, TimeRange range,
                 const std::vector<TimeRange>& holes, std::vector<Piece>& pieces) {
  // Where nothing is in memory, no series need be looked up.
  if (memtable.sampleCount() == 0) return;
  const Memtable::Extent extent = memtable.extentOf(ref);
  if (extent.count == 0) return;
  Piece piece;
  piece.range = overlap(range, extent.range);
  if (piece.range.start > piece.range.end) return;
  piece.memtable = &memtable;
  piece.extent = extent;
  piece.sampleCountMax = extent.count;
  addPiece(piece, holes, pieces);
}

// Joins pieces that overlap into ones that must be merged.
void joinOverlapping(std::vector<Piece>& pieces) {
  const auto before = [](const Piece& a, const Piece& b) { return a.range.start < b.range.start; };
  if (!std::is_sorted(pieces.begin(), pieces.end(), before)) {
    std::sort(pieces.begin(), pieces.end(), before);
  }
  std::size_t kept = 0;
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    Piece& last = pieces[kept];
    const Piece& next = pieces[i];
    if (next.range.start > last.range.end) {
      pieces[++kept] = next;
      continue;
    }
    last.range.end = std::max(last.range.end, next.range.end);
    last.segment = nullptr;
    last.chunk = nullptr;
    last.memtable = nullptr;
    last.chunkCount += next.chunkCount;
    last.chunkBytes += next.chunkBytes;
    last.sampleCountMax += next.sampleCountMax;
  }
  if (!pieces.empty()) pieces.resize(kept + 1);
}

}  // namespace

void locateChunks(const TimeSlice& slice, SeriesRef ref, SeriesChunks& chunks) {
  chunks.clear();
  for (const Segment* segment : slice.segments) {
    const std::span<const ChunkEntry> found = segment->chunksOf(ref);
    chunks.push_back(found);
    if (found.empty()) continue;
    // An entry may begin in one line and end in the next.
    const char* first = reinterpret_cast<const char*>(found.data());
    __builtin_prefetch(first);
    __builtin_prefetch(first + sizeof(ChunkEntry) - 1);
  }
}

void findPieces(const View& view, const TimeSlice& slice, SeriesRef ref, const SeriesChunks& chunks,
                std::vector<Piece>& pieces) {
  pieces.clear();
  const TimeRange range = slice.range;
  const Masks masks = view.masksOf(ref, range);
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    if (!chunks[i].empty()) addChunks(*slice.segments[i], chunks[i], range, masks, pieces);
  }
  for (const auto& frozen : view.frozen) {
    addMemtable(*frozen->memtable, ref, range, masks.holesOf(frozen->sequenceMax), pieces);
  }
  addMemtable(*view.active, ref, range, {}, pieces);
  if (pieces.size() > 1) joinOverlapping(pieces);
}

void findPieces(const View& view, SeriesRef ref, TimeRange range, std::vector<Piece>& pieces) {
  const TimeSlice slice = sliceOf(view, range);
  SeriesChunks chunks;
  locateChunks(slice, ref, chunks);
  findPieces(view, slice, ref, chunks, pieces);
}

ReadCost costOf(const View& view, std::span<const SeriesRef> refs,
                std::span<const TimeRange> ranges) {
  ReadCost cost;
  std::vector<Piece> pieces;
  for (const SeriesRef ref : refs) {
    for (const TimeRange& range : ranges) {
      findPieces(view, ref, range, pieces);
      for (const Piece& piece : pieces) {
        cost.chunks += piece.chunkCount;
        cost.samples += piece.sampleCountMax;
        if (piece.chunk == nullptr) cost.memorySamples += piece.sampleCountMax;
      }
    }
  }
  return cost;
}

}  // namespace seriesdb
