// Who has an open engine, and when it is closed: by the last of those who opened it together.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "engine/engine.h"

namespace seriesdb {

// Any thread. What still reads may hold the engine itself, which is closed then.
class OpenEngine {
 public:
  explicit OpenEngine(std::shared_ptr<Engine> engine) : engine_(std::move(engine)) {}

  // For one more user; false when the last one has left.
  bool join();
  // REQUIRES: called by a user.
  std::shared_ptr<Engine> engine() const { return engine_; }
  // Once for each user. The last one closes the engine and lets go of it, and is told what came of
  // that.
  Status leave();

 private:
  std::mutex mutex_;
  std::shared_ptr<Engine> engine_;
  std::uint32_t userCount_ = 1;
};

// A state of the past beside `now`, which is open. One that is open already is shared: all of this
// process that ask for the same commit have one engine. Fails as Engine::hold() and openBeside().
Result<std::shared_ptr<OpenEngine>> openPast(const std::shared_ptr<Engine>& now, FileSystem& fs,
                                             EngineOptions options);

}  // namespace seriesdb
