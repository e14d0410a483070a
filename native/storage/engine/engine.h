// The interface of an open database. Threads: any, unless a method says otherwise.
//
// commit() answers on the committer's thread, flush() on the flusher's; the callbacks must be quick
// and must not call back into the engine. close() joins every thread, so nothing runs after it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/base/status.h"
#include "common/types/identity.h"
#include "index/pinned_index.h"
#include "storage/state/lane.h"
#include "storage/view/pinned_view.h"

namespace seriesdb {

class AnnotationIndex;
class FileSystem;
class IndexHolder;
class BlockFigures;
class StageTimes;
class TaskWatch;
enum class Stage : std::uint8_t;
struct Annotation;
struct CollectionReport;
struct CollectionRequest;
struct CommittedFiles;
struct CompactionReport;
struct EngineLimits;
struct EngineOptions;
struct EngineOwners;
struct FilesNow;
struct HeldCommit;
struct IngestReport;
struct MemoryAccounts;
struct MemoryUse;
struct MigrationReport;
struct PastState;
struct Removal;
struct RootFacts;
struct SegmentFacts;
struct SegmentRepair;
struct StagedSamples;
struct Threads;
struct TimeRange;

class Engine {
  struct Key {};

 public:
  Engine(Key key, std::unique_ptr<EngineOwners> owners);
  // Opens or creates the directory; runs recovery.
  static Result<std::unique_ptr<Engine>> open(FileSystem& fs, const EngineOptions& options);
  ~Engine();

  const EngineOptions& options() const;
  EngineLimits limits() const;
  // Applies to requests that begin afterwards; memory limits apply at once. Any thread.
  void configure(const EngineLimits& limits);
  // The current index.
  PinnedIndex index() const;
  const IndexHolder& indexes() const;

  // Whether a request may begin or continue; fails with kBackpressure or kStorageUnavailable.
  Status admit() const;
  // Whether a request may take `bytes` to read one line. Fails with kBackpressure, or
  // kPayloadTooLarge if the limit can never allow them. Counts refusals as admit() does.
  Status admitScratch(std::uint64_t bytes) const;
  // As admit(), for callers that can wait: not counted as a refusal.
  Status checkRoom() const;
  // Whether queries may use more memory; fails with kQueryLimit.
  Status admitQuery() const;
  MemoryUse memoryUse() const;
  // The memory accounts, for objects that are created outside the engine.
  const MemoryAccounts& memory() const;
  // Counts the memory of a request in progress.
  void holdBytes(std::int64_t change);
  void countRejected(std::uint64_t samples);
  // Destroys it on a background thread, because freeing much memory takes long. Then uncounts its
  // `bytes`, which holdBytes() counted.
  void freeApart(std::shared_ptr<void> held, std::uint64_t bytes) const;

  using Committed = std::function<void(Result<IngestReport>)>;
  // Logs and applies a parsed request; releases the `bytes` that holdBytes() counted for
  // it.
  void commit(StagedSamples samples, std::uint64_t bytes, Committed done);

  // As commit(), but skips samples whose series already has a sample at that time. All series are
  // pending; the samples of each are contiguous and ascend in time.
  void commitMissing(StagedSamples samples, std::uint64_t bytes, Committed done);

  // Logs and stores an annotation. `done` gets it with its id, once it is as durable as samples; if
  // admit() refuses, `done` gets the error at once. The same holds for remove(). An annotation that
  // changes another replaces it. kAnnotationNotFound if that one does not exist or lacks a label of
  // `required`.
  using Annotated = std::function<void(Result<Annotation>)>;
  void annotate(Annotation annotation, Annotated done, OwnedLabels required = {});
  // Deletes an annotation; `done` gets the deleted one. kAnnotationNotFound as above.
  void deleteAnnotation(std::uint64_t publicId, Annotated done, OwnedLabels required = {});
  using Removed = std::function<void(Result<std::uint64_t>)>;
  // Logs and applies a deletion. When `done` is called, on any engine thread, the deletion is
  // durable like samples and visible. `done` gets the number of selected series.
  void remove(Removal removal, Removed done);
  const AnnotationIndex& annotations() const;
  // Counts one of kRangeRead, kCompare and kAnnotations.
  void countRequest(Stage stage);

  // Counts answers that were cut because their clients read too slowly. Returns how many bytes of
  // unread answers one listener thread may hold.
  std::uint64_t countCutAnswers(std::uint64_t count);

  // The view that a read of the range uses; kStorageCorrupt if a damaged segment overlaps the
  // range.
  Result<PinnedView> pinView(TimeRange range) const;
  // The current view; it lists damaged segments, too.
  PinnedView pinFiles() const;
  // The query threads, the caller counted as one. The engine must outlive their users.
  Threads queryThreads();
  // Runs a task on a thread of the lane, which must not be kHere. False after close().
  bool post(Lane lane, std::function<void()> task);

  // Flushes all memtables to segments. `isOfLog`: moves the floor of the WAL to its end even if
  // there is nothing to flush.
  using Flushed = std::function<void(Status)>;
  void flush(Flushed done, bool isOfLog = false);
  // Reports the progress of a compaction or migration; cancelling it ends the work. Null if nobody
  // watches.
  using Watch = std::shared_ptr<TaskWatch>;
  // Compacts until nothing is left to merge.
  using Compacted = std::function<void(Result<CompactionReport>)>;
  void compact(Compacted done, Watch watch = nullptr);
  // Runs only the compactions that are due anyway.
  void compactDue(Compacted done);
  // Renames segments of older versions by their hashes.
  using Migrated = std::function<void(Result<MigrationReport>)>;
  void migrate(Migrated done, Watch watch = nullptr);
  // Removes unreferenced files. A dry run also works on a read-only database.
  using Collected = std::function<void(Result<CollectionReport>)>;
  void collect(CollectionRequest request, Collected done);
  // Replaces a damaged segment; see Compactor::repairSegment(). Calls `done` on any thread once the
  // index has its series.
  using Repaired = std::function<void(Result<SegmentRepair>)>;
  void repairSegment(std::uint64_t number, bool isLossAccepted, Repaired done);
  // All segments of the database, including damaged ones, and a view that keeps only their
  // files.
  std::pair<std::vector<SegmentFacts>, PinnedView> segmentsNow() const;
  // The files of the database at one moment. `look` runs while no metadata edit is possible, so all
  // named files exist. It must be quick, because flushes wait for it.
  FilesNow filesNow(const std::function<void(const FilesNow&)>& look) const;
  // Creates or deletes a snapshot of everything acknowledged so far. See Ledger::addTag() and
  // removeTag(); kInvalidArgument for an invalid name.
  using Tagged = std::function<void(Status)>;
  void createSnapshot(std::string name, Tagged done);
  void deleteSnapshot(std::string name, Tagged done);
  // The files to copy for a backup, as of the last flush.
  Result<CommittedFiles> holdFiles();
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
  const RootFacts& root() const;
  std::vector<std::pair<std::string, double>> stats() const;
  StageTimes& stages();
  // Null with Allocator::kSystem.
  const BlockFigures* blocks() const;
  // Sets the sentence of a topic among the reasons of a degraded engine, or clears it with an empty
  // reason. For parts that work beside the engine.
  void report(const std::string& topic, const std::string& reason);
  // The sequence of the last applied record. Blocks for a turn of the committer.
  std::uint64_t lastSequence();
  // Equal values name equal states of the database, its tags included.
  struct Described {
    std::uint64_t edit = 0;
    std::uint64_t refsBytes = 0;
    bool operator==(const Described&) const = default;
  };
  Described described() const;
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
  // The threads that write, merge, delete and answer.
  struct Parts;

  Status checkWritable() const;
  void countMemoryRefusal() const;
  void noteSeries(Result<SegmentRepair> repaired, Repaired done);

  std::unique_ptr<EngineOwners> owners_;
  std::unique_ptr<Parts> parts_;
};

}  // namespace seriesdb
