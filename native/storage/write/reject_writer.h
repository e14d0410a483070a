// Writes rejected lines of lenient requests to a file, on its own thread. No acknowledgement waits
// for that file, which is only a help.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "common/file/file_system.h"
#include "ingest/staged_samples.h"
#include "storage/state/counters.h"
#include "storage/state/task_pool.h"

namespace seriesdb {

class RejectWriter {
 public:
  // `fs` and `counters` must outlive it.
  RejectWriter(FileSystem& fs, std::string directory, Counters& counters);

  // Takes the lines and counts them as written or failed. If the disk is slower than the rejections
  // and memory runs out, lines count as failed. Any thread.
  void add(RejectedLines lines);
  // Writes all taken lines, and joins the thread. Idempotent.
  void stop();

 private:
  void write(const RejectedLines& lines);

  FileSystem& fs_;
  const std::string directory_;
  Counters& counters_;
  std::atomic<std::uint64_t> heldBytes_{0};
  TaskPool thread_{1};
};

}  // namespace seriesdb
