// The one thread that writes the WAL: group commit.
//
// It takes all waiting requests, assigns refs to new series, appends everything at once (one record
// per request; more for very many new series), syncs by the fsync policy, applies it to the active
// memtable in the same order, and then answers. So an acknowledged sample is in the WAL and
// visible; a failed request is neither.
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

#include "common/types/tombstone.h"
#include "common/types/unit_suspect.h"
#include "storage/state/engine_state.h"
#include "storage/write/freeze.h"
#include "storage/write/record_batch.h"
#include "storage/write/reject_writer.h"
#include "storage/write/sync_schedule.h"

namespace seriesdb {

struct IngestReport {
  std::uint64_t ingested = 0;
  std::uint64_t rejected = 0;
  std::vector<RejectedLine> errors{};  // The first 10, without their text.
  UnitSuspects suspects{};
  SkippedCounts skipped{};
  std::uint64_t lineCount = 0;  // Good and bad ones.
  std::map<StatusCode, std::uint64_t> rejectedByCode{};
  // Part of a small request, freed by the thread that made it: from another thread, both would wait
  // for the lock of its heap.
  SpentColumns spent{};
};
inline constexpr std::size_t kReportedErrorsMax = 10;

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

  // A few series, looked up by the committer; unknown ones are skipped. Otherwise `payload`.
  std::vector<SeriesId> series;
  Tombstone tombstone;  // With its range; refs as told above; the sequence is the committer's.
  ByteBuffer payload;   // The tombstone, encoded.
  // Required room for tombstones: for a part of a deletion, more than its own.
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
    std::unique_ptr<AnnotationWrite> annotation;  // Or else samples; `done` is then not called.
    std::unique_ptr<RemovalWrite> removal;        // The same.
    Status refused;  // Set by the committer: a limit or a conflict that was found late.
    bool isOnlyMissing = false;  // What keepMissing() leaves of the samples, at its turn.
  };

  struct Events {
    // Called on the committer's thread after each freeze.
    std::function<void()> onFrozen;
    // While the state awaits disk space: tries to start writing like resumeWriting(), and starts
    // the waiting threads. Called on the committer's thread.
    std::function<Status()> resume;
  };

  Committer(EngineState& state, Events events);
  ~Committer();

  void submit(Request request);
  // Freezes the active memtable if there is anything to flush; `done` gets the last frozen
  // sequence.
  void freeze(std::function<void(Result<std::uint64_t>)> done);
  // Long work of the committer, in turns between requests: its thread calls `turn` until it
  // returns false, for less than a millisecond each. False, and `turn` is never called, after
  // stop().
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
  bool awaitsRoom() const { return state_.awaitsRoom.load(std::memory_order_acquire); }
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

  EngineState& state_;
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
  bool isEnding_ = false;           // As the last look at isStopping_ found.
  // While a batch is logged: its changes of annotations, by public id.
  std::unordered_map<std::uint64_t, const Annotation*> changedNotes_;
  std::uint64_t frozenAnnotationBytes_ = 0;  // Bytes of all annotations at the last freeze.
  SyncSchedule syncs_;
  std::uint64_t lastFreezeMs_ = 0;
  std::uint64_t lastRoomLookMs_ = 0;
  std::optional<std::uint64_t> seriesRefusedMs_;
  std::uint32_t seriesNoted_ = 0;  // Series of the index at the last noteSeriesRoom().
  bool isFlushUrgent_;
  std::uint64_t unfrozenRemovals_ = 0;  // Series and kTombstoneWeight of each since the freeze.
  // The result of the last sync and close; readable by others once the thread is joined.
  Status closed_;
  std::thread thread_;
};

}  // namespace seriesdb
