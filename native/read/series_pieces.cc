#include "read/series_pieces.h"

#include <algorithm>
#include <utility>

namespace seriesdb {
namespace {

void addPart(const SourcePart& part, std::vector<Piece>& pieces) {
  const bool isShared = !pieces.empty() && part.range.start <= pieces.back().range.end;
  if (!isShared) pieces.push_back({part.range, {&part, 0}});
  Piece& piece = pieces.back();
  piece.range.end = std::max(piece.range.end, part.range.end);
  // The parts of a piece stand behind one another.
  piece.parts = {piece.parts.data(), piece.parts.size() + 1};
  piece.sampleCountMax += part.sampleCountMax();
  if (part.chunk == nullptr) return;
  ++piece.chunkCount;
  piece.chunkBytes += part.chunk->size;
}

// What deletions have left of a piece: several pieces, whose cost the first one bears.
void addLeft(Piece piece, const std::vector<TimeRange>& holes, std::vector<Piece>& pieces) {
  const TimeRange whole = piece.range;
  const auto add = [&](TimeRange left) {
    if (left.start > left.end) return;
    piece.range = left;
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

// Merges heed the holes of their parts themselves.
void leaveOutHoles(const SeriesSources& sources, std::vector<Piece>& pieces) {
  std::vector<Piece> whole;
  whole.swap(pieces);
  for (const Piece& piece : whole) {
    const SourcePart* part = piece.alone();
    if (part == nullptr) {
      pieces.push_back(piece);
    } else {
      addLeft(piece, sources.holesOf(*part), pieces);
    }
  }
}

}  // namespace

void locateChunks(const TimeSlice& slice, SeriesRef ref, SeriesChunks& chunks) {
  chunks.begin(ref);
  for (const Segment* segment : slice.segments) chunks.addFrom(*segment, slice.range);
}

void findPieces(const SeriesSources& sources, std::vector<Piece>& pieces) {
  pieces.clear();
  for (const SourcePart& part : sources.parts()) addPart(part, pieces);
  if (sources.hasHoles()) leaveOutHoles(sources, pieces);
}

}  // namespace seriesdb
