#include "engine/retention_keeper.h"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>

#include "base/work_pace.h"
#include "compaction/ladder.h"
#include "engine/compaction_clock.h"
#include "retention/retention_classes.h"
#include "retention/retention_clock.h"

namespace seriesdb {
namespace {

constexpr std::uint64_t kHourMs = 3'600'000;
constexpr std::uint64_t kJumpToldMs = 24 * kHourMs;
// Of the directory, a chunk; a short one has nothing else.
constexpr std::uint64_t kEntryBytes = 16;
constexpr const char* kRetentionTopic = "retention";

bool isPast(Timestamp last, Duration keep, Timestamp clock) {
  return keep != kForever && later(last, keep) < clock;
}

// What a segment's series of each length of keep make of it.
template <typename Shares>
void addShares(const Shares& shares, Timestamp clock, CompactionSegment& to) {
  Duration longest = 0;
  double all = 0;
  double expired = 0;
  for (const auto& share : shares) {
    longest = std::max(longest, share.keep);
    all += static_cast<double>(share.bytes);
    if (isPast(share.last, share.keep, clock)) expired += static_cast<double>(share.bytes);
  }
  to.keepToday = longest;
  // What goes whole goes by another rule.
  if (all == 0 || isPast(to.time.end, longest, clock)) return;
  to.expiredBytes = static_cast<std::uint64_t>(expired / all * static_cast<double>(to.bytes));
}

}  // namespace

RetentionKeeper::RetentionKeeper(EngineState& state, const std::atomic<bool>& isStopping)
    : state_(state),
      isStopping_(isStopping),
      rules_(state.limits.current().retention),
      movedMs_(state.options.time->monotonicMs()) {
  const auto manifest = state.manifest.hold();
  state.retentionClock = manifest->state().retentionClock.value_or(0);
}

std::optional<Timestamp> RetentionKeeper::clockDue(const ManifestState& manifest) const {
  if (!manifest.retentionClock) {
    const bool isNeeded = !state_.limits.current().retention->isEmpty();
    if (!isNeeded || manifest.segments.empty()) return std::nullopt;
    return startRetentionClock(newestOf(manifest), wallOf(state_));
  }
  const std::uint64_t passedMs = state_.options.time->monotonicMs() - movedMs_;
  if (passedMs < kRetentionMoveHours * kHourMs) return std::nullopt;
  const ClockReadings readings{wallOf(state_), durationOfMs(passedMs, state_.options.unit),
                               state_.arrivals.newest()};
  return moveRetentionClock(*manifest.retentionClock, readings, state_.options.unit);
}

void RetentionKeeper::noteClock(std::optional<Timestamp> from, Timestamp to) {
  movedMs_ = state_.options.time->monotonicMs();
  state_.arrivals.reset();
  state_.retentionClock = to;
  isDone_ = false;
  purgedExpired_ = 0;
  const TimestampUnit unit = state_.options.unit;
  if (!from || !isRetentionJump(*from, to, unit)) return;
  jumpedMs_ = movedMs_;
  state_.counters.retentionJumps.fetch_add(1, std::memory_order_relaxed);
  const std::int64_t whole = static_cast<std::int64_t>(
      (static_cast<double>(to) - static_cast<double>(*from)) / static_cast<double>(days(1, unit)));
  state_.health.report(kRetentionTopic,
                       "the clock of retention went ahead by " + std::to_string(whole) +
                           " days at once; what is past its keep by it goes, an eighth of all an "
                           "hour");
}

void RetentionKeeper::forgetOldJump() {
  if (!jumpedMs_ || state_.options.time->monotonicMs() - *jumpedMs_ < kJumpToldMs) return;
  jumpedMs_.reset();
  state_.health.report(kRetentionTopic, "");
}

std::vector<CompactionClass> RetentionKeeper::takeRules(const ManifestState& manifest) {
  rules_ = state_.limits.current().retention;
  if (!manifest.classes.empty() && manifest.retentionMark == rules_->mark()) return {};
  const Timestamp newest = startRetentionClock(newestOf(manifest), wallOf(state_));
  return makeClasses(*rules_, manifest.classes, manifest.retentionClock.value_or(newest),
                     state_.options.unit);
}

const std::shared_ptr<SeriesClasses>& RetentionKeeper::classes(
    const std::vector<CompactionClass>& all) {
  const auto last = classesOfToday(all);
  std::vector<CompactionClass> today(last.begin(), last.end());
  if (!classes_ || !classes_->isOf(*rules_, today)) {
    classes_ = std::make_shared<SeriesClasses>(*state_.index, rules_, std::move(today));
  }
  return classes_;
}

void RetentionKeeper::look(const ManifestState& manifest, const View& view, CompactionState& to) {
  if (!manifest.retentionClock) return;
  const Timestamp clock = *manifest.retentionClock;
  to.retentionClock = clock;
  to.isRetentionDone = isDone_;
  to.purgedExpired = purgedExpired_;
  std::unordered_set<std::uint64_t> named;
  for (const CompactionSegment& one : to.segments) named.insert(one.number);
  std::erase_if(scans_, [&named](const auto& one) { return !named.contains(one.first); });
  std::unordered_map<std::uint64_t, const Segment*> opened;
  for (const auto& segment : view.segments) opened[segment->facts().number] = segment.get();
  const std::uint32_t firstToday = classes_->today().front().number;
  for (CompactionSegment& one : to.segments) {
    if (isStopping_.load(std::memory_order_relaxed)) return;
    const bool isToday = one.place && one.place->classNumber >= firstToday;
    const auto found = opened.find(one.number);
    if (isToday || found == opened.end()) continue;
    // Not even the series that are kept shortest can be past their keep there.
    if (!isPast(one.time.start, rules_->keeps().front(), clock)) continue;
    const Scan& scan = scanOf(*found->second);
    if (!scan.isKnown) continue;
    addShares(scan.shares, clock, one);
  }
}

const RetentionKeeper::Scan& RetentionKeeper::scanOf(const Segment& segment) {
  const auto [at, isNew] = scans_.try_emplace(segment.facts().number);
  Scan& held = at->second;
  if (isNew || held.mark != rules_->mark()) {
    held = {rules_->mark(), false, {}};
    scan(segment, held);
  }
  return held;
}

void RetentionKeeper::scan(const Segment& segment, Scan& into) {
  std::vector<ChunkEntry> chunks;
  for (std::size_t page = 0; page < segment.pageCount(); ++page) {
    if (!segment.readPage(page, chunks).ok()) return;
    for (const ChunkEntry& chunk : chunks) {
      const Duration keep = classes_->of(chunk.series).keep;
      auto share = std::ranges::find(into.shares, keep, &Share::keep);
      if (share == into.shares.end()) {
        share = into.shares.insert(share, {keep, 0, chunk.summary.tsMax});
      }
      share->bytes += chunk.size + kEntryBytes;
      share->last = std::max(share->last, chunk.summary.tsMax);
    }
    if (isStopping_.load(std::memory_order_relaxed)) return;
    PacedThread::giveWay();
  }
  into.isKnown = true;
}

std::vector<Duration> RetentionKeeper::expiredKeeps(std::uint64_t segment,
                                                    Timestamp clock) const {
  std::vector<Duration> keeps;
  const auto found = scans_.find(segment);
  if (found == scans_.end()) return keeps;
  for (const Share& share : found->second.shares) {
    if (isPast(share.last, share.keep, clock)) keeps.push_back(share.keep);
  }
  return keeps;
}

void RetentionKeeper::noteDone(const CompactionPlan& plan,
                               const std::vector<SegmentFacts>& outputs,
                               const std::vector<SegmentFacts>& inputs) {
  const bool isDrop = plan.kind == CompactionKind::kDrop;
  if (!isDrop && !plan.takesExpired) return;
  auto& counters = state_.counters;
  std::uint64_t bytes = 0;
  std::uint64_t samples = 0;
  for (const SegmentFacts& one : inputs) {
    bytes += one.fileSize;
    samples += one.sampleCount;
  }
  for (const SegmentFacts& one : outputs) {
    bytes -= std::min(bytes, one.fileSize);
    samples -= one.sampleCount;
  }
  if (isDrop) {
    isDone_ = true;
    counters.retentionSegments.fetch_add(inputs.size(), std::memory_order_relaxed);
    counters.retentionDeferred.fetch_add(plan.deferred, std::memory_order_relaxed);
  }
  purgedExpired_ += plan.expiredBytes;
  counters.retentionBytes.fetch_add(bytes, std::memory_order_relaxed);
  counters.retentionSamples.fetch_add(samples, std::memory_order_relaxed);
}

}  // namespace seriesdb
