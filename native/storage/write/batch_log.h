// Writes batches of requests to the WAL, or refuses them while the WAL cannot be written. The
// committer's thread only.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "storage/write/commit_request.h"
#include "storage/write/freeze.h"
#include "storage/write/record_batch.h"
#include "storage/write/sync_schedule.h"

namespace seriesdb {

class BatchLog {
 public:
  // While the database awaits disk space, `resume` opens the WAL and starts the waiting threads.
  BatchLog(const CommitOwners& owners, Freezer& freezer, std::function<Status()> resume);

  // Appends one record for each request with samples, descriptors, an annotation or a removal. Sets
  // CommitRequest::refused of a request that meets a limit or a conflict.
  Status append(std::vector<CommitRequest>& batch);
  Status syncByPolicy();
  // How long the committer's thread may sleep without requests. It wakes to look for free space, to
  // freeze on time, and to sync at the end of an interval.
  std::chrono::milliseconds restTime() const;
  // Clears the state of a full disk when space is free again, without a write. Some clients send no
  // data until the database reports that it takes writes.
  void lookForRoom();
  // Tells the index how many bytes new series may take. noteNewSeries() does so only if there are
  // new ones since.
  void noteSeriesRoom();
  void noteNewSeries();

 private:
  void resumeWriting();
  Status checkWritable();
  void addRecord(CommitRequest& request);
  Status prepareAnnotation(AnnotationWrite& write);
  Status appendRecords();
  Status resolve(CommitRequest& request) const;
  Status checkSeriesRoom(const SeriesIndex& index, const CommitRequest& request,
                         std::uint64_t memoryLimit) const;
  bool prepareRemoval(CommitRequest& request);

  const EngineSettings& settings_;
  Sources& sources_;
  WritePath& writes_;
  DiskRoom& room_;
  EngineFigures& figures_;
  Freezer& freezer_;
  const std::function<Status()> resume_;
  RecordBatch records_;
  // The annotations that the current batch changes, by public id.
  std::unordered_map<std::uint64_t, const Annotation*> changedNotes_;
  SyncSchedule syncs_;
  std::uint64_t lastRoomLookMs_ = 0;
  std::optional<std::uint64_t> seriesRefusedMs_;
  std::uint32_t seriesNoted_ = 0;  // Series of the index at the last noteSeriesRoom().
};

}  // namespace seriesdb
