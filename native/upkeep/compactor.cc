#include "upkeep/compactor.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <utility>

#include "base/clock.h"
#include "base/thread_priority.h"
#include "compaction/choose.h"
#include "compaction/ladder.h"
#include "model/file_names.h"
#include "upkeep/compaction_clock.h"
#include "upkeep/level_zero.h"
#include "upkeep/publication.h"

namespace seriesdb {
namespace {

// Rules that time makes apply are looked at so often.
constexpr std::uint64_t kLookEveryMs = 60'000;
// So often whether files that were read when they were merged are read no more.
constexpr std::uint64_t kGoneEveryMs = 1'000;
constexpr std::uint64_t kRetryAfterFirstMs = 1'000;
constexpr std::uint64_t kRetryAfterMaxMs = 60'000;

std::uint64_t bytesOf(const std::vector<SegmentFacts>& all) {
  return std::accumulate(all.begin(), all.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const auto& one) { return sum + one.fileSize; });
}

constexpr const char* kTopic = "compaction";
constexpr const char* kRoomTopic = "room for compaction";

}  // namespace

Compactor::Compactor(EngineState& state, WorkPace& pace, Forget forget)
    : state_(state),
      pace_(pace),
      forget_(std::move(forget)),
      control_(isStopping_),
      survey_(state, isStopping_),
      retention_(state, isStopping_) {}

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
  removeGone();
}

// False when the thread should end.
bool Compactor::waitForWork(std::vector<Asked>& asked) {
  std::unique_lock lock(mutex_);
  const auto isAsked = [this] { return isStopping_ || !asked_.empty(); };
  if (retryAfterMs_ > 0) {
    // Of itself nothing is tried for a while after a failure.
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
  const bool isSelfMoving = state_.options.isCompacting && !state_.options.isReadOnly;
  std::vector<Asked> asked;
  while (waitForWork(asked)) {
    doTasks(asked);
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
    state_.health.report(kTopic, "");
    return;
  }
  retryAfterMs_ = std::clamp(retryAfterMs_ * 2, kRetryAfterFirstMs, kRetryAfterMaxMs);
  state_.counters.compactionFailed.fetch_add(1, std::memory_order_relaxed);
  state_.health.report(kTopic, "a compaction failed: " + result.message());
}

Result<CompactionReport> Compactor::runPlans(bool isAsked, bool isFull) {
  CompactionReport report;
  std::uint64_t through = 0;
  const auto count = [&](std::uint64_t& segments, std::uint64_t& bytes) {
    const auto manifest = state_.manifest.hold();
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

// A damaged segment ends the plan that meets it. Then there is another choice, which leaves it
// alone.
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
    // Before the choice, which looks into directories and may meet damage itself.
    const std::size_t before = damagedCount();
    const Choice choice = choose(isFull, through);
    if (choice.plan.kind == CompactionKind::kNone) {
      // The files that have just gone may have been the room that was missing.
      if (freed > 0) continue;
      if (choice.plan.bytesWithoutRoom > 0 && dropHistory()) continue;
      sayRoom(choice.plan.bytesWithoutRoom);
      return damaged;
    }
    if (choice.plan.isUrgent) paced.reset();
    const std::uint64_t begin = monotonicNanos();
    const Status done = carryOut(choice);
    state_.counters.compactionNanos.fetch_add(monotonicNanos() - begin, std::memory_order_relaxed);
    const bool isMet = done.code() == StatusCode::kStorageCorrupt && damagedCount() > before;
    if (!done.ok() && !isMet) return done;
    if (isMet) damaged = done;
    reportSegmentCount(state_);
  }
  return closedDatabase();
}

// What a flush wrote is read once to part it, and once more as its partitions are closed; these
// only once. Deletions and late samples may have what is final read again.
void Compactor::tellWhatIsLeft(std::uint64_t through) {
  const auto manifest = state_.manifest.hold();
  std::uint64_t bytes = 0;
  for (const SegmentFacts& one : manifest->state().segments) {
    if (one.isFinal || one.sequenceMax > through) continue;
    bytes += one.place ? one.fileSize : 2 * one.fileSize;
  }
  control_.look(manifest->state().segments.size(), bytes);
}

void Compactor::sayRoom(std::uint64_t missing) {
  state_.counters.compactionWithoutRoom.store(missing, std::memory_order_relaxed);
  std::string reason;
  if (missing > 0) {
    reason = "the disk has no room for a merge of segments that may write " +
             std::to_string(missing) + " bytes; they stay as they are until it has";
  }
  state_.health.report(kRoomTopic, reason);
}

bool Compactor::isAskedNow() {
  const std::lock_guard lock(mutex_);
  return !asked_.empty();
}

std::size_t Compactor::damagedCount() const {
  const auto view = state_.view.current();
  return static_cast<std::size_t>(
      std::count_if(view->segments.begin(), view->segments.end(),
                    [](const auto& segment) { return !segment->damageMet().empty(); }));
}

Status Compactor::moveRetention() {
  const auto manifest = state_.manifest.hold();
  retention_.forgetOldTelling();
  const auto to = retention_.clockDue(manifest->state());
  if (!to) return {};
  const auto from = manifest->state().retentionClock;
  ManifestEdit edit;
  edit.retentionClock = to;
  const Status recorded = recordEdit(state_, manifest, edit);
  if (recorded.ok()) retention_.noteClock(from, *to);
  return recorded;
}

// Without a MANIFEST that can be written no merge comes to anything.
Status Compactor::checkWritable() {
  const auto manifest = state_.manifest.hold();
  return manifest->failure();
}

// With `isFull` what was flushed after `through` is left for later, so that what is asked for ends.
Compactor::Choice Compactor::choose(bool isFull, std::uint64_t through) {
  Choice choice;
  ManifestState manifest;
  std::optional<PinnedView> view;
  {
    const auto held = state_.manifest.hold();
    manifest = held->state();
    view = state_.view.current();
  }
  choice.newClasses = retention_.takeRules(manifest);
  const std::uint64_t mark = retention_.rules().mark();
  if (mark != manifest.retentionMark) choice.newMark = mark;
  manifest.classes.insert(manifest.classes.end(), choice.newClasses.begin(),
                          choice.newClasses.end());
  MergeInputs& inputs = choice.inputs;
  inputs.classes = retention_.classes(manifest.classes);
  const OpenedSegments opened = openedOf(**view);
  CompactionState seen = survey_.look(manifest, opened, isFull);
  retention_.look(manifest, opened, seen);
  if (isStopping_) return choice;
  if (isFull) {
    std::erase_if(seen.segments, [through](const auto& one) { return one.seqMax > through; });
  }
  choice.plan = chooseCompaction(seen);
  for (const SegmentFacts& facts : manifest.segments) {
    if (std::ranges::find(choice.plan.inputs, facts.number) != choice.plan.inputs.end()) {
      choice.inputFacts.push_back(facts);
    }
  }
  inputs.erasedThrough = manifest.flushedSequence;
  if (choice.plan.takesExpired) {
    inputs.expiredKeeps =
        retention_.expiredKeeps(choice.plan.inputs.front(), seen.retentionClock);
  }
  inputs.closedAt = wallOf(state_);
  for (const auto& segment : (*view)->segments) {
    const auto& wanted = choice.plan.inputs;
    const std::uint64_t number = segment->facts().number;
    if (std::find(wanted.begin(), wanted.end(), number) == wanted.end()) continue;
    inputs.segments.push_back(segment);
  }
  for (const auto& one : manifest.tombstones) {
    const auto masks = [&one](const auto& segment) { return isMasked(segment->facts(), *one); };
    if (std::any_of(inputs.segments.begin(), inputs.segments.end(), masks)) {
      inputs.tombstones.push_back(one);
    }
  }
  // What is taken out of MANIFEST was merged.
  CHECK(choice.plan.kind == CompactionKind::kDrop ||
        inputs.segments.size() == choice.plan.inputs.size());
  return choice;
}

Status Compactor::carryOut(const Choice& choice) {
  return choice.plan.kind == CompactionKind::kRaise ? raise(choice) : merge(choice);
}

// Inputs that were damaged as the directory was opened nobody reads.
void Compactor::noteInputs(const Choice& choice, const std::vector<SegmentFacts>& outputs) {
  const CompactionPlan& plan = choice.plan;
  const auto& segments = choice.inputs.segments;
  retention_.noteDone(plan, outputs, choice.inputFacts);
  {
    const auto manifest = state_.manifest.hold();
    for (const SegmentFacts& facts : choice.inputFacts) {
      const auto opened = std::ranges::find_if(
          segments, [&facts](const auto& one) { return one->facts().number == facts.number; });
      const bool isOpened = opened != segments.end();
      noteGone(isOpened ? *opened : nullptr, facts);
      if (!isOpened) state_.health.report(segmentNameOf(facts), "");
    }
  }
  if (plan.kind != CompactionKind::kDrop && !plan.takesExpired) return;
  std::erase_if(forgotten_, [](const auto& one) {
    return one.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  });
  const auto done = std::make_shared<std::promise<void>>();
  forgotten_.push_back(done->get_future());
  forget_(segments, [done] { done->set_value(); });
}

// Segments that discovery has yet to forget are still read.
void Compactor::awaitForgotten() {
  for (auto& one : forgotten_) one.wait();
  forgotten_.clear();
}

Status Compactor::raise(const Choice& choice) {
  ManifestEdit edit;
  edit.raised = choice.plan.raises;
  const auto manifest = state_.manifest.hold();
  const Status recorded = recordEdit(state_, manifest, edit);
  if (!recorded.ok()) return recorded;
  const auto view = state_.view.current();
  for (const auto& segment : view->segments) {
    for (const FloorRaise& one : edit.raised) {
      if (one.number == segment->facts().number) segment->raiseFloor(one.erasedThrough);
    }
  }
  publish(state_, manifest->state(), {});
  return recorded;
}

// What an edit adds and removes is so in the descriptions, and then in the view. On failure the
// files that it adds are removed.
Status Compactor::adopt(const ManifestEdit& edit) {
  SegmentChange change;
  change.removed = edit.removed;
  for (const SegmentFacts& facts : edit.added) {
    auto segment = state_.openSegment(facts);
    if (!segment.ok()) {
      removeSegmentFiles(state_, edit.added);
      return segment.status();
    }
    change.added.push_back(std::move(segment).value());
  }
  const auto manifest = state_.manifest.hold();
  const Status recorded = recordEdit(state_, manifest, edit);
  // After a final failure either may be what a restart finds.
  if (!recorded.ok() && manifest->failure().ok()) removeSegmentFiles(state_, edit.added);
  if (!recorded.ok()) return recorded;
  publish(state_, manifest->state(), std::move(change));
  return {};
}

Status Compactor::merge(const Choice& choice) {
  const CompactionPlan& plan = choice.plan;
  std::vector<SegmentFacts> outputs;
  if (plan.kind != CompactionKind::kDrop) {
    control_.beginPart(plan.bytesIn);
    auto merged = mergeSegments(state_, plan, choice.inputs, control_);
    if (!merged.ok()) return merged.status();
    outputs = std::move(merged).value();
  }
  ManifestEdit edit;
  edit.added = outputs;
  edit.removed = plan.inputs;
  edit.classes = choice.newClasses;
  edit.retentionMark = choice.newMark;
  if (Status adopted = adopt(edit); !adopted.ok()) return adopted;
  if (plan.kind != CompactionKind::kDrop) {
    const auto manifest = state_.manifest.hold();
    control_.endPart(manifest->state().segments.size());
  }
  survey_.noteMerge(plan.inputs, outputs, plan.kind == CompactionKind::kLevelZero);
  noteInputs(choice, outputs);
  state_.counters.compactions.fetch_add(1, std::memory_order_relaxed);
  state_.counters.compactionBytesIn.fetch_add(plan.bytesIn, std::memory_order_relaxed);
  state_.counters.compactionBytesOut.fetch_add(bytesOf(outputs), std::memory_order_relaxed);
  return {};
}

}  // namespace seriesdb
