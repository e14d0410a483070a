#include "storage/compactor/compactor.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "common/base/clock.h"
#include "storage/compactor/publication.h"
#include "storage/compactor/segment_bytes.h"
#include "storage/compactor/segments/level_zero.h"
#include "storage/compactor/thread_priority.h"
#include "storage/state/refusals.h"

namespace seriesdb {
namespace {

// The interval for rules that depend on time.
constexpr std::uint64_t kLookEveryMs = 60'000;
// The interval for checking whether readers have released merged files.
constexpr std::uint64_t kGoneEveryMs = 1'000;
constexpr std::uint64_t kRetryAfterFirstMs = 1'000;
constexpr std::uint64_t kRetryAfterMaxMs = 60'000;

constexpr const char* kTopic = "compaction";
constexpr const char* kRoomTopic = "room_for_compaction";

}  // namespace

Compactor::Compactor(const Owners& owners, WorkPace& pace, Forget forget)
    : settings_(owners.settings),
      sources_(owners.sources),
      description_(owners.description),
      room_(owners.room),
      figures_(owners.figures),
      pace_(pace),
      forget_(std::move(forget)),
      control_(isStopping_),
      gone_(settings_, description_.manifest, figures_.health),
      planner_(owners, isStopping_),
      executor_(owners, {control_, planner_, gone_, forget_}),
      repairer_(owners, {control_, planner_, gone_, forget_}),
      collector_(owners, gone_, isStopping_) {}

Compactor::~Compactor() { stop(); }

void Compactor::start() {
  thread_ = std::thread([this] { run(); });
}

void Compactor::wake() {
  const std::lock_guard lock(mutex_);
  isWoken_ = true;
  wake_.notify_one();
}

void Compactor::ask(Asked asked) {
  {
    const std::lock_guard lock(mutex_);
    if (!isStopping_) {
      asked_.push_back(std::move(asked));
      wake_.notify_one();
      return;
    }
  }
  asked.fail(closedDatabase());
}

void Compactor::stop() {
  {
    const std::lock_guard lock(mutex_);
    isStopping_ = true;
    wake_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
  std::vector<Asked> asked;
  {
    const std::lock_guard lock(mutex_);
    asked.swap(asked_);
  }
  for (auto& one : asked) one.fail(closedDatabase());
  executor_.dropUnadopted();
  gone_.remove();
}

void Compactor::migrateAll(Migrated done, Watch watch) {
  const auto task = [this, watch, done = std::move(done)](const Status& isOpen) {
    done(isOpen.ok() ? migrateNow(watch) : Result<MigrationReport>(isOpen));
  };
  ask({{}, false, watch, task});
}

Result<MigrationReport> Compactor::migrateNow(const Watch& watch) {
  control_.begin({watch});
  const auto onRenamed = [this](auto before) {
    {
      const auto manifest = description_.manifest.hold();
      for (const auto& segment : before) gone_.note(segment, segment->facts());
    }
    before.clear();
    gone_.remove();
  };
  auto report =
      migrate({settings_, sources_, description_.manifest, figures_}, control_, onRenamed);
  gone_.remove();
  return report;
}

void Compactor::collect(CollectionRequest request, Collected done) {
  const auto watch = std::make_shared<TaskWatch>();
  ask({{}, false, watch, [this, request, done = std::move(done)](const Status& isOpen) {
         done(isOpen.ok() ? collector_.run(request) : Result<CollectionReport>(isOpen));
       }});
}

void Compactor::repairSegment(std::uint64_t number, bool isLossAccepted, Repaired done) {
  const auto task = [this, number, isLossAccepted, done = std::move(done)](const Status& isOpen) {
    done(isOpen.ok() ? repairer_.run(number, isLossAccepted) : Result<SegmentRepair>(isOpen));
    gone_.remove();
  };
  ask({{}, false, std::make_shared<TaskWatch>(), task});
}

Status Compactor::addTag(const std::string& name) {
  const auto manifest = description_.manifest.hold();
  if (manifest->isBehind()) {
    const Status recorded = recordEdit(figures_.health, manifest, {});
    if (!recorded.ok()) return recorded;
  }
  Status added = manifest->addTag(name);
  reportLedger(figures_.health, manifest);
  return added;
}

Status Compactor::removeTag(const std::string& name) {
  {
    const auto manifest = description_.manifest.hold();
    const auto freed = manifest->removeTag(name);
    reportLedger(figures_.health, manifest);
    if (!freed.ok()) return freed.status();
    gone_.noteFreed(freed.value());
  }
  gone_.remove();
  return {};
}

Result<std::shared_ptr<const HeldCommit>> Compactor::hold(const PastState& past) {
  const auto manifest = description_.manifest.hold();
  auto held = manifest->hold(past);
  reportLedger(figures_.health, manifest);
  return held;
}

// False if the thread should end.
bool Compactor::waitForWork(std::vector<Asked>& asked) {
  std::unique_lock lock(mutex_);
  const auto isAsked = [this] { return isStopping_ || !asked_.empty(); };
  if (retryAfterMs_ > 0) {
    // After a failure, only requests are served for a while.
    wake_.wait_for(lock, std::chrono::milliseconds(retryAfterMs_), isAsked);
  } else {
    std::uint64_t waitMs = gone_.isAny() ? kGoneEveryMs : kLookEveryMs;
    if (historyDueMs_ > 0) waitMs = std::min(waitMs, historyDueMs_);
    const std::chrono::milliseconds wait(waitMs);
    wake_.wait_for(lock, wait, [&] { return isWoken_ || isAsked(); });
  }
  const bool isLong = monotonicMs() - lookedMs_ >= kLookEveryMs;
  isLookDue_ = isWoken_ || retryAfterMs_ > 0 || isLong;
  isWoken_ = false;
  asked.swap(asked_);
  return !isStopping_;
}

// Serves all requests other than compactions, and removes them from `asked`.
void Compactor::doTasks(std::vector<Asked>& asked) {
  const auto isOther = [](const Asked& one) { return !one.task; };
  const auto first = std::stable_partition(asked.begin(), asked.end(), isOther);
  for (auto one = first; one != asked.end(); ++one) one->task({});
  asked.erase(first, asked.end());
}

void Compactor::run() {
  standBack();
  const bool isSelfMoving = settings_.options.isCompacting && !settings_.options.isReadOnly;
  std::vector<Asked> asked;
  while (waitForWork(asked)) {
    doTasks(asked);
    if (room_.isAwaited()) continue;
    const bool isAsked = !asked.empty();
    const bool isFull = std::ranges::any_of(asked, &Asked::isFull);
    trimHistory();
    gone_.remove();
    if (!isAsked && !(isSelfMoving && isLookDue_)) continue;
    lookedMs_ = monotonicMs();
    std::vector<Watch> watches;
    for (const Asked& one : asked) watches.push_back(one.watch);
    control_.begin(std::move(watches));
    const auto report = runPlans(isAsked, isFull);
    for (auto& one : asked) one.done(report);
    asked.clear();
    say(report.status());
  }
  for (auto& one : asked) one.fail(closedDatabase());
}

void Compactor::say(const Status& result) {
  if (result.ok() || result.code() == StatusCode::kClosed) {
    retryAfterMs_ = 0;
    figures_.health.report(kTopic, "");
    return;
  }
  retryAfterMs_ = std::clamp(retryAfterMs_ * 2, kRetryAfterFirstMs, kRetryAfterMaxMs);
  figures_.counters.compactionFailed.fetch_add(1, std::memory_order_relaxed);
  figures_.health.report(kTopic, "a compaction failed: " + result.message());
}

Result<CompactionReport> Compactor::runPlans(bool isAsked, bool isFull) {
  CompactionReport report;
  std::uint64_t through = 0;
  const auto count = [&](std::uint64_t& segments, std::uint64_t& bytes) {
    const auto manifest = description_.manifest.hold();
    segments = manifest->state().segments.size();
    bytes = bytesOf(manifest->state().segments);
    through = manifest->state().flushedSequence;
  };
  count(report.segmentsBefore, report.bytesBefore);
  const Status done = runAll(isAsked, isFull, through);
  if (isAsked) executor_.awaitForgotten();
  trimHistory();
  gone_.remove();
  if (!done.ok()) return done;
  if (control_.isOver()) return closedDatabase();
  count(report.segmentsAfter, report.bytesAfter);
  return report;
}

// If a plan meets a damaged segment, the plan fails, and the next choice skips the segment.
Status Compactor::runAll(bool isAsked, bool isFull, std::uint64_t through) {
  Status damaged;
  while (!control_.isOver()) {
    trimHistory();
    const std::size_t freed = gone_.remove();
    if (Status writable = checkWritable(description_.manifest); !writable.ok()) return writable;
    if (!isAsked && isAskedNow()) return {};
    std::optional<PacedThread> paced;
    if (!isAsked) paced.emplace(pace_).begin();
    if (Status moved = planner_.moveRetention(); !moved.ok()) return moved;
    if (control_.isWatched()) tellWhatIsLeft(through);
    // Counted before the choice, which reads directories and may itself find damage.
    const std::size_t before = damagedCount();
    const PlanChoice choice = planner_.choose(isFull, through, executor_.unadoptedBytes());
    if (choice.plan.kind == CompactionKind::kNone) {
      // Removed files may have freed the missing disk space, so choose again.
      if (executor_.dropUnadopted() || freed > 0) continue;
      if (choice.plan.bytesWithoutRoom > 0 && dropHistory()) continue;
      sayRoom(choice.plan.bytesWithoutRoom);
      return damaged;
    }
    if (choice.plan.isUrgent) paced.reset();
    const std::uint64_t begin = monotonicNanos();
    const Status done = executor_.run(choice);
    figures_.counters.compactionNanos.fetch_add(monotonicNanos() - begin,
                                                std::memory_order_relaxed);
    const bool isMet = done.code() == StatusCode::kStorageCorrupt && damagedCount() > before;
    if (!done.ok() && !isMet) return done;
    if (isMet) damaged = done;
    reportSegmentCount(description_.manifest, settings_.options.segmentCountMax, figures_.health);
  }
  return closedDatabase();
}

// Estimates the bytes left to read. R1 reads a flushed segment, then a close reads its partitions;
// other segments are only closed. Deletions and late samples may rewrite finals, too.
void Compactor::tellWhatIsLeft(std::uint64_t through) {
  const auto manifest = description_.manifest.hold();
  std::uint64_t bytes = 0;
  for (const SegmentFacts& one : manifest->state().segments) {
    if (one.isFinal || one.sequenceMax > through) continue;
    bytes += one.place ? one.fileSize : 2 * one.fileSize;
  }
  control_.look(manifest->state().segments.size(), bytes);
}

void Compactor::sayRoom(std::uint64_t missing) {
  figures_.counters.compactionWithoutRoom.store(missing, std::memory_order_relaxed);
  std::string reason;
  if (missing > 0) {
    reason = "the disk has no room for a merge of segments that may write " +
             std::to_string(missing) + " bytes; they stay as they are until it has";
  }
  figures_.health.report(kRoomTopic, reason);
}

bool Compactor::isAskedNow() {
  const std::lock_guard lock(mutex_);
  return !asked_.empty();
}

std::size_t Compactor::damagedCount() const {
  const auto view = sources_.view.current();
  return static_cast<std::size_t>(
      std::count_if(view->segments.begin(), view->segments.end(),
                    [](const auto& segment) { return !segment->damageMet().empty(); }));
}

// If a flush lacks disk space, all of history and unadopted segments give up theirs.
void Compactor::trimHistory() {
  if (settings_.options.isReadOnly) return;
  const auto free = settings_.fs.freeBytes(settings_.options.directory);
  const bool isShort = room_.reserve.isOut() || figures_.health.isReported("flush") ||
                       (free.ok() && free.value() < settings_.options.reserveBytes);
  if (isShort) executor_.dropUnadopted();
  const auto manifest = description_.manifest.hold();
  gone_.noteFreed(manifest->trimHistory(isShort));
  historyDueMs_ = manifest->historyDueMs();
}

// Frees disk space for a merge. False if there is no history.
bool Compactor::dropHistory() {
  const auto manifest = description_.manifest.hold();
  if (manifest->history().commits().empty()) return false;
  gone_.noteFreed(manifest->trimHistory(true));
  return true;
}

}  // namespace seriesdb
