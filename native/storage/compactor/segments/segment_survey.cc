#include "storage/compactor/segments/segment_survey.h"

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "common/base/work_pace.h"
#include "storage/compaction/ladder.h"
#include "storage/compactor/compaction_clock.h"

namespace seriesdb {
namespace {

// The number of its samples in the range, estimated from the directory.
std::uint64_t countIn(const ChunkSummary& chunk, TimeRange range) {
  const Timestamp start = std::max(chunk.tsMin, range.start);
  const Timestamp end = std::min(chunk.tsMax, range.end);
  if (start == chunk.tsMin && end == chunk.tsMax) return chunk.count;
  const double length = static_cast<double>(chunk.tsMax) - static_cast<double>(chunk.tsMin);
  const double share = (static_cast<double>(end) - static_cast<double>(start)) / length;
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(share * chunk.count));
}

std::uint64_t countIn(const std::vector<ChunkEntry>& chunks, TimeRange range) {
  std::uint64_t count = 0;
  for (const ChunkEntry& chunk : chunks) count += countIn(chunk.summary, range);
  return count;
}

// Minimum ages of deletions from before the opening. A deletion that was logged before a segment's
// close is at least as old as the close.
class AgesByClose {
 public:
  AgesByClose(const ManifestState& manifest, Timestamp wall) : wall_(wall) {
    for (const SegmentFacts& facts : manifest.segments) {
      if (facts.isFinal) closes_.emplace_back(facts.sequenceMax, facts.closedAt);
    }
    std::sort(closes_.begin(), closes_.end());
    // Suffix minimum: the earliest close from each segment on.
    Timestamp first = wall;
    for (std::size_t i = closes_.size(); i-- > 0;) {
      first = closes_[i].second = std::min(first, closes_[i].second);
    }
  }

  // 0 if no segment tells.
  Duration of(std::uint64_t sequence) const {
    const auto isBefore = [sequence](const auto& one) { return one.first < sequence; };
    const auto from = std::partition_point(closes_.begin(), closes_.end(), isBefore);
    return from == closes_.end() ? 0 : wall_ - from->second;
  }

 private:
  Timestamp wall_;
  std::vector<std::pair<std::uint64_t, Timestamp>> closes_;
};

}  // namespace

OpenedSegments openedOf(const View& view) {
  OpenedSegments opened;
  for (const auto& segment : view.segments) opened[segment->facts().number] = segment.get();
  return opened;
}

SegmentSurvey::SegmentSurvey(const EngineSettings& settings, const EngineFigures& figures,
                             const std::atomic<bool>& isStopping)
    : settings_(settings), isStopping_(isStopping), idle_(*settings.options.time, figures) {}

Duration SegmentSurvey::sinceMs(std::uint64_t ms) const {
  return durationOfMs(settings_.options.time->monotonicMs() - ms, settings_.options.unit);
}

CompactionState SegmentSurvey::look(const ManifestState& manifest, const OpenedSegments& opened,
                                    bool isFull) {
  const EngineOptions& options = settings_.options;
  CompactionState to;
  to.unit = options.unit;
  to.limits = options.compaction;
  to.limits.tombstoneRefsMax = options.tombstoneRefsMax;
  to.isFull = isFull;
  to.codecs = kCodecsOfFinals;
  to.wall = wallOf(options);
  to.newest = newestOf(manifest);
  to.idleFor = durationOfMs(idle_.look(), options.unit);
  to.classes = manifest.classes;
  for (const CompactionClass& one : to.classes) to.version = std::max(to.version, one.version);
  to.memtableBytes = settings_.limits.current().memtableMaxBytes;
  to.reserveBytes = options.reserveBytes;
  const auto free = settings_.fs.freeBytes(options.directory);
  to.freeBytes = free.ok() ? free.value() : 0;
  addTombstones(manifest, to);

  std::vector<const SegmentFacts*> ordered;
  for (const SegmentFacts& facts : manifest.segments) ordered.push_back(&facts);
  std::stable_sort(ordered.begin(), ordered.end(), [](const auto* a, const auto* b) {
    return a->sequenceMax < b->sequenceMax;
  });
  // An older segment without a noted interval begins where the previous flush ended.
  std::uint64_t before = 0;
  std::uint64_t last = 0;
  for (const SegmentFacts* facts : ordered) {
    if (facts->sequenceMax != last) before = std::exchange(last, facts->sequenceMax);
    const auto found = opened.find(facts->number);
    const Segment* segment = found == opened.end() ? nullptr : found->second;
    if (segment != nullptr) count(*segment, manifest.tombstones, notes_[facts->number]);
    addSegment(*facts, segment, to);
    if (facts->sequenceMin == 0) to.segments.back().seqMin = before + 1;
  }
  std::unordered_set<std::uint64_t> named;
  for (const SegmentFacts& facts : manifest.segments) named.insert(facts.number);
  std::erase_if(notes_, [&named](const auto& one) { return !named.contains(one.first); });
  return to;
}

void SegmentSurvey::addTombstones(const ManifestState& manifest, CompactionState& to) {
  std::optional<AgesByClose> ages;
  if (isFirstLook_) ages.emplace(manifest, to.wall);
  std::unordered_map<std::uint64_t, FirstSeen> seen;
  for (const auto& one : manifest.tombstones) {
    const auto before = seen_.find(one->sequence);
    FirstSeen first;
    if (before != seen_.end()) {
      first = before->second;
    } else {
      first.ms = settings_.options.time->monotonicMs();
      if (ages) first.age = ages->of(one->sequence);
    }
    seen[one->sequence] = first;
    to.tombstones.push_back(
        {one->sequence, later(first.age, sinceMs(first.ms)), one->range, one->refs.size()});
  }
  seen_ = std::move(seen);
  isFirstLook_ = false;
}

void SegmentSurvey::addSegment(const SegmentFacts& facts, const Segment* segment,
                               CompactionState& to) {
  Notes& notes = notes_[facts.number];
  if (notes.arrivedMs == 0) notes.arrivedMs = settings_.options.time->monotonicMs();
  CompactionSegment one;
  one.number = facts.number;
  one.place = facts.place;
  one.bytes = facts.fileSize;
  one.samples = facts.sampleCount;
  one.time = {facts.tsMin, facts.tsMax};
  one.seqMin = facts.sequenceMin;
  one.seqMax = facts.sequenceMax;
  one.erasedThrough = facts.erasedThrough;
  one.isDamaged = segment == nullptr || !segment->damageMet().empty();
  one.isFinal = facts.isFinal;
  one.codecs = facts.codecs;
  one.closedAt = facts.closedAt;
  one.frozenAt = facts.frozenAt;
  one.arrivedAgo = sinceMs(notes.arrivedMs);
  one.countedThrough = notes.countedThrough;
  one.maskedSamples = std::min(notes.maskedSamples, facts.sampleCount);
  one.maskedSince = notes.maskedSince;
  to.segments.push_back(one);
}

// Counts each pair of a segment and a deletion once. Samples masked by two deletions count twice.
void SegmentSurvey::count(const Segment& segment, const Tombstones& tombstones, Notes& notes) {
  const SegmentFacts& facts = segment.facts();
  std::vector<ChunkEntry> chunks;
  for (const auto& one : tombstones) {
    if (one->sequence <= std::max(segment.floor(), notes.countedThrough)) continue;
    const bool isApart = !isMasked(facts, *one);
    for (std::size_t i = 0; i < one->refs.size() && !isApart; ++i) {
      if (isStopping_.load(std::memory_order_relaxed)) return;
      const SeriesRef ref = one->refs[i];
      PacedThread::giveWay();
      chunks.clear();
      segment.find(ref, one->range, chunks);
      if (chunks.empty()) continue;
      if (notes.maskedSince == 0) notes.maskedSince = one->sequence;
      notes.maskedSamples += countIn(chunks, one->range);
    }
    notes.countedThrough = one->sequence;
  }
}

void SegmentSurvey::noteMerge(const std::vector<std::uint64_t>& inputs,
                              const std::vector<SegmentFacts>& outputs, bool isArrival) {
  std::uint64_t arrived = 0;
  for (const std::uint64_t number : inputs) arrived = std::max(arrived, notes_[number].arrivedMs);
  for (const SegmentFacts& facts : outputs) {
    notes_[facts.number].arrivedMs = isArrival ? settings_.options.time->monotonicMs() : arrived;
  }
}

}  // namespace seriesdb
