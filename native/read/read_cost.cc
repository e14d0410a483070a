#include "read/read_cost.h"

#include <vector>

#include "read/series_stretches.h"
#include "view/file_spans.h"

namespace seriesdb {
namespace {

constexpr std::size_t kShortSeries = 16;
constexpr std::uint64_t kShortChunks = 40;
// Looks into the directories of segments: some tens of nanoseconds each.
constexpr std::size_t kShortLooks = 4096;
// Questions whether a directory is in memory: some microseconds each, where nobody asked lately.
constexpr std::size_t kShortDirectories = 256;

void add(const Stretch& stretch, ReadCost& cost, FileSpans& files) {
  cost.chunks += stretch.chunkCount;
  cost.samples += stretch.sampleCountMax;
  if (stretch.chunk() == nullptr) cost.memorySamples += stretch.sampleCountMax;
  for (const SourcePart& part : stretch.parts) {
    if (part.chunk != nullptr) files.add(*part.segment, *part.chunk);
  }
}

}  // namespace

std::optional<ReadCost> shortCostOf(const View& view, std::span<const SeriesRef> refs,
                                    std::span<const TimeRange> ranges, TimeRange hull) {
  if (refs.size() > kShortSeries) return std::nullopt;
  std::size_t looks = view.segments.size();
  if (looks > kShortLooks) return std::nullopt;
  const TimeSlice whole = sliceOf(view, hull);
  if (refs.size() * whole.segments.size() > kShortDirectories) return std::nullopt;
  for (const SeriesRef ref : refs) {
    for (const Segment* segment : whole.segments) {
      if (!segment->isDirectoryInMemory(ref)) return std::nullopt;
    }
  }
  ReadCost cost;
  FileSpans files;
  std::vector<Stretch> stretches;
  SeriesChunks chunks;
  SeriesSources sources;
  for (const TimeRange& range : ranges) {
    looks += view.segments.size();
    if (looks > kShortLooks) return std::nullopt;
    const TimeSlice slice = sliceOf(view, range);
    for (const SeriesRef ref : refs) {
      looks += slice.segments.size();
      if (looks > kShortLooks) return std::nullopt;
      locateChunks(slice, {&ref, 1}, chunks);
      sources.capture(view, chunks, range);
      findStretches(sources, stretches);
      for (const Stretch& stretch : stretches) add(stretch, cost, files);
      if (cost.chunks > kShortChunks) return std::nullopt;
    }
  }
  if (!files.areInMemory()) return std::nullopt;
  return cost;
}

}  // namespace seriesdb
