// The one door to an open database. Threads: any, unless a method says otherwise.
//
// commit() answers on the committer's thread, flush() on the flusher's; the callbacks must be quick
// and must not call back into the engine. close() joins every thread, so nothing runs after it.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "engine/flusher.h"
#include "state/engine_state.h"
#include "state/lane.h"
#include "state/task_pool.h"
#include "upkeep/compactor/compactor.h"
#include "view/selector.h"
#include "write/committer.h"
#include "write/remover.h"

namespace seriesdb {

class Engine {
  struct Key {};

 public:
  Engine(Key key, std::unique_ptr<EngineState> state);
  // Opens or makes the directory; recovery happens here.
  static Result<std::unique_ptr<Engine>> open(FileSystem& fs, const EngineOptions& options);
  ~Engine();

  const EngineOptions& options() const { return state_->options; }
  EngineLimits limits() const { return state_->limits.current(); }
  // For requests that begin afterwards, and at once for memory. Any thread.
  void configure(const EngineLimits& limits);
  // As it is now; what is asked of it for one answer is asked of one.
  PinnedIndex index() const { return state_->index.current(); }
  const IndexHolder& indexes() const { return state_->index; }

  // Whether a request may begin, or go on while it holds `bytes` more: kBackpressure,
  // kStorageUnavailable.
  Status admit() const;
  // The same, for who can wait: it does not count as a refusal.
  Status checkRoom() const;
  // Whether what queries hold may grow: kQueryLimit.
  Status admitQuery() const;
  MemoryUse memoryUse() const { return memoryUseOf(*state_); }
  // What counts itself, for who makes it outside.
  const MemoryAccounts& memory() const { return state_->memory; }
  // Counts the memory of a request in progress.
  void holdBytes(std::int64_t change);
  void countRejected(std::uint64_t samples);

  // Logs and applies a parsed request; `bytes` of it were counted with holdBytes and are given
  // back.
  void commit(StagedSamples samples, std::uint64_t bytes, Committer::Done done);

  // The same of those samples whose series has none at that time when it comes to them. All series
  // are pending; the samples of each stand together, ascending in time.
  void commitMissing(StagedSamples samples, std::uint64_t bytes, Committer::Done done);

  // Logs and keeps an annotation, whose id it gives; as durable as samples when `done` is called,
  // which it is at once where admit() refuses it. The same holds for remove(). One that changes
  // another takes its place: kAnnotationNotFound where it is not there, or lacks one of `required`.
  using Annotated = std::function<void(Result<Annotation>)>;
  void annotate(Annotation annotation, Annotated done, OwnedLabels required = {});
  // Deletes one; `done` is given what it was. kAnnotationNotFound as above.
  void deleteAnnotation(std::uint64_t publicId, Annotated done, OwnedLabels required = {});
  // Logs and carries out a deletion. As durable as samples, and visible, when `done` is called, on
  // any thread of the engine, with how many series were selected.
  void remove(Removal removal, Remover::Done done);
  const AnnotationIndex& annotations() const { return state_->annotations; }
  // Counts one of kRangeRead, kCompare and kAnnotations.
  void countRequest(Stage stage);

  // Answers were cut, since they waited for their clients. Returns how many bytes of such answers
  // one listener thread may hold.
  std::uint64_t countCutAnswers(std::uint64_t count);

  // What a read of the range sees from now on; kStorageCorrupt when the range meets a damaged
  // segment.
  Result<PinnedView> pinView(TimeRange range) const;
  // The same, damaged segments among it.
  PinnedView pinFiles() const { return state_->view.current(); }
  // Those of queries, of which the caller is to be one. The engine must outlive what uses them.
  Threads queryThreads() {
    return {[this](std::function<void()> task) { return queries_.post(std::move(task)); },
            std::max<std::size_t>(queries_.threadCount(), 1)};
  }
  // Runs a task on a thread of the lane, which is not kHere. False after close().
  bool post(Lane lane, std::function<void()> task) {
    return (lane == Lane::kCare ? care_ : queries_).post(std::move(task));
  }

  // Puts all that is in memory into segments.
  void flush(Flusher::Done done);
  // Merges segments as far as there is anything to merge. Here and below `watch` tells how far it
  // is, and ends it when it was given up.
  void compact(Compactor::Done done,
               Compactor::Watch watch = std::make_shared<TaskWatch>());
  // Only what is due: what it would do of itself.
  void compactDue(Compactor::Done done);
  // Names by their hashes what a program of before wrote.
  void migrate(Compactor::Migrated done,
               Compactor::Watch watch = std::make_shared<TaskWatch>());
  // Removes what nothing needs; a dry run also of a database that is only read.
  void collect(CollectionRequest request, Compactor::Collected done);
  // Exchanges a damaged segment; see Compactor::repairSegment(). Calls `done` on any thread, when
  // its series can be found.
  void repairSegment(std::uint64_t number, bool isLossAccepted, Compactor::Repaired done);
  // The segments that the database consists of, damaged ones among them, and the view that holds
  // their files. Nothing else is in the view.
  std::pair<std::vector<SegmentFacts>, PinnedView> segmentsNow() const;
  // The files of the database at one moment. `look` is called with them while neither description
  // of it is edited, so that no file goes that is named, and must not last: flushes wait for it.
  struct FilesNow {
    ManifestState state;            // As of the last edit.
    PinnedView view;                // Whose files of segments stay while it is held.
    std::optional<WalEnd> log;      // Up to where it can be read; none: nobody writes it.
  };
  FilesNow filesNow(const std::function<void(const FilesNow&)>& look) const;
  // Keeps all that was acknowledged before as it is under this name, or forgets the name. See
  // Ledger::addTag() and removeTag(); kInvalidArgument for a name that none may have.
  using Tagged = std::function<void(Status)>;
  void createSnapshot(std::string name, Tagged done);
  void deleteSnapshot(std::string name, Tagged done);
  // What a copy of the database is made of, as of its last flush.
  Result<CommittedFiles> holdFiles() { return compactor_.holdFiles(); }
  // A state of the past of this directory, while this one has it open. What it reads stays, also
  // when a snapshot is deleted or history ends meanwhile, and its memory counts here. kQueryLimit
  // before anything is read where that has no room; else fails as open(). REQUIRES: the options and
  // `held` are of that state.
  Result<std::unique_ptr<Engine>> openBeside(FileSystem& fs, EngineOptions options,
                                             std::shared_ptr<const HeldCommit> held);
  // Keeps a state of the past readable for another engine, until that is gone. Fails as
  // Ledger::hold(). Waits for the flush of what is frozen where a time is asked for.
  Result<std::shared_ptr<const HeldCommit>> hold(const PastState& past);
  // noteOfState() of the state of the past that this is.
  std::string noteFor(const PastState& past) const;
  const RootFacts& root() const { return state_->root; }
  std::vector<std::pair<std::string, double>> stats() const;
  StageTimes& stages() { return state_->stages; }
  // Null with Allocator::kSystem.
  const SmallPool* pool() const { return state_->pool.get(); }
  // kStorageUnavailable while one description of the database lacks the last edit, which then holds
  // for those alone who believe the other.
  Status checkDescribed() const;
  // Sentences; also of damaged chunks that a read has met.
  std::vector<std::string> degradedReasons() const;
  // A word for each of them; there are few different ones.
  std::vector<std::string> degradedKinds() const;
  // Syncs the WAL, ends the threads. Idempotent. Not from a callback. kStorageUnavailable when the
  // database has become read-only, by this sync or before: not all may be on disk that should be.
  Status close();

 private:
  Status checkWritable() const;
  Status beginWriting();
  void noteSeries(Result<SegmentRepair> repaired, Compactor::Repaired done);

  std::unique_ptr<EngineState> state_;
  std::mutex closeMutex_;
  WorkPace compactionPace_;
  Compactor compactor_;
  Flusher flusher_;
  Committer committer_;
  WorkPace queryPace_;
  Remover remover_;
  TaskPool queries_;
  TaskPool care_;
};

}  // namespace seriesdb
