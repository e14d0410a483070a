#include "storage/compactor/segments/segment_merge.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "common/base/work_pace.h"
#include "common/types/file_names.h"
#include "storage/compaction/ladder.h"
#include "storage/compactor/compaction_clock.h"
#include "storage/compactor/segments/series_walk.h"
#include "storage/view/part_merge.h"

namespace seriesdb {
namespace {

// Outputs written at the same time; each has a buffer of about a MiB.
constexpr std::size_t kOpenOutputs = 16;
// The maximum if slots of several classes never end at the same time.
constexpr std::size_t kOpenOutputsMax = 64;
// Samples per write, unless a series ends: whole chunks in a tier segment, and a maximum in a final
// one.
constexpr std::size_t kMergeBatch = 16 * kFlushChunkSamples;
// Samples read between two yields of the core.
constexpr std::size_t kSamplesPerLook = 8192;
// The series of some directory pages.
constexpr std::size_t kBlockSeries = 512;

// The outputs of a merge: one segment, or one per slot of a class.
class MergeOutputs {
 public:
  MergeOutputs(const EngineSettings& settings, std::atomic<std::uint64_t>& nextSegment,
               const CompactionPlan& plan, const MergeInputs& inputs)
      : settings_(settings), nextSegment_(nextSegment), plan_(plan), inputs_(inputs) {}
  ~MergeOutputs() {
    if (!isTaken_) removeSegmentFiles(settings_, all_);
  }
  MergeOutputs(const MergeOutputs&) = delete;
  MergeOutputs& operator=(const MergeOutputs&) = delete;

  bool isFinal() const { return plan_.form == CompactionForm::kFinal; }
  // True if samples go to the places of today's classes, instead of one place. A close may read
  // places of older classes.
  bool isParted() const {
    if (plan_.kind == CompactionKind::kLevelZero) return true;
    const auto& spans = plan_.outputs;
    const bool isOnePlace = spans.size() == 1 && spans.front().first == spans.front().last;
    return plan_.kind == CompactionKind::kClose && !isOnePlace;
  }

  // Adds samples of a series, later than those of the previous call for the same series.
  Status add(SeriesRef ref, std::span<const Timestamp> ts, std::span<const double> values) {
    if (!isParted()) return write(open_[{}], ref, ts, values);
    const CompactionClass& of = inputs_.classes->of(ref);
    for (std::size_t begin = 0; begin < ts.size();) {
      const std::int64_t slot = leafSlotOf(of, ts[begin], settings_.options.unit);
      const Timestamp last = leafSlotRange(of, slot, settings_.options.unit).end;
      const auto end = static_cast<std::size_t>(
          std::upper_bound(ts.begin() + static_cast<std::ptrdiff_t>(begin), ts.end(), last) -
          ts.begin());
      const PartitionPlace place{of.number, of.leaf, slot};
      const Status status = write(open_[place], ref, ts.subspan(begin, end - begin),
                                  values.subspan(begin, end - begin));
      if (!status.ok()) return status;
      begin = end;
    }
    return {};
  }

  // Finishes the open segments.
  Status finish() {
    for (auto& [place, open] : open_) {
      auto facts = open.writer->finish(plan_.seqMax);
      if (!facts.ok()) return facts.status();
      all_.push_back(completed(facts.value(), place));
    }
    open_.clear();
    return {};
  }
  std::vector<SegmentFacts> take() {
    isTaken_ = true;
    return std::move(all_);
  }

 private:
  struct Open {
    std::uint64_t number = 0;
    std::unique_ptr<SegmentWriter> writer;
  };

  Status write(Open& open, SeriesRef ref, std::span<const Timestamp> ts,
               std::span<const double> values) {
    if (!open.writer) {
      open.number = nextSegment_.fetch_add(1);
      const std::optional coldIn = isFinal() ? std::optional(settings_.options.unit) : std::nullopt;
      auto made =
          SegmentWriter::create(settings_.fs, settings_.options.directory, open.number, coldIn);
      if (!made.ok()) return made.status();
      open.writer = std::move(made).value();
    }
    return open.writer->addSeries(ref, ts, values);
  }

  SegmentFacts completed(SegmentFacts facts, const PartitionPlace& place) const {
    facts.sequenceMin = plan_.seqMin;
    facts.erasedThrough = inputs_.erasedThrough;
    if (isParted()) {
      facts.place = place;
    } else if (!plan_.outputs.empty()) {
      const SlotSpan& one = plan_.outputs.front();
      facts.place = {one.classNumber, one.width, one.first};
    } else {
      facts.frozenAt = inputs_.segments.front()->facts().frozenAt;
    }
    facts.isFinal = isFinal();
    facts.codecs = isFinal() ? kCodecsOfFinals : kCodecsOfTiers;
    if (facts.isFinal) facts.closedAt = closedAt();
    return facts;
  }
  // A rewrite for deletions keeps the time of the original close.
  Timestamp closedAt() const {
    return plan_.kind == CompactionKind::kClose ? inputs_.closedAt
                                                : inputs_.segments.front()->facts().closedAt;
  }

  const EngineSettings& settings_;
  std::atomic<std::uint64_t>& nextSegment_;
  const CompactionPlan& plan_;
  const MergeInputs& inputs_;
  std::map<PartitionPlace, Open> open_;  // A single entry if samples are not distributed.
  std::vector<SegmentFacts> all_;
  bool isTaken_ = false;
};

class SegmentMerge {
 public:
  SegmentMerge(const EngineSettings& settings, std::atomic<std::uint64_t>& nextSegment,
               const CompactionPlan& plan, const MergeInputs& inputs, const TaskControl& control)
      : unit_(settings.options.unit),
        inputs_(inputs),
        control_(control),
        outputs_(settings, nextSegment, plan, inputs) {
    view_.active = std::make_shared<Memtable>();
    view_.segments = SharedList(inputs.segments);
    view_.tombstones = TombstoneList(inputs.tombstones);
    for (const auto& segment : inputs.segments) samplesIn_ += segment->facts().sampleCount;
  }

  Result<std::vector<SegmentFacts>> run() {
    auto passes = passesOf();
    if (!passes.ok()) return passes.status();
    for (const TimeRange range : passes.value()) {
      const Status merged = mergeRange(range);
      if (!merged.ok()) return merged;
    }
    return outputs_.take();
  }

 private:
  // Time ranges with few enough slots to keep their outputs open at once.
  Result<std::vector<TimeRange>> passesOf() const {
    const TimeRange all{std::numeric_limits<Timestamp>::min(),
                        std::numeric_limits<Timestamp>::max()};
    if (!outputs_.isParted()) return std::vector{all};
    std::map<PartitionPlace, TimeRange> slots;
    std::vector<ChunkEntry> chunks;
    for (const auto& segment : inputs_.segments) {
      for (std::size_t page = 0; page < segment->pageCount(); ++page) {
        const Status read = segment->readPage(page, chunks);
        if (!read.ok()) return read;
        for (const ChunkEntry& chunk : chunks) {
          const Status added = addSlots(*segment, chunk, slots);
          if (!added.ok()) return added;
        }
        if (control_.isOver()) return stopped();
        PacedThread::giveWay();
      }
    }
    std::vector<TimeRange> ranges;
    for (const auto& [_, range] : slots) ranges.push_back(range);
    return passesOver(std::move(ranges));
  }
  // With nonsense timestamps, a chunk may span more slots than it has samples.
  Status addSlots(const Segment& segment, const ChunkEntry& chunk,
                  std::map<PartitionPlace, TimeRange>& slots) const {
    const CompactionClass& of = inputs_.classes->of(chunk.series);
    const auto add = [&](Timestamp ts) {
      const std::int64_t slot = leafSlotOf(of, ts, unit_);
      slots.try_emplace({of.number, of.leaf, slot}, leafSlotRange(of, slot, unit_));
      return slot;
    };
    const ChunkSummary& summary = chunk.summary;
    if (add(summary.tsMin) == add(summary.tsMax)) return {};
    std::vector<Timestamp> ts(summary.count);
    std::vector<double> values(summary.count);
    const Status read = segment.read(chunk, ts, values);
    for (std::size_t i = 0; read.ok() && i < ts.size(); ++i) add(ts[i]);
    return read;
  }
  // If classes have wide and narrow slots, a slot stays in one pass while at most kOpenOutputsMax
  // are open. A slot in two passes becomes two segments with disjoint times.
  static std::vector<TimeRange> passesOver(std::vector<TimeRange> ranges) {
    std::ranges::sort(ranges, {}, [](TimeRange one) { return std::pair(one.start, one.end); });
    std::vector<TimeRange> passes;
    std::size_t count = 0;
    for (const TimeRange& range : ranges) {
      const bool isFull = count >= kOpenOutputs && passes.back().end < range.start;
      const bool isTooMany = count >= kOpenOutputsMax && passes.back().start < range.start;
      if (passes.empty() || isFull || isTooMany) {
        const Timestamp end = passes.empty() ? range.end : std::max(passes.back().end, range.end);
        if (!passes.empty()) passes.back().end = std::min(passes.back().end, range.start - 1);
        passes.push_back({range.start, end});
        count = 0;
      }
      passes.back().end = std::max(passes.back().end, range.end);
      ++count;
    }
    return passes;
  }
  static Status stopped() { return {StatusCode::kClosed, "the compaction is stopped"}; }

  Status mergeRange(TimeRange range) {
    SeriesWalk walk(inputs_.segments);
    std::vector<SeriesRef> block;
    do {
      const Status walked = takeBlock(walk, block);
      if (!walked.ok()) return walked;
      for (std::size_t i = 0; i < block.size(); ++i) {
        if (control_.isOver()) return stopped();
        const Status merged = mergeFirst(std::span(block).subspan(i), range);
        if (!merged.ok()) return merged;
        PacedThread::giveWay();
      }
    } while (!block.empty());
    return outputs_.finish();
  }

  // The next unexpired series, as many as share a lookup of chunks; empty at the end.
  Status takeBlock(SeriesWalk& walk, std::vector<SeriesRef>& block) const {
    block.clear();
    while (block.size() < kBlockSeries) {
      const auto ref = walk.next();
      if (!ref.ok()) return ref.status();
      if (!ref.value()) break;
      if (!isExpired(*ref.value())) block.push_back(*ref.value());
    }
    return {};
  }

  bool isExpired(SeriesRef ref) const {
    if (inputs_.expiredKeeps.empty()) return false;
    const Duration keep = inputs_.classes->of(ref).keep;
    return std::ranges::find(inputs_.expiredKeeps, keep) != inputs_.expiredKeeps.end();
  }

  // Merges the first series; the others are prefetched.
  Status mergeFirst(std::span<const SeriesRef> series, TimeRange range) {
    const SeriesRef ref = series.front();
    findChunks(view_, series, range, chunks_);
    if (chunks_.runs().empty()) return {};
    const std::uint64_t readAfter = samplesRead_ + samplesOf(chunks_);
    sources_.capture(view_, chunks_, range);
    merge_.begin(sources_, sources_.parts());
    ts_.clear();
    values_.clear();
    for (;;) {
      const auto count = merge_.nextSamples(kSamplesPerLook, ts_, values_);
      if (!count.ok()) return count.status();
      if (control_.isOver()) return stopped();
      const bool isEnd = count.value() == 0;
      // Overwritten and masked samples were read, too.
      samplesRead_ = isEnd ? readAfter : std::min(readAfter, samplesRead_ + count.value());
      control_.showPart(samplesRead_, samplesIn_);
      const Status given = give(ref, isEnd);
      if (!given.ok() || isEnd) return given;
      if (count.value() == kSamplesPerLook) PacedThread::giveWay();
    }
  }
  static std::uint64_t samplesOf(const SeriesChunks& chunks) {
    std::uint64_t samples = 0;
    for (const SeriesChunks::Run& run : chunks.runs()) {
      for (const ChunkEntry& chunk : run.chunks) samples += chunk.summary.count;
    }
    return samples;
  }
  // Writes in batches. The last batch may be up to twice as long, so that no chunk is short.
  Status give(SeriesRef ref, bool isEnd) {
    std::size_t given = 0;
    while (ts_.size() - given >= 2 * kMergeBatch || (isEnd && ts_.size() > given)) {
      const std::size_t rest = ts_.size() - given;
      const std::size_t count =
          rest >= 2 * kMergeBatch ? batchOf(std::span(ts_).subspan(given)) : rest;
      const Status added = outputs_.add(ref, std::span(ts_).subspan(given, count),
                                        std::span(values_).subspan(given, count));
      if (!added.ok()) return added;
      given += count;
    }
    ts_.erase(ts_.begin(), ts_.begin() + static_cast<std::ptrdiff_t>(given));
    values_.erase(values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(given));
    return {};
  }
  // In a final segment, a batch ends with a day or an hour, as its chunks do, if one ends in its
  // second half.
  std::size_t batchOf(std::span<const Timestamp> ts) const {
    if (!outputs_.isFinal()) return kMergeBatch;
    for (const Duration width : {days(1, unit_), hours(1, unit_)}) {
      const Timestamp next = slotRange(slotOf(ts[kMergeBatch], width), width).start;
      const auto end = std::lower_bound(ts.begin(), ts.begin() + kMergeBatch, next);
      const auto count = static_cast<std::size_t>(end - ts.begin());
      if (count >= kMergeBatch / 2) return count;
    }
    return kMergeBatch;
  }

  const TimestampUnit unit_;
  const MergeInputs& inputs_;
  const TaskControl& control_;
  MergeOutputs outputs_;
  View view_;
  SeriesChunks chunks_;
  SeriesSources sources_;
  PartMerge merge_;
  std::vector<Timestamp> ts_;
  std::vector<double> values_;
  std::uint64_t samplesIn_ = 0;
  std::uint64_t samplesRead_ = 0;
};

}  // namespace

Result<std::vector<SegmentFacts>> mergeSegments(const EngineSettings& settings,
                                                std::atomic<std::uint64_t>& nextSegment,
                                                const CompactionPlan& plan,
                                                const MergeInputs& inputs,
                                                const TaskControl& control) {
  return SegmentMerge(settings, nextSegment, plan, inputs, control).run();
}

void removeSegmentFiles(const EngineSettings& settings, const std::vector<SegmentFacts>& segments) {
  for (const SegmentFacts& facts : segments) {
    static_cast<void>(settings.fs.remove(settings.path(segmentFileOf(facts))).ok());
  }
}

}  // namespace seriesdb
