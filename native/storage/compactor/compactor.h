// The background thread that merges segments and drops expired ones, one plan at a time.
// CompactionPlanner chooses a plan, PlanExecutor executes it. Requests that may remove files run
// here, too.
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
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "common/base/lock_order.h"
#include "common/base/work_pace.h"
#include "storage/compactor/collector.h"
#include "storage/compactor/compaction_planner.h"
#include "storage/compactor/compactor_owners.h"
#include "storage/compactor/gone_segments.h"
#include "storage/compactor/migration.h"
#include "storage/compactor/plan_executor.h"
#include "storage/compactor/segment_repairer.h"
#include "storage/compactor/task_watch.h"
#include "storage/ledger/committed_files.h"

namespace seriesdb {

class Compactor {
 public:
  using Done = std::function<void(Result<CompactionReport>)>;
  using Watch = std::shared_ptr<TaskWatch>;  // Not null.
  using Forget = ForgetSegments;
  using Owners = CompactorOwners;

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
  Result<CommittedFiles> holdFiles() { return gone_.holdFiles(); }
  // Fails as Ledger::hold() does.
  Result<std::shared_ptr<const HeldCommit>> hold(const PastState& past);
  // Cancels the current work and ends the thread. Idempotent.
  void stop();

 private:
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
  Result<CompactionReport> runPlans(bool isAsked, bool isFull);
  Status runAll(bool isAsked, bool isFull, std::uint64_t through);
  void tellWhatIsLeft(std::uint64_t through);
  bool isAskedNow();
  std::size_t damagedCount() const;
  void trimHistory();
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
  GoneSegments gone_;
  CompactionPlanner planner_;
  PlanExecutor executor_;
  SegmentRepairer repairer_;
  Collector collector_;
  OrderedMutex<LockRank::kCompactorQueue> mutex_;
  OrderedCondition wake_;
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
