// Frees slow objects, such as memtables, on a background thread. Their last holder may be the
// committer, a query, or the JavaScript thread.
#pragma once

#include <memory>
#include <utility>

#include "storage/state/task_pool.h"

namespace seriesdb {

// Frees on the caller's thread if the pool was stopped or is gone.
template <typename Held>
std::shared_ptr<Held> releasedApart(std::unique_ptr<Held> held,
                                    const std::shared_ptr<TaskPool>& releases) {
  const auto release = [pool = std::weak_ptr<TaskPool>(releases)](Held* last) {
    std::shared_ptr<Held> kept(last);
    if (const auto alive = pool.lock()) alive->post([kept = std::move(kept)] {});
  };
  return {held.release(), release};
}

}  // namespace seriesdb
