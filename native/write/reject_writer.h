// Writes the lines that lenient requests rejected to the file of rejects, on a thread of its own:
// no acknowledgement waits for that file, which is a help and not a record.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "ingest/staged_samples.h"
#include "state/engine_state.h"
#include "state/task_pool.h"

namespace seriesdb {

class RejectWriter {
 public:
  explicit RejectWriter(EngineState& state);

  // Takes the lines. They are counted once they are written, or as failed: also those for which no
  // memory is left, because the disk is slower than lines are rejected. Any thread.
  void add(RejectedLines lines);
  // Writes what it took, and ends the thread. Idempotent.
  void stop();

 private:
  void write(const RejectedLines& lines);

  EngineState& state_;
  std::atomic<std::uint64_t> heldBytes_{0};
  TaskPool thread_{1};
};

}  // namespace seriesdb
