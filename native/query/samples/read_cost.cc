#include "query/samples/read_cost.h"

#include <algorithm>
#include <vector>

#include "query/samples/series_stretches.h"
#include "storage/view/file_spans.h"

namespace seriesdb {
namespace {

constexpr std::size_t kShortSeries = 128;
// The most work of a short read: less than half a millisecond.
constexpr std::uint64_t kShortWork = 500'000;
// The most reads of segment directories: some tens of nanoseconds each.
constexpr std::size_t kShortLooks = 4096;
// The most directories checked for being in memory. A check takes some microseconds per page that
// was not checked lately.
constexpr std::size_t kShortDirectories = 1024;

// The cost of finding and starting a stretch, in samples.
constexpr std::uint64_t kWorkOfStretch = 512;
// From this series on, the others are expected to cost as much. A wrong guess only moves a short
// read to a query thread. Without it, a read that is a little too long would be looked at as a
// whole, for nothing.
constexpr std::size_t kGuessedFrom = 8;
// Samples that are decoded together.
constexpr std::uint64_t kSamplesOfBlock = 128;
// The cost of a sample in other codecs, in quickly decoded samples.
constexpr std::uint64_t kWorkOfXor = 5;
constexpr std::uint64_t kWorkOfCoded = 2;
// Skipped samples that cost as much as one decoded sample.
constexpr std::uint64_t kPassedPerSample = 6;

double lengthOf(Timestamp start, Timestamp end) {
  return static_cast<double>(static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(start)) +
         1;
}

// An estimate, as if samples were spread evenly, in whole decode blocks.
std::uint64_t samplesIn(TimeRange part, const ChunkSummary& summary) {
  const double share =
      lengthOf(part.start, part.end) / lengthOf(summary.tsMin, summary.tsMax) * summary.count;
  const std::uint64_t most = static_cast<std::uint64_t>(share) + kSamplesOfBlock;
  return std::min(most, std::uint64_t{summary.count});
}

std::uint64_t workOf(const Stretch& stretch) {
  const ChunkEntry* chunk = stretch.chunk();
  if (chunk == nullptr || !chunk->isKnown()) return kWorkOfStretch + stretch.sampleCountMax;
  const std::uint64_t count = chunk->summary.count;
  switch (chunk->summary.valueCodec) {
    case ValueCodec::kXor:
      return kWorkOfStretch + kWorkOfXor * count;
    case ValueCodec::kDecimalCoded:
    case ValueCodec::kDecimalSpecial:
      return kWorkOfStretch + kWorkOfCoded * count;
    default:
      break;
  }
  // The first read of a chunk checks the whole chunk and its checksum.
  if (!stretch.parts[0].segment->wasRead(*chunk)) return kWorkOfStretch + count + count / 2;
  if (stretch.isWholeChunk()) return kWorkOfStretch + count;
  return kWorkOfStretch + samplesIn(stretch.range, chunk->summary) + count / kPassedPerSample;
}

void add(const Stretch& stretch, ReadCost& cost, FileSpans& files) {
  cost.work += workOf(stretch);
  cost.samples += stretch.sampleCountMax;
  const ChunkEntry* chunk = stretch.chunk();
  const bool isKnown = chunk != nullptr && chunk->isKnown();
  cost.reached += isKnown ? samplesIn(stretch.range, chunk->summary) : stretch.sampleCountMax;
  if (chunk == nullptr) cost.memorySamples += stretch.sampleCountMax;
  for (const SourcePart& part : stretch.parts) {
    if (part.chunk != nullptr) files.add(*part.segment, *part.chunk);
  }
}

bool areDirectoriesInMemory(const TimeSlice& slice, std::span<const SeriesRef> refs) {
  if (refs.size() * slice.segments.size() > kShortDirectories) return false;
  return std::all_of(slice.segments.begin(), slice.segments.end(),
                     [&](const Segment* segment) { return segment->isDirectoryInMemory(refs); });
}

}  // namespace

std::optional<ReadCost> shortCostOf(const View& view, std::span<const SeriesRef> refs,
                                    std::span<const TimeRange> ranges, TimeRange hull) {
  if (refs.size() > kShortSeries) return std::nullopt;
  std::size_t looks = view.segments.size();
  if (looks > kShortLooks || !areDirectoriesInMemory(sliceOf(view, hull), refs)) {
    return std::nullopt;
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
    const std::uint64_t before = cost.work;
    for (std::size_t place = 0; place < refs.size(); ++place) {
      looks += slice.segments.size();
      if (looks > kShortLooks) return std::nullopt;
      locateChunks(slice, refs.subspan(place), chunks);
      sources.capture(view, chunks, range);
      findStretches(sources, stretches);
      for (const Stretch& stretch : stretches) add(stretch, cost, files);
      if (cost.work > kShortWork) return std::nullopt;
      const std::size_t seen = place + 1;
      const std::uint64_t expected = before + (cost.work - before) / seen * refs.size();
      if (seen >= kGuessedFrom && expected > kShortWork) return std::nullopt;
    }
  }
  if (!files.areInMemory()) return std::nullopt;
  return cost;
}

}  // namespace seriesdb
