#include "storage/compactor/compactor.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "common/base/clock.h"
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
      survey_(settings_, figures_, isStopping_),
      retention_(settings_, sources_.index, description_.manifest, figures_, isStopping_) {}

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
  dropUnadopted();
  removeGone();
}

// False if the thread should end.
bool Compactor::waitForWork(std::vector<Asked>& asked) {
  std::unique_lock lock(mutex_);
  const auto isAsked = [this] { return isStopping_ || !asked_.empty(); };
  if (retryAfterMs_ > 0) {
    // After a failure, only requests are served for a while.
    wake_.wait_for(lock, std::chrono::milliseconds(retryAfterMs_), isAsked);
  } else {
    std::uint64_t waitMs = isAnyGone_ ? kGoneEveryMs : kLookEveryMs;
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
    removeGone();
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
  if (isAsked) awaitForgotten();
  trimHistory();
  removeGone();
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
    const std::size_t freed = removeGone();
    if (Status writable = checkWritable(); !writable.ok()) return writable;
    if (!isAsked && isAskedNow()) return {};
    std::optional<PacedThread> paced;
    if (!isAsked) paced.emplace(pace_).begin();
    if (Status moved = moveRetention(); !moved.ok()) return moved;
    if (control_.isWatched()) tellWhatIsLeft(through);
    // Counted before the choice, which reads directories and may itself find damage.
    const std::size_t before = damagedCount();
    const Choice choice = choose(isFull, through);
    if (choice.plan.kind == CompactionKind::kNone) {
      // Removed files may have freed the missing disk space, so choose again.
      if (dropUnadopted() || freed > 0) continue;
      if (choice.plan.bytesWithoutRoom > 0 && dropHistory()) continue;
      sayRoom(choice.plan.bytesWithoutRoom);
      return damaged;
    }
    if (choice.plan.isUrgent) paced.reset();
    const std::uint64_t begin = monotonicNanos();
    const Status done = carryOut(choice);
    figures_.counters.compactionNanos.fetch_add(monotonicNanos() - begin,
                                                std::memory_order_relaxed);
    const bool isMet = done.code() == StatusCode::kStorageCorrupt && damagedCount() > before;
    if (!done.ok() && !isMet) return done;
    if (isMet) damaged = done;
    reportSegmentCount(description_.manifest, settings_.options.segmentCountMax, figures_.health);
  }
  return closedDatabase();
}

}  // namespace seriesdb
