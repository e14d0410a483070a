// Shares an open engine among its users and closes it when the last one leaves.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "common/base/lock_order.h"
#include "storage/engine/engine.h"

namespace seriesdb {

// Any thread. A reader may still hold the engine itself; it is closed then.
class OpenEngine {
 public:
  explicit OpenEngine(std::shared_ptr<Engine> engine) : engine_(std::move(engine)) {}

  // Adds a user; false if the last user has already left.
  bool join();
  // REQUIRES: called by a user.
  std::shared_ptr<Engine> engine() const { return engine_; }
  // Call once per user. For the last user, closes the engine and returns its
  // status.
  Status leave();

 private:
  OrderedMutex<LockRank::kOpenEngine> mutex_;
  std::shared_ptr<Engine> engine_;
  std::uint32_t userCount_ = 1;
};

// Opens a past state beside the open engine `now`. All users in this process that request the same
// commit share one engine. Fails like Engine::hold() and openBeside().
Result<std::shared_ptr<OpenEngine>> openPast(const std::shared_ptr<Engine>& now, FileSystem& fs,
                                             EngineOptions options);

}  // namespace seriesdb
