// The background thread that merges segments, and drops what retention lets go, one plan at a time:
// chooseCompaction() says which.
//
//   MANIFEST held  what it and the view say now
//   not            the choice; the merge, into files that nobody knows
//   MANIFEST held  one edit takes the inputs out and the outputs in; then a view without the inputs
//   not            the file of each input goes once nobody reads it any more: a segment may be read
//                  by its name
//
// A flush or a deletion in between changes nothing of it: what came later wins over the outputs, or
// masks them, as it does with the inputs. A crash leaves files that MANIFEST does not name. If the
// edit finds no room, the outputs stay for the next try, unless a flush needs their room.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "common/base/work_pace.h"
#include "storage/compaction/compaction_plan.h"
#include "storage/compactor/collection.h"
#include "storage/compactor/migration.h"
#include "storage/compactor/retention_keeper.h"
#include "storage/compactor/segments/segment_merge.h"
#include "storage/compactor/segments/segment_salvage.h"
#include "storage/compactor/segments/segment_survey.h"
#include "storage/compactor/task_watch.h"
#include "storage/compactor/unnamed_segments.h"
#include "storage/state/engine_state.h"

namespace seriesdb {

// What became of a segment that is damaged.
enum class SegmentOutcome : std::uint8_t {
  kGone,       // The database does not consist of it any more.
  kPutBack,    // It is whole again, or a whole copy stands in its place.
  kRewritten,  // Another one has what could be read of it.
  kDropped,    // Nothing of it could be read.
  kLeft,       // It stays as it is, because samples would be lost.
};
struct SegmentRepair {
  SegmentOutcome outcome = SegmentOutcome::kGone;
  SegmentLoss loss{};
  // Those whose samples can be read now, and perhaps could not since the start.
  std::vector<std::shared_ptr<const Segment>> readable{};
};

class Compactor {
 public:
  using Done = std::function<void(Result<CompactionReport>)>;
  using Watch = std::shared_ptr<TaskWatch>;  // Not null.

  // Retention took samples of these segments, which are in no view any more: makes discovery forget
  // them, and calls `done` then, on any thread.
  using Forget = std::function<void(std::vector<std::shared_ptr<const Segment>> segments,
                                    std::function<void()> done)>;

  // `pace` is kept while there is no hurry. All must outlive it. Nothing is done before start().
  Compactor(EngineState& state, WorkPace& pace, Forget forget);
  ~Compactor();

  // Once, before any of what follows but wake().
  void start();
  // There is something new to look at. Any thread.
  void wake();
  // Does all that can be done, or only what is due, at full speed, and calls `done` on the
  // compactor's thread. Ends early, with kClosed, when `watch` was given up, and those of all who
  // asked for the same.
  void compactAll(Done done, Watch watch) {
    ask({std::move(done), true, std::move(watch), {}});
  }
  void compactDue(Done done) { ask({std::move(done), false, std::make_shared<TaskWatch>(), {}}); }
  // Gives what has no name of the content-addressed description one; see migration.h. Calls `done`
  // on the compactor's thread. Ends early, with kClosed, when `watch` was given up.
  using Migrated = std::function<void(Result<MigrationReport>)>;
  void migrateAll(Migrated done, Watch watch);
  // Removes what nothing needs, or says what that is. Calls `done` on the compactor's thread.
  using Collected = std::function<void(Result<CollectionReport>)>;
  void collect(CollectionRequest request, Collected done);
  // Repairs a damaged segment as far as it can be without loss, or as far as it can be; see
  // SegmentOutcome. The damaged file goes to quarantine/. Calls `done` on the compactor's thread.
  using Repaired = std::function<void(Result<SegmentRepair>)>;
  void repairSegment(std::uint64_t number, bool isLossAccepted, Repaired done);
  // What follows waits for no merge. Any thread.
  //
  // Names the last commit, or takes the name away and removes what only that kept. Fail as
  // Ledger::addTag() and removeTag() do.
  Status addTag(const std::string& name);
  Status removeTag(const std::string& name);
  // Held until it is gone. Fails as Ledger::committedFiles() does.
  Result<CommittedFiles> holdFiles();
  // Fails as Ledger::hold() does.
  Result<std::shared_ptr<const HeldCommit>> hold(const PastState& past);
  // Gives up what is under way and ends the thread. Idempotent.
  void stop();

 private:
  // What one look found.
  struct Choice {
    CompactionPlan plan;
    MergeInputs inputs;
    std::vector<SegmentFacts> inputFacts;  // Also of those that cannot be read.
    std::vector<CompactionClass> newClasses;
    std::optional<std::uint64_t> newMark;  // Of their rules.
  };
  // Two merges with equal keys write the same samples to the same places.
  struct MergeKey {
    CompactionKind kind = CompactionKind::kNone;
    CompactionForm form = CompactionForm::kTier;
    std::vector<SlotSpan> places;
    std::uint64_t seqMin = 0;
    std::uint64_t seqMax = 0;
    std::vector<SegmentFacts> inputs;
    std::vector<Duration> expiredKeeps;
    std::vector<CompactionClass> newClasses;
    std::optional<std::uint64_t> newMark;

    bool operator==(const MergeKey&) const = default;
  };
  // Segments of a merge whose edit failed. The next try of the same merge adopts them.
  struct Unadopted {
    MergeKey key;
    std::vector<SegmentFacts> outputs;
  };
  struct Asked {
    Done done;
    bool isFull = false;
    Watch watch;
    // Or else this, which is told why when it cannot be done.
    std::function<void(const Status& isOpen)> task{};

    void fail(const Status& why) const { task ? task(why) : done(why); }
  };

  void ask(Asked asked);
  void run();
  bool waitForWork(std::vector<Asked>& asked);
  void doTasks(std::vector<Asked>& asked);
  Result<MigrationReport> migrateNow(const Watch& watch);
  Result<CollectionReport> collectNow(CollectionRequest request);
  Status sweep(bool isDryRun, CollectionReport& report);
  bool isRead(const UnnamedFile& file);
  Result<SegmentRepair> repairNow(std::uint64_t number, bool isLossAccepted);
  Result<SegmentRepair> readAgain(const SegmentFacts& facts);
  Result<SegmentRepair> takeCopy(const SegmentFacts& facts, const std::string& copy);
  Status exchange(const SegmentFacts& facts, const MergeInputs& inputs,
                  std::vector<std::shared_ptr<const Segment>>& made);
  Result<CompactionReport> runPlans(bool isAsked, bool isFull);
  Status runAll(bool isAsked, bool isFull, std::uint64_t through);
  void tellWhatIsLeft(std::uint64_t through);
  bool isAskedNow();
  Choice choose(bool isFull, std::uint64_t through);
  Status checkWritable();
  std::size_t damagedCount() const;
  Status moveRetention();
  Status carryOut(const Choice& choice);
  void noteInputs(const Choice& choice, const std::vector<SegmentFacts>& outputs);
  void noteGone(const std::shared_ptr<const Segment>& segment, const SegmentFacts& facts);
  void awaitForgotten();
  Status merge(const Choice& choice);
  static MergeKey keyOf(const Choice& choice);
  Result<std::vector<SegmentFacts>> outputsOf(const Choice& choice);
  bool dropUnadopted();
  void removeOutputs(const std::vector<SegmentFacts>& outputs);
  Status adopt(const ManifestEdit& edit);
  Status raise(const Choice& choice);
  void noteFreed(const std::vector<SegmentFacts>& freed);
  void trimHistory();
  std::size_t removeGone();
  bool dropHistory();
  void sayRoom(std::uint64_t missing);
  void say(const Status& result);

  EngineState& state_;
  WorkPace& pace_;
  const Forget forget_;
  std::atomic<bool> isStopping_{false};
  TaskControl control_;  // Of what is done now; the thread's.
  SegmentSurvey survey_;
  RetentionKeeper retention_;
  std::optional<Unadopted> unadopted_;  // The thread's.
  std::vector<std::future<void>> forgotten_;  // What discovery has yet to show.
  // Segments that no edit names any more, whose files are still there.
  struct Gone {
    std::weak_ptr<const Segment> segment;
    SegmentFacts facts;
  };
  // Both are guarded by the right to edit MANIFEST.
  std::vector<Gone> gone_;
  std::weak_ptr<const int> hold_;
  std::atomic<bool> isAnyGone_{false};
  std::mutex mutex_;
  std::condition_variable wake_;
  bool isWoken_ = true;  // What an earlier run left is looked at first.
  std::vector<Asked> asked_;
  std::uint64_t retryAfterMs_ = 0;
  std::uint64_t lookedMs_ = 0;
  std::uint64_t historyDueMs_ = 0;  // In which time the oldest commit of history goes; 0: none.
  bool isLookDue_ = false;  // Else files that are read no more are all that it woke up for.
  std::thread thread_;
};

}  // namespace seriesdb
