// The background thread that merges segments and drops expired ones, one plan at a time.
// chooseCompaction() makes the plans.
//
//   MANIFEST held  copies the current state and view
//   not            chooses a plan; merges into files that nothing names yet
//   MANIFEST held  one edit replaces the inputs by the outputs; then publishes a view
//   not            removes each input's file after its last reader: a reader may open a
//                  segment by its name
//
// A concurrent flush or deletion does not disturb a merge. As with the inputs, its samples win over
// the outputs, or its tombstone masks them. A crash leaves files that MANIFEST does not name. If
// the edit finds no disk space, the outputs stay for the next try, unless a flush needs their
// space.
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
#include "storage/compactor/segment_repair.h"
#include "storage/compactor/segments/segment_merge.h"
#include "storage/compactor/segments/segment_survey.h"
#include "storage/compactor/task_watch.h"
#include "storage/compactor/unnamed_segments.h"
#include "storage/ledger/committed_files.h"
#include "storage/state/description.h"
#include "storage/state/disk_room.h"
#include "storage/state/engine_figures.h"
#include "storage/state/engine_settings.h"
#include "storage/state/sources.h"

namespace seriesdb {

class Compactor {
 public:
  using Done = std::function<void(Result<CompactionReport>)>;
  using Watch = std::shared_ptr<TaskWatch>;  // Not null.

  // Called after retention removed samples of these segments, which no view has any more. Makes
  // discovery forget them, then calls `done` on any thread.
  using Forget = std::function<void(std::vector<std::shared_ptr<const Segment>> segments,
                                    std::function<void()> done)>;

  struct Owners {
    const EngineSettings& settings;
    Sources& sources;
    Description& description;
    DiskRoom& room;
    EngineFigures& figures;
  };

  // Work that is not urgent keeps `pace`. All arguments must outlive the compactor. It does nothing
  // before start().
  Compactor(const Owners& owners, WorkPace& pace, Forget forget);
  ~Compactor();

  // Call once, before all functions below except wake().
  void start();
  // Tells the thread that there may be new work. Any thread.
  void wake();
  // compactAll() does all possible work, the other one all due work, both at full speed. Calls
  // `done` on the compactor's thread. Requests that wait together are served together: they finish
  // early, with kClosed, once the watches of all of them are given up.
  void compactAll(Done done, Watch watch) {
    ask({std::move(done), true, std::move(watch), {}});
  }
  void compactDue(Done done) { ask({std::move(done), false, std::make_shared<TaskWatch>(), {}}); }
  // Gives content-addressed names to older segments and tags; see migration.h. Calls `done` on the
  // compactor's thread. If `watch` is given up, it finishes early with kClosed.
  using Migrated = std::function<void(Result<MigrationReport>)>;
  void migrateAll(Migrated done, Watch watch);
  // Removes unneeded files, or only reports them. Calls `done` on the compactor's thread.
  using Collected = std::function<void(Result<CollectionReport>)>;
  void collect(CollectionRequest request, Collected done);
  // Repairs a damaged segment, with loss of samples only if `isLossAccepted`; see SegmentOutcome.
  // The damaged file moves to quarantine/. Calls `done` on the compactor's thread.
  using Repaired = std::function<void(Result<SegmentRepair>)>;
  void repairSegment(std::uint64_t number, bool isLossAccepted, Repaired done);
  // The functions below never wait for a merge. Any thread.
  //
  // Tags the last commit, or removes a tag and the files that only this tag kept. Fail as
  // Ledger::addTag() and removeTag() do.
  Status addTag(const std::string& name);
  Status removeTag(const std::string& name);
  // The files stay until the result is released. Fails as Ledger::committedFiles() does.
  Result<CommittedFiles> holdFiles();
  // Fails as Ledger::hold() does.
  Result<std::shared_ptr<const HeldCommit>> hold(const PastState& past);
  // Cancels the current work and ends the thread. Idempotent.
  void stop();

 private:
  // The result of one choice.
  struct Choice {
    CompactionPlan plan;
    MergeInputs inputs;
    std::vector<SegmentFacts> inputFacts;  // Includes unreadable inputs.
    std::vector<CompactionClass> newClasses;
    std::optional<std::uint64_t> newMark;  // The mark of new retention rules, if they changed.
  };
  // Merges with equal keys write the same samples to the same places.
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
  // The outputs of a merge whose edit failed. The next try of the same merge uses them.
  struct Unadopted {
    MergeKey key;
    std::vector<SegmentFacts> outputs;
  };
  struct Asked {
    Done done;
    bool isFull = false;
    Watch watch;
    // Set instead of `done`. Called with an error if the task cannot run.
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

  const EngineSettings& settings_;
  Sources& sources_;
  Description& description_;
  DiskRoom& room_;
  EngineFigures& figures_;
  WorkPace& pace_;
  const Forget forget_;
  std::atomic<bool> isStopping_{false};
  TaskControl control_;  // Control of the current work. The compactor's thread only.
  SegmentSurvey survey_;
  RetentionKeeper retention_;
  std::optional<Unadopted> unadopted_;  // The compactor's thread only.
  // Drops that discovery has not yet applied. The compactor's thread only.
  std::vector<std::future<void>> forgotten_;
  // Segments that no edit names any more, with their files still on disk.
  struct Gone {
    std::weak_ptr<const Segment> segment;
    SegmentFacts facts;
  };
  // Both are guarded by the hold of MANIFEST.
  std::vector<Gone> gone_;
  std::weak_ptr<const int> hold_;
  std::atomic<bool> isAnyGone_{false};
  std::mutex mutex_;
  std::condition_variable wake_;
  bool isWoken_ = true;  // True at first: an earlier run may have left work.
  std::vector<Asked> asked_;
  std::uint64_t retryAfterMs_ = 0;
  std::uint64_t lookedMs_ = 0;
  // Milliseconds until the oldest past commit expires; 0 if there is none.
  std::uint64_t historyDueMs_ = 0;
  bool isLookDue_ = false;  // False if the thread woke up only to remove released files.
  std::thread thread_;
};

}  // namespace seriesdb
