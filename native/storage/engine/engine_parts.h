// The parts of an open engine that have threads. Only the engine's own files include it.
#pragma once

#include <memory>
#include <mutex>

#include "common/base/lock_order.h"
#include "storage/compactor/compactor.h"
#include "storage/engine/engine.h"
#include "storage/engine/engine_owners.h"
#include "storage/engine/flusher.h"
#include "storage/state/task_pool.h"
#include "storage/write/committer.h"
#include "storage/write/remover.h"

namespace seriesdb {

struct Engine::Parts {
  // Starts all threads. The owners must outlive it.
  explicit Parts(EngineOwners& owners);
  // Resumes the WAL after a start without disk space. The committer calls it.
  Status beginWriting();

  EngineOwners& owners;
  OrderedMutex<LockRank::kEngineClosing> closing;
  WorkPace compactionPace;
  Compactor compactor;
  Flusher flusher;
  Committer committer;
  WorkPace queryPace;
  Remover remover;
  TaskPool queries;
  TaskPool maintenance;
};

}  // namespace seriesdb
