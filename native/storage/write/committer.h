// The thread that writes the WAL: group commit.
//
// It takes all waiting requests, assigns refs to new series, and appends everything at once. A
// request is one record, or more for very many new series. It syncs by the fsync policy, applies
// the records to the active memtable in the same order, and then answers. So an acknowledged sample
// is in the WAL and visible; a failed request is neither.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>
#include <vector>

#include "common/base/bytes.h"
#include "common/types/tombstone.h"
#include "format/annotation/annotation.h"
#include "storage/state/disk_room.h"
#include "storage/state/engine_figures.h"
#include "storage/state/engine_settings.h"
#include "storage/state/sources.h"
#include "storage/state/write_path.h"
#include "storage/write/freeze.h"
#include "storage/write/record_batch.h"
#include "storage/write/reject_writer.h"
#include "storage/write/sync_schedule.h"
#include "storage/write/write_values.h"

namespace seriesdb {

// An annotation to be written; the committer assigns its id.
struct AnnotationWrite {
  Annotation annotation;
  // Labels that the annotation to change must have; empty for a new one.
  OwnedLabels required;
  std::function<void(Result<Annotation>)> done;  // Called on the committer's thread.
};

// A deletion to be applied.
struct RemovalWrite {
  using Done = std::function<void(Result<std::shared_ptr<const Tombstone>>)>;

  // A few series, looked up by the committer; unknown ones are skipped. If empty, `payload` names
  // the series.
  std::vector<SeriesId> series;
  // The range is set. The refs come from `series` or are set, and the committer assigns the
  // sequence.
  Tombstone tombstone;
  ByteBuffer payload;   // The tombstone, encoded.
  // Required room for tombstones. For one part of a deletion, the room of all remaining parts.
  std::uint64_t room = 0;
  // Called on the committer's thread once reads show none of the samples. Null if no series
  // exists.
  Done done;
};

class Committer {
 public:
  using Done = std::function<void(Result<IngestReport>)>;
  struct Request {
    StagedSamples samples;
    std::uint64_t bytes = 0;  // Counted in Counters::requestBytes until it is done.
    Done done;                // Called on the committer's thread.
    // Set for an annotation; `done` is then not called.
    std::unique_ptr<AnnotationWrite> annotation;
    std::unique_ptr<RemovalWrite> removal;  // Set for a deletion; `done` is then not called.
    Status refused;                         // Set by the committer if it finds a limit or conflict.
    // Stores only the samples that keepMissing() leaves at the turn of the request.
    bool isOnlyMissing = false;
  };

  struct Events {
    // Called on the committer's thread after each freeze.
    std::function<void()> onFrozen;
    // While the database awaits disk space: tries to start writing like resumeWriting(), and starts
    // the waiting threads. Called on the committer's thread.
    std::function<Status()> resume;
  };

  struct Owners {
    const EngineSettings& settings;
    Sources& sources;
    WritePath& writes;
    DiskRoom& room;
    EngineFigures& figures;
  };

  // All owners must outlive it.
  Committer(const Owners& owners, Events events);
  ~Committer();

  void submit(Request request);
  // Freezes the active memtable if there is anything to flush; `done` gets the last frozen
  // sequence.
  void freeze(std::function<void(Result<std::uint64_t>)> done);
  // Runs long work on the committer's thread, in turns between requests. Calls `turn` until it
  // returns false; each call must take less than a millisecond. Returns false, without a call,
  // after stop().
  using Turn = std::function<bool()>;
  bool runInTurns(Turn turn);
  // Finishes waiting requests, syncs and closes the WAL, joins the threads. Idempotent. A failure
  // means that acknowledged data may be missing on disk.
  Status stop();

 private:
  using FreezeDone = std::function<void(Result<std::uint64_t>)>;

  void run();
  bool waitForWork(std::vector<Request>& batch, std::vector<FreezeDone>& freezes);
  std::chrono::milliseconds restTime() const;
  void takeBatch(std::vector<Request>& batch);
  void takeTurn();
  void commit(std::vector<Request>& batch);
  Status log(std::vector<Request>& batch);
  Status checkWritable();
  void addRecord(Request& request);
  Status append();
  Status syncByPolicy();
  void apply(const StagedSamples& samples);
  void noteArrivals(std::span<const Timestamp> ts, Timestamp greatest, Timestamp wall);
  void finish(Request& request, const Status& logged);
  void lookForRoom();
  void resumeWriting();
  bool awaitsRoom() const { return room_.isAwaited(); }
  Status prepareAnnotation(AnnotationWrite& write);
  void finishAnnotation(Request& request, const Status& logged);
  Status resolve(Request& request) const;
  Status checkSeriesRoom(const SeriesIndex& index, const Request& request,
                         std::uint64_t memoryLimit) const;
  void noteSeriesRoom();
  void findSeries(RemovalWrite& removal) const;
  bool prepareRemoval(Request& request);
  void finishRemoval(Request& request, const Status& logged);
  void freezeBeforeRemovals(std::vector<Request>& batch);
  bool isHistoryKept() const;
  bool hasUnflushed(const View& view) const;
  bool isTimeToFreeze() const;
  enum class FreezeCause : std::uint8_t { kFlush, kRemoval };
  Result<std::uint64_t> freezeNow(FreezeCause cause = FreezeCause::kFlush);

  const EngineSettings& settings_;
  Sources& sources_;
  WritePath& writes_;
  DiskRoom& room_;
  EngineFigures& figures_;
  const Events events_;
  RejectWriter rejects_;

  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Request> queue_;
  std::vector<FreezeDone> freezes_;
  std::deque<Turn> turns_;
  bool isStopping_ = false;

  // Used only by the thread below.
  RecordBatch records_;
  StateBudget states_;
  std::vector<Request> postponed_;  // Deletions that wait for a flush before them.
  bool isEnding_ = false;           // The value of isStopping_ at its last check.
  // The annotations that the current batch changes, by public id.
  std::unordered_map<std::uint64_t, const Annotation*> changedNotes_;
  std::uint64_t frozenAnnotationBytes_ = 0;  // Bytes of all annotations at the last freeze.
  SyncSchedule syncs_;
  std::uint64_t lastFreezeMs_ = 0;
  std::uint64_t lastRoomLookMs_ = 0;
  std::optional<std::uint64_t> seriesRefusedMs_;
  std::uint32_t seriesNoted_ = 0;  // Series of the index at the last noteSeriesRoom().
  bool isFlushUrgent_;
  // Series, plus kTombstoneWeight per deletion, since the last freeze.
  std::uint64_t unfrozenRemovals_ = 0;
  // The result of the last sync and close. Other threads read it after joining the thread.
  Status closed_;
  std::thread thread_;
};

}  // namespace seriesdb
