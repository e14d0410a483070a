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

std::uint32_t addChunks(const Segment& segment, SeriesRef ref, TimeRange range, const Masks& masks,
                        std::vector<Piece>& pieces) {
  const auto chunks = segment.chunksOf(ref);
  const auto count = static_cast<std::uint32_t>(chunks.size());
  if (segment.facts().tsMin > range.end || segment.facts().tsMax < range.start) return count;
  auto at = std::partition_point(chunks.begin(), chunks.end(), [range](const ChunkEntry& entry) {
    return entry.summary.tsMax < range.start;
  });
  const std::vector<TimeRange> holes = masks.holesOf(segment.facts().sequenceMax);
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
  return count;
}

void addMemtable(const Memtable& memtable, SeriesRef ref, TimeRange range,
                 const std::vector<TimeRange>& holes, std::vector<Piece>& pieces) {
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

std::uint32_t findPieces(const View& view, SeriesRef ref, TimeRange range,
                         std::vector<Piece>& pieces) {
  // Again when the active memtable has lost samples between the masks and the look at it.
  const std::size_t erasureCount = view.active->erasureCount();
  pieces.clear();
  std::uint32_t chunkCount = 0;
  const Masks masks = view.masksOf(ref, range);
  for (const auto& segment : view.segments) {
    chunkCount += addChunks(*segment, ref, range, masks, pieces);
  }
  for (const auto& frozen : view.frozen) {
    addMemtable(*frozen->memtable, ref, range, masks.holesOf(frozen->sequenceMax), pieces);
  }
  addMemtable(*view.active, ref, range, {}, pieces);
  if (view.active->erasureCount() != erasureCount) return findPieces(view, ref, range, pieces);
  if (pieces.size() > 1) joinOverlapping(pieces);
  return chunkCount;
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
