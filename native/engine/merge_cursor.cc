#include "engine/merge_cursor.h"

#include <algorithm>
#include <utility>

namespace seriesdb {
namespace {
// Samples copied from a memtable at a time.
constexpr std::size_t kMemtableReadMax = 16384;
// No deletion is later than the last record of the active memtable.
constexpr std::uint64_t kStillWritten = UINT64_MAX;
}  // namespace

MergeCursor::MergeCursor(PinnedView view, SeriesRef ref, TimeRange range)
    : view_(std::move(view)), ref_(ref), range_(range), erasureCount_(view_->activeErasures) {
  const Masks masks = view_->masksOf(ref, range);
  for (const auto& segment : view_->segments) addSegment(*segment, masks);
  for (const auto& frozen : view_->frozen) {
    addMemtable(*frozen->memtable, frozen->sequenceMax, masks);
  }
  addMemtable(*view_->active, kStillWritten, masks);
  heedErasures();
}

void MergeCursor::addSegment(const Segment& segment, const Masks& masks) {
  if (segment.facts().tsMin > range_.end || segment.facts().tsMax < range_.start) return;
  auto chunks = segment.chunksOf(ref_);
  const auto begin = std::partition_point(
      chunks.begin(), chunks.end(),
      [this](const ChunkEntry& entry) { return entry.summary.tsMax < range_.start; });
  const auto end = std::partition_point(begin, chunks.end(), [this](const ChunkEntry& entry) {
    return entry.summary.tsMin <= range_.end;
  });
  if (begin == end) return;
  Run run;
  run.segment = &segment;
  run.chunks = {begin, end};
  run.sequenceMax = segment.facts().sequenceMax;
  run.holes = masks.holesOf(run.sequenceMax);
  for (const ChunkEntry& entry : run.chunks) estimatedSamples_ += entry.summary.count;
  runs_.push_back(std::move(run));
}

void MergeCursor::addMemtable(const Memtable& memtable, std::uint64_t sequenceMax,
                              const Masks& masks) {
  const std::size_t count = memtable.sampleCountOf(ref_);
  if (count == 0) return;
  Run run;
  run.memtable = &memtable;
  run.memtableFrom = range_.start;
  run.sequenceMax = sequenceMax;
  run.holes = masks.holesOf(sequenceMax);
  estimatedSamples_ += count;
  runs_.push_back(std::move(run));
}

// After every read of the active memtable: where it has lost samples since, what they had
// overwritten must not show in their place.
void MergeCursor::heedErasures() {
  const std::size_t count = view_->active->erasureCount();
  if (count <= erasureCount_) return;
  erasureCount_ = count;
  const Masks masks = view_->masksOf(ref_, range_);
  for (Run& run : runs_) {
    run.holes = masks.holesOf(run.sequenceMax);
    leaveOutHoles(run);
  }
}

// The next timestamp of the run, or a lower bound of it while it is not loaded.
Timestamp MergeCursor::head(const Run& run) const {
  if (run.isLoaded()) return run.ts[run.at];
  if (run.memtable != nullptr) return run.memtableFrom;
  return std::max(range_.start, run.chunks.front().summary.tsMin);
}

Status MergeCursor::load(Run& run) {
  if (run.memtable != nullptr) {
    loadMemtable(run);
    return Status::okStatus();
  }
  return loadChunk(run);
}

void MergeCursor::loadMemtable(Run& run) {
  std::vector<Sample> samples;
  const TimeRange rest{run.memtableFrom, range_.end};
  const bool hasMore = run.memtable->read(ref_, rest, kMemtableReadMax, samples);
  if (hasMore) {
    run.memtableFrom = samples.back().ts + 1;
  } else {
    run.memtable = nullptr;
  }
  run.at = 0;
  run.ts.clear();
  run.values.clear();
  for (const Sample& sample : samples) {
    run.ts.push_back(sample.ts);
    run.values.push_back(sample.value);
  }
  leaveOutHoles(run);
  heedErasures();
}

Status MergeCursor::loadChunk(Run& run) {
  const ChunkEntry& entry = run.chunks.front();
  if (isInHole(run.holes, {entry.summary.tsMin, entry.summary.tsMax})) {
    run.chunks = run.chunks.subspan(1);
    return Status::okStatus();
  }
  const auto bytes = run.segment->chunkBytes(entry);
  if (!bytes.ok()) return bytes.status();
  run.ts.resize(entry.summary.count);
  run.values.resize(entry.summary.count);
  const Status decoded = decodeChunk(bytes.value(), run.ts, run.values);
  if (!decoded.ok()) return decoded;
  run.chunks = run.chunks.subspan(1);
  const auto begin = std::lower_bound(run.ts.begin(), run.ts.end(), range_.start);
  const auto end = std::upper_bound(begin, run.ts.end(), range_.end);
  run.at = static_cast<std::size_t>(begin - run.ts.begin());
  run.ts.resize(static_cast<std::size_t>(end - run.ts.begin()));
  leaveOutHoles(run);
  return Status::okStatus();
}

// Of what is loaded.
void MergeCursor::leaveOutHoles(Run& run) {
  if (run.holes.empty() || !run.isLoaded()) return;
  if (!touchesHole(run.holes, {run.ts[run.at], run.ts.back()})) return;
  std::size_t kept = run.at;
  for (std::size_t i = run.at; i < run.ts.size(); ++i) {
    if (isInHole(run.holes, run.ts[i])) continue;
    run.ts[kept] = run.ts[i];
    run.values[kept++] = run.values[i];
  }
  run.ts.resize(kept);
}

// The loaded run with the smallest timestamp; of equal ones the newest, the others step over it.
// Null at the end.
Result<MergeCursor::Run*> MergeCursor::pickNewestFirst() {
  for (;;) {
    std::erase_if(runs_, [](const Run& run) { return !run.hasMore(); });
    if (runs_.empty()) return nullptr;
    Timestamp least = INT64_MAX;
    for (const Run& run : runs_) least = std::min(least, head(run));
    Run* best = nullptr;
    bool isLoading = false;
    for (Run& run : runs_) {
      if (head(run) != least) continue;
      if (!run.isLoaded()) {
        const Status loaded = load(run);
        if (!loaded.ok()) return loaded;
        isLoading = true;
        continue;
      }
      if (best != nullptr) ++best->at;
      best = &run;
    }
    if (!isLoading) return best;
    // An older run may have stepped over its equal already; picking anew is right all the same,
    // because the newer run is still there.
  }
}

std::size_t MergeCursor::countBeforeOthers(const Run& best, std::size_t countMax) const {
  const auto begin = best.ts.begin() + static_cast<std::ptrdiff_t>(best.at);
  auto end = best.ts.end();
  for (const Run& other : runs_) {
    if (&other == &best || !other.hasMore()) continue;
    end = std::lower_bound(begin, end, head(other));
  }
  const auto count = static_cast<std::size_t>(end - begin);
  // Equal heads were stepped over, so the first sample is always before the others.
  return std::min(std::max<std::size_t>(count, 1), countMax);
}

Result<std::size_t> MergeCursor::nextPiece(std::size_t countMax, std::vector<Timestamp>& ts,
                                           std::vector<double>& values) {
  auto picked = pickNewestFirst();
  if (!picked.ok()) return picked.status();
  Run* run = picked.value();
  if (run == nullptr) return std::size_t{0};
  const std::size_t count = countBeforeOthers(*run, countMax);
  const auto at = static_cast<std::ptrdiff_t>(run->at);
  const auto end = at + static_cast<std::ptrdiff_t>(count);
  ts.insert(ts.end(), run->ts.begin() + at, run->ts.begin() + end);
  values.insert(values.end(), run->values.begin() + at, run->values.begin() + end);
  run->at += count;
  return count;
}

Status MergeCursor::next(std::size_t countMax, std::vector<Timestamp>& ts,
                         std::vector<double>& values) {
  for (std::size_t wanted = countMax; wanted > 0;) {
    const auto count = nextPiece(wanted, ts, values);
    if (!count.ok()) return count.status();
    if (count.value() == 0) break;
    wanted -= count.value();
  }
  return Status::okStatus();
}

std::optional<ChunkSummary> MergeCursor::takeWholeChunk() {
  // A memtable that is not loaded says only that its samples are somewhere in the range.
  for (Run& run : runs_) {
    if (run.memtable != nullptr && !run.isLoaded()) loadMemtable(run);
  }
  std::erase_if(runs_, [](const Run& run) { return !run.hasMore(); });
  const auto first = std::min_element(
      runs_.begin(), runs_.end(), [this](const Run& a, const Run& b) { return head(a) < head(b); });
  if (first == runs_.end() || first->isLoaded() || first->chunks.empty()) return std::nullopt;
  const ChunkSummary summary = first->chunks.front().summary;
  if (summary.tsMin < range_.start || summary.tsMax > range_.end) return std::nullopt;
  if (touchesHole(first->holes, {summary.tsMin, summary.tsMax})) return std::nullopt;
  for (auto other = runs_.begin(); other != runs_.end(); ++other) {
    if (other != first && head(*other) <= summary.tsMax) return std::nullopt;
  }
  first->chunks = first->chunks.subspan(1);
  return summary;
}

}  // namespace seriesdb
