#include "storage/compactor/retention_keeper.h"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>

#include "common/base/work_pace.h"
#include "common/types/file_names.h"
#include "storage/compaction/choose.h"
#include "storage/compaction/ladder.h"
#include "storage/compactor/compaction_clock.h"
#include "storage/retention/retention_classes.h"
#include "storage/retention/retention_clock.h"

namespace seriesdb {
namespace {

constexpr std::uint64_t kHourMs = 3'600'000;
constexpr std::uint64_t kToldMs = 24 * kHourMs;
// The directory bytes of a chunk; a short chunk has no others.
constexpr std::uint64_t kEntryBytes = 16;
constexpr const char* kRetentionTopic = "retention";
constexpr const char* kWithheldTopic = "retention_beside_damage";

bool isPast(Timestamp last, Duration keep, Timestamp clock) {
  return keep != kForever && later(last, keep) < clock;
}

// Sets the longest keep and the expired bytes of a segment, from its shares per keep.
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
  // Segments that are entirely expired are dropped by R0.
  if (all == 0 || isPast(to.time.end, longest, clock)) return;
  to.expiredBytes = static_cast<std::uint64_t>(expired / all * static_cast<double>(to.bytes));
}

std::string daysBetween(Timestamp from, Timestamp to, TimestampUnit unit) {
  const double passed = static_cast<double>(to) - static_cast<double>(from);
  const double day = static_cast<double>(days(1, unit));
  return std::to_string(static_cast<std::int64_t>(passed / day)) + " days";
}

// The earlier of the wall clock and the newest stored sample.
Timestamp earlierClock(const EngineOptions& options, const ManifestState& manifest) {
  return std::min(newestOf(manifest), wallOf(options));
}

}  // namespace

RetentionKeeper::RetentionKeeper(const EngineSettings& settings, const IndexHolder& index,
                                 ManifestHolder& manifestHolder, EngineFigures& figures,
                                 const std::atomic<bool>& isStopping)
    : settings_(settings),
      index_(index),
      figures_(figures),
      isStopping_(isStopping),
      rules_(settings.limits.current().retention),
      movedMs_(settings.options.time->monotonicMs()) {
  const auto held = manifestHolder.hold();
  const ManifestState& manifest = held->state();
  figures.retentionClock = manifest.retentionClock.value_or(0);
  isDone_ = manifest.retentionClock && manifest.retentionMark == rules_->mark();
  if (!manifest.retentionClock || manifest.segments.empty()) return;
  const Timestamp other = earlierClock(settings.options, manifest);
  const TimestampUnit unit = settings.options.unit;
  if (!isRetentionJump(other, *manifest.retentionClock, unit)) return;
  tell("the clock of retention is " + daysBetween(other, *manifest.retentionClock, unit) +
       " ahead of this machine's or of the newest stored sample; what is past its keep by it goes "
       "from an hour after the start on");
}

// The report stays for kToldMs.
void RetentionKeeper::tell(const std::string& sentence) {
  toldMs_ = movedMs_;
  figures_.health.report(kRetentionTopic, sentence);
}

std::optional<Timestamp> RetentionKeeper::clockDue(const ManifestState& manifest) const {
  const TimestampUnit unit = settings_.options.unit;
  const std::uint64_t passedMs = settings_.options.time->monotonicMs() - movedMs_;
  const ClockReadings readings{wallOf(settings_.options), durationOfMs(passedMs, unit),
                               figures_.arrivals.newest()};
  if (!manifest.retentionClock) {
    const bool isNeeded = !settings_.limits.current().retention->isEmpty();
    if (!isNeeded || manifest.segments.empty()) return std::nullopt;
    return startRetentionClock(newestOf(manifest), readings, unit);
  }
  const bool isDue = passedMs >= kRetentionMoveHours * kHourMs;
  if (!isDue && !isRetentionAhead(*manifest.retentionClock, readings, unit)) return std::nullopt;
  return moveRetentionClock(*manifest.retentionClock, readings, unit);
}

void RetentionKeeper::noteClock(std::optional<Timestamp> from, Timestamp to) {
  movedMs_ = settings_.options.time->monotonicMs();
  figures_.arrivals.reset();
  figures_.retentionClock = to;
  const TimestampUnit unit = settings_.options.unit;
  // If the clock was put back, a new pass waits for the next move, an hour later.
  isDone_ = from && to < *from;
  purgedExpired_ = 0;
  if (isDone_) {
    return tell("the clock of retention was " + daysBetween(to, *from, unit) +
                " ahead of this machine's and of the clients', which agree, and was put back");
  }
  if (!from || !isRetentionJump(*from, to, unit)) return;
  figures_.counters.retentionJumps.fetch_add(1, std::memory_order_relaxed);
  tell("the clock of retention went ahead by " + daysBetween(*from, to, unit) +
       " at once; what is past its keep by it goes, an eighth of all an hour");
}

void RetentionKeeper::forgetOldTelling() {
  if (!toldMs_ || settings_.options.time->monotonicMs() - *toldMs_ < kToldMs) return;
  toldMs_.reset();
  figures_.health.report(kRetentionTopic, "");
}

std::vector<CompactionClass> RetentionKeeper::takeRules(const ManifestState& manifest) {
  auto rules = settings_.limits.current().retention;
  if (rules->mark() != rules_->mark()) {
    isDone_ = false;
    purgedExpired_ = 0;
  }
  rules_ = std::move(rules);
  const TimestampUnit unit = settings_.options.unit;
  const Timestamp clock =
      manifest.retentionClock.value_or(earlierClock(settings_.options, manifest));
  const bool isSame = !manifest.classes.empty() && manifest.retentionMark == rules_->mark() &&
                      !hasNearLoft(classesOfToday(manifest.classes), clock, unit);
  if (isSame) return {};
  return makeClasses(*rules_, manifest.classes, clock, unit);
}

const std::shared_ptr<SeriesClasses>& RetentionKeeper::classes(
    const std::vector<CompactionClass>& all) {
  const auto last = classesOfToday(all);
  std::vector<CompactionClass> today(last.begin(), last.end());
  const auto index = index_.current();
  if (!classes_ || !classes_->isOf(index, *rules_, today)) {
    classes_ = std::make_shared<SeriesClasses>(index, rules_, std::move(today));
  }
  return classes_;
}

void RetentionKeeper::look(const ManifestState& manifest, const OpenedSegments& opened,
                           CompactionState& to) {
  if (!manifest.retentionClock) return;
  const Timestamp clock = *manifest.retentionClock;
  to.retentionClock = clock;
  to.isRetentionDone = isDone_;
  to.purgedExpired = purgedExpired_;
  std::unordered_set<std::uint64_t> named;
  for (const CompactionSegment& one : to.segments) named.insert(one.number);
  std::erase_if(scans_, [&named](const auto& one) { return !named.contains(one.first); });
  const std::uint32_t firstToday = classes_->today().front().number;
  for (CompactionSegment& one : to.segments) {
    if (isStopping_.load(std::memory_order_relaxed)) return;
    const bool isToday = one.place && one.place->classNumber >= firstToday;
    const auto found = opened.find(one.number);
    if (isToday || found == opened.end()) continue;
    // The segment starts after the shortest keep, so none of its samples can be expired.
    if (!isPast(one.time.start, rules_->keeps().front(), clock)) continue;
    if (const Shares* shares = sharesOf(*found->second)) addShares(*shares, clock, one);
  }
  tellWithheld(manifest, to);
}

void RetentionKeeper::tellWithheld(const ManifestState& manifest, const CompactionState& seen) {
  const WithheldDrops found = findWithheld(seen);
  std::string sentence;
  if (found.count > 0) {
    const auto by = std::ranges::find(manifest.segments, found.by, &SegmentFacts::number);
    sentence = std::to_string(found.count) + " segments past their keep stay: " +
               segmentNameOf(*by) +
               " is damaged, and may hold older samples of their times, which would show again";
  }
  figures_.health.report(kWithheldTopic, sentence);
}

// Null if the directory is unreadable now. The next look tries again.
const RetentionKeeper::Shares* RetentionKeeper::sharesOf(const Segment& segment) {
  const std::uint64_t number = segment.facts().number;
  const auto found = scans_.find(number);
  if (found != scans_.end() && found->second.mark == rules_->mark()) return &found->second.shares;
  auto shares = scan(segment);
  if (!shares) {
    scans_.erase(number);
    return nullptr;
  }
  Scan& held = scans_[number];
  held = {rules_->mark(), *std::move(shares)};
  return &held.shares;
}

std::optional<RetentionKeeper::Shares> RetentionKeeper::scan(const Segment& segment) {
  Shares shares;
  std::vector<ChunkEntry> chunks;
  for (std::size_t page = 0; page < segment.pageCount(); ++page) {
    if (!segment.readPage(page, chunks).ok()) return std::nullopt;
    for (const ChunkEntry& chunk : chunks) {
      const Duration keep = classes_->of(chunk.series).keep;
      auto share = std::ranges::find(shares, keep, &Share::keep);
      if (share == shares.end()) share = shares.insert(share, {keep, 0, chunk.summary.tsMax});
      share->bytes += chunk.size + kEntryBytes;
      share->last = std::max(share->last, chunk.summary.tsMax);
    }
    if (isStopping_.load(std::memory_order_relaxed)) return std::nullopt;
    PacedThread::giveWay();
  }
  return shares;
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
  auto& counters = figures_.counters;
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
