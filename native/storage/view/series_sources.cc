#include "storage/view/series_sources.h"

#include <algorithm>
#include <utility>

namespace seriesdb {
namespace {

// Samples copied from a strip at a time, if the strip is not held.
constexpr std::size_t kStripBlock = 8192;
// The sequence of the active memtable's samples: later than any deletion.
constexpr std::uint64_t kStillWritten = UINT64_MAX;

TimeRange overlap(TimeRange a, TimeRange b) {
  return {std::max(a.start, b.start), std::min(a.end, b.end)};
}

bool isOf(const SegmentFacts& facts, TimeRange range) {
  return facts.tsMin <= range.end && facts.tsMax >= range.start;
}

// The range without the holes at its ends; empty if nothing is left.
TimeRange trimmed(TimeRange range, const std::vector<TimeRange>& holes) {
  for (const TimeRange& hole : holes) {
    if (hole.start > range.start || hole.end < range.start) continue;
    if (hole.end >= range.end) return {0, -1};
    range.start = hole.end + 1;
  }
  // The first loop returned unless something is left, so the last hole leaves some of the range.
  for (auto hole = holes.rbegin(); hole != holes.rend(); ++hole) {
    if (hole->start <= range.end && hole->end >= range.end) range.end = hole->start - 1;
  }
  return range;
}

}  // namespace

const std::vector<TimeRange> SeriesSources::kNoHoles;

void findChunks(const View& view, std::span<const SeriesRef> series, TimeRange range,
                SeriesChunks& chunks) {
  chunks.begin(series.front());
  for (const auto& segment : view.segments) {
    if (isOf(segment->facts(), range)) chunks.addFrom(*segment, series, range);
  }
}

bool areDirectoriesInMemory(const View& view, SeriesRef ref, TimeRange range) {
  return std::all_of(view.segments.begin(), view.segments.end(), [&](const auto& segment) {
    return !isOf(segment->facts(), range) || segment->isDirectoryInMemory({&ref, 1});
  });
}

void SeriesSources::capture(const View& view, const SeriesChunks& chunks, TimeRange range) {
  view_ = &view;
  chunks_ = &chunks;
  range_ = range;
  do {
    erasureStep_ = view.active->erasureStep();
    gather();
  } while (view.active->erasureStep() != erasureStep_);
}

void SeriesSources::captureHeld(const View& view, const SeriesChunks& chunks, TimeRange range) {
  do {
    capture(view, chunks, range);
  } while (!holdStrip());
}

bool SeriesSources::holdStrip() {
  if (activeStrip_ == nullptr || isHeld_) return true;
  if (!activeStrip_->isAscending && activeStrip_->count > kHeldMax) return true;
  isHeld_ = !view_->active->read(chunks_->ref(), {range_, kHeldMax, activeStrip_}, held_);
  return view_->active->erasureStep() == erasureStep_;
}

// The strip must be read before the masks.
void SeriesSources::gather() {
  parts_.clear();
  isHeld_ = false;
  activeStrip_ = nullptr;
  auto source = static_cast<std::uint32_t>(chunks_->runs().size());
  extents_.resize(view_->frozen.size() + 1);
  Memtable::Extent& strip = extents_.back();
  strip = {};
  // If the active memtable is empty, the lookup is skipped.
  if (view_->active->sampleCount() > 0) strip = view_->active->extentOf(chunks_->ref());
  takeMasks();
  for (std::uint32_t i = 0; i < chunks_->runs().size(); ++i) addChunks(chunks_->runs()[i], i);
  for (std::size_t i = 0; i < view_->frozen.size(); ++i) {
    const Memtable& memtable = *view_->frozen[i]->memtable;
    extents_[i] = memtable.extentOf(chunks_->ref());
    addStrip(memtable, extents_[i], source++);
  }
  if (addStrip(*view_->active, strip, source)) activeStrip_ = &strip;
  const auto before = [](const SourcePart& a, const SourcePart& b) {
    return a.range.start < b.range.start;
  };
  if (!std::is_sorted(parts_.begin(), parts_.end(), before)) {
    std::sort(parts_.begin(), parts_.end(), before);
  }
}

void SeriesSources::takeMasks() {
  holes_.clear();
  const SeriesRef ref = chunks_->ref();
  Masks masks = view_->tombstones.masksOf(ref, range_);
  if (view_->active->erasureCount() > view_->activeErasures) {
    for (const auto& erased : view_->active->erasuresFrom(view_->activeErasures)) {
      if (erased->holds(ref)) masks.add(*erased, range_);
    }
    masks.sort();
  }
  if (masks.isEmpty()) return;
  for (const SeriesChunks::Run& run : chunks_->runs()) {
    holes_.push_back(masks.holesOf(run.segment->floor()));
  }
  for (const auto& frozen : view_->frozen) holes_.push_back(masks.holesOf(frozen->sequenceMax));
  holes_.push_back(masks.holesOf(kStillWritten));
}

void SeriesSources::addChunks(const SeriesChunks::Run& run, std::uint32_t source) {
  for (const ChunkEntry& chunk : run.chunks) {
    SourcePart part;
    part.range = overlap(range_, {chunk.summary.tsMin, chunk.summary.tsMax});
    part.segment = run.segment;
    part.chunk = &chunk;
    part.source = source;
    addPart(part);
  }
}

bool SeriesSources::addStrip(const Memtable& memtable, const Memtable::Extent& extent,
                           std::uint32_t source) {
  if (extent.count == 0) return false;
  SourcePart part;
  part.range = overlap(range_, extent.range);
  part.memtable = &memtable;
  part.extent = &extent;
  part.source = source;
  return part.range.start <= part.range.end && addPart(part);
}

bool SeriesSources::addPart(SourcePart part) {
  if (!holes_.empty()) part.range = trimmed(part.range, holes_[part.source]);
  if (part.range.start > part.range.end) return false;
  parts_.push_back(part);
  return true;
}

bool SeriesSources::heedErasures() {
  const std::uint64_t step = view_->active->erasureStep();
  if (step == erasureStep_) return false;
  erasureStep_ = step;
  takeMasks();
  return true;
}

void StripReader::open(const SeriesSources& sources, const SourcePart& part, TimeRange range) {
  memtable_ = part.memtable;
  extent_ = part.extent;
  ref_ = sources.chunks_->ref();
  rest_ = range;
  const bool isActive = part.extent == sources.activeStrip_;
  isHeld_ = isActive && sources.isHeld_;
  isLive_ = isActive && !sources.isHeld_;
  if (!isHeld_) return;
  const auto& all = sources.held_;
  const auto begin =
      std::lower_bound(all.begin(), all.end(), range.start,
                       [](const Sample& sample, Timestamp ts) { return sample.ts < ts; });
  const auto end =
      std::upper_bound(begin, all.end(), range.end,
                       [](Timestamp ts, const Sample& sample) { return ts < sample.ts; });
  held_ = {begin, end};
}

std::span<const Sample> StripReader::next() {
  if (isHeld_) return std::exchange(held_, {});
  if (memtable_ == nullptr) return {};
  const bool hasMore = memtable_->read(ref_, {rest_, kStripBlock, extent_}, block_);
  if (hasMore) {
    rest_.start = block_.back().ts + 1;
  } else {
    memtable_ = nullptr;
  }
  return block_;
}

}  // namespace seriesdb
