// The interface of an open database. Threads: any, unless a method says otherwise.
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

#include "common/base/parallel.h"
#include "storage/compactor/compactor.h"
#include "storage/engine/flusher.h"
#include "storage/state/engine_state.h"
#include "storage/state/lane.h"
#include "storage/state/task_pool.h"
#include "storage/view/selector.h"
#include "storage/write/committer.h"
#include "storage/write/remover.h"

namespace seriesdb {

class Engine {
  struct Key {};

 public:
  Engine(Key key, std::unique_ptr<EngineState> state);
  // Opens or creates the directory; runs recovery.
  static Result<std::unique_ptr<Engine>> open(FileSystem& fs, const EngineOptions& options);
  ~Engine();

  const EngineOptions& options() const { return state_->options; }
  EngineLimits limits() const { return state_->limits.current(); }
  // Applies to requests that begin afterwards; memory limits apply at once. Any thread.
  void configure(const EngineLimits& limits);
  // The current index.
  PinnedIndex index() const { return state_->index.current(); }
  const IndexHolder& indexes() const { return state_->index; }

  // Whether a request may begin or continue; fails with kBackpressure or kStorageUnavailable.
  Status admit() const;
  // Whether a request may take `bytes` to read one line. Fails with kBackpressure, or
  // kPayloadTooLarge if the limit can never allow them. Counts refusals as admit() does.
  Status admitScratch(std::uint64_t bytes) const;
  // As admit(), for callers that can wait: not counted as a refusal.
  Status checkRoom() const;
  // Whether queries may use more memory; fails with kQueryLimit.
  Status admitQuery() const;
  MemoryUse memoryUse() const { return memoryUseOf(*state_); }
  // The memory accounts, for objects that are created outside the engine.
  const MemoryAccounts& memory() const { return state_->memory; }
  // Counts the memory of a request in progress.
  void holdBytes(std::int64_t change);
  void countRejected(std::uint64_t samples);

  // Logs and applies a parsed request; releases the `bytes` that holdBytes() counted for
  // it.
  void commit(StagedSamples samples, std::uint64_t bytes, Committer::Done done);

  // As commit(), but skips samples whose series already has a sample at that time. All series are
  // pending; the samples of each are contiguous and ascend in time.
  void commitMissing(StagedSamples samples, std::uint64_t bytes, Committer::Done done);

  // Logs and stores an annotation. `done` gets it with its id, once it is as durable as samples; if
  // admit() refuses, `done` gets the error at once. The same holds for remove(). An annotation that
  // changes another replaces it. kAnnotationNotFound if that one does not exist or lacks a label of
  // `required`.
  using Annotated = std::function<void(Result<Annotation>)>;
  void annotate(Annotation annotation, Annotated done, OwnedLabels required = {});
  // Deletes an annotation; `done` gets the deleted one. kAnnotationNotFound as above.
  void deleteAnnotation(std::uint64_t publicId, Annotated done, OwnedLabels required = {});
  // Logs and applies a deletion. When `done` is called, on any engine thread, the deletion is
  // durable like samples and visible. `done` gets the number of selected series.
  void remove(Removal removal, Remover::Done done);
  const AnnotationIndex& annotations() const { return state_->annotations; }
  // Counts one of kRangeRead, kCompare and kAnnotations.
  void countRequest(Stage stage);

  // Counts answers that were cut because their clients read too slowly. Returns how many bytes of
  // unread answers one listener thread may hold.
  std::uint64_t countCutAnswers(std::uint64_t count);

  // The view that a read of the range uses; kStorageCorrupt if a damaged segment overlaps the
  // range.
  Result<PinnedView> pinView(TimeRange range) const;
  // The current view; it lists damaged segments, too.
  PinnedView pinFiles() const { return state_->view.current(); }
  // The query threads, the caller counted as one. The engine must outlive their users.
  Threads queryThreads() {
    return {[this](std::function<void()> task) { return queries_.post(std::move(task)); },
            std::max<std::size_t>(queries_.threadCount(), 1)};
  }
  // Runs a task on a thread of the lane, which must not be kHere. False after close().
  bool post(Lane lane, std::function<void()> task) {
    return (lane == Lane::kCare ? care_ : queries_).post(std::move(task));
  }

  // Flushes all memtables to segments.
  void flush(Flusher::Done done);
  // Compacts until nothing is left to merge. Here and below, `watch` reports progress; cancelling
  // `watch` ends the work.
  void compact(Compactor::Done done,
               Compactor::Watch watch = std::make_shared<TaskWatch>());
  // Runs only the compactions that are due anyway.
  void compactDue(Compactor::Done done);
  // Renames segments of older versions by their hashes.
  void migrate(Compactor::Migrated done,
               Compactor::Watch watch = std::make_shared<TaskWatch>());
  // Removes unreferenced files. A dry run also works on a read-only database.
  void collect(CollectionRequest request, Compactor::Collected done);
  // Replaces a damaged segment; see Compactor::repairSegment(). Calls `done` on any thread once the
  // index has its series.
  void repairSegment(std::uint64_t number, bool isLossAccepted, Compactor::Repaired done);
  // All segments of the database, including damaged ones, and a view that keeps only their
  // files.
  std::pair<std::vector<SegmentFacts>, PinnedView> segmentsNow() const;
  // The files of the database at one moment. `look` runs while no metadata edit is possible, so all
  // named files exist. It must be quick, because flushes wait for it.
  struct FilesNow {
    ManifestState state;            // As of the last edit.
    PinnedView view;                // Keeps the segment files while held.
    std::optional<WalEnd> log;      // The end of its readable part; null without a writer.
  };
  FilesNow filesNow(const std::function<void(const FilesNow&)>& look) const;
  // Creates or deletes a snapshot of everything acknowledged so far. See Ledger::addTag() and
  // removeTag(); kInvalidArgument for an invalid name.
  using Tagged = std::function<void(Status)>;
  void createSnapshot(std::string name, Tagged done);
  void deleteSnapshot(std::string name, Tagged done);
  // The files to copy for a backup, as of the last flush.
  Result<CommittedFiles> holdFiles() { return compactor_.holdFiles(); }
  // Opens a past state of this directory beside this engine. Its files stay, even if a snapshot is
  // deleted or history expires meanwhile, and its memory counts here. kQueryLimit before any read
  // if memory has no room; otherwise fails like open(). REQUIRES: the options and `held` belong to
  // that state.
  Result<std::unique_ptr<Engine>> openBeside(FileSystem& fs, EngineOptions options,
                                             std::shared_ptr<const HeldCommit> held);
  // Keeps a past state readable for another engine while the result lives. Fails like
  // Ledger::hold(). For a time, waits until frozen memtables are flushed.
  Result<std::shared_ptr<const HeldCommit>> hold(const PastState& past);
  // noteOfState() of this past state.
  std::string noteFor(const PastState& past) const;
  const RootFacts& root() const { return state_->root; }
  std::vector<std::pair<std::string, double>> stats() const;
  StageTimes& stages() { return state_->stages; }
  // Null with Allocator::kSystem.
  const SmallPool* pool() const { return state_->pool.get(); }
  // kStorageUnavailable while MANIFEST or REFS lacks the last edit. Only readers of the other file
  // see that edit then.
  Status checkDescribed() const;
  // Reasons as sentences, including damaged chunks that reads have met.
  std::vector<std::string> degradedReasons() const;
  // One word per reason; there are few different words.
  std::vector<std::string> degradedKinds() const;
  // Syncs the WAL and ends the threads. Idempotent. Never call it from a callback.
  // kStorageUnavailable if this sync failed, or the database was read-only before: acknowledged
  // data may be missing on disk.
  Status close();

 private:
  Status checkWritable() const;
  Status beginWriting();
  void countMemoryRefusal() const;
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
