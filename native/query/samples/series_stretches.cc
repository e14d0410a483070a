#include "query/samples/series_stretches.h"

#include <algorithm>
#include <utility>

namespace seriesdb {
namespace {

void addPart(const SourcePart& part, std::vector<Stretch>& stretches) {
  const bool isShared = !stretches.empty() && part.range.start <= stretches.back().range.end;
  if (!isShared) stretches.push_back({part.range, {&part, 0}});
  Stretch& stretch = stretches.back();
  stretch.range.end = std::max(stretch.range.end, part.range.end);
  // The parts of a stretch are adjacent in memory.
  stretch.parts = {stretch.parts.data(), stretch.parts.size() + 1};
  stretch.sampleCountMax += part.sampleCountMax();
  if (part.chunk == nullptr) return;
  ++stretch.chunkCount;
  stretch.chunkBytes += part.chunk->size;
}

// Adds the stretches between holes of a stretch. The first one bears the whole cost.
void addLeft(Stretch stretch, const std::vector<TimeRange>& holes,
             std::vector<Stretch>& stretches) {
  const TimeRange whole = stretch.range;
  const auto add = [&](TimeRange left) {
    if (left.start > left.end) return;
    stretch.range = left;
    stretches.push_back(stretch);
    stretch.chunkCount = 0;
    stretch.chunkBytes = 0;
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

// Cuts holes out of single-part stretches. A merge handles the holes of its parts itself.
void leaveOutHoles(const SeriesSources& sources, std::vector<Stretch>& stretches) {
  std::vector<Stretch> whole;
  whole.swap(stretches);
  for (const Stretch& stretch : whole) {
    const SourcePart* part = stretch.alone();
    if (part == nullptr) {
      stretches.push_back(stretch);
    } else {
      addLeft(stretch, sources.holesOf(*part), stretches);
    }
  }
}

}  // namespace

void locateChunks(const TimeSlice& slice, std::span<const SeriesRef> series, SeriesChunks& chunks) {
  chunks.begin(series.front());
  for (const Segment* segment : slice.segments) chunks.addFrom(*segment, series, slice.range);
}

void findStretches(const SeriesSources& sources, std::vector<Stretch>& stretches) {
  stretches.clear();
  for (const SourcePart& part : sources.parts()) addPart(part, stretches);
  if (sources.hasHoles()) leaveOutHoles(sources, stretches);
}

}  // namespace seriesdb
