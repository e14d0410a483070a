#include "storage/engine/open_engine.h"

#include <map>
#include <optional>

#include "common/base/lock_order.h"
#include "storage/state/free_memory.h"

namespace seriesdb {
namespace {

// A closed engine that held more than this returns its memory to the system at once.
constexpr std::uint64_t kReturnedMin = std::uint64_t{16} << 20;

struct OpenStates {
  using Key = std::pair<const Engine*, Sha256>;

  OrderedMutex<LockRank::kPastStates> mutex;
  std::map<Key, std::weak_ptr<OpenEngine>> all;
};

// One per process. Never destroyed: an environment may end after static objects have.
OpenStates& openStates() {
  static auto* const states = new OpenStates;
  return *states;
}

}  // namespace

bool OpenEngine::join() {
  const std::lock_guard lock(mutex_);
  if (userCount_ == 0) return false;
  ++userCount_;
  return true;
}

Status OpenEngine::leave() {
  const std::lock_guard lock(mutex_);
  if (--userCount_ > 0) return {};
  const bool isLarge = engine_->memoryUse().index >= kReturnedMin;
  std::optional<FreeingForGood> forGood;
  if (isLarge) forGood.emplace();
  const Status closed = engine_->close();
  engine_.reset();
  return closed;
}

// Holds the lock, so that two concurrent callers do not open two engines.
Result<std::shared_ptr<OpenEngine>> openPast(const std::shared_ptr<Engine>& now, FileSystem& fs,
                                             EngineOptions options) {
  auto held = now->hold(options);
  if (!held.ok()) return held.status();
  auto& [mutex, all] = openStates();
  const std::lock_guard lock(mutex);
  std::erase_if(all, [](const auto& one) { return one.second.expired(); });
  const OpenStates::Key key{now.get(), held.value()->commit};
  const auto known = all.find(key);
  auto opened = known == all.end() ? nullptr : known->second.lock();
  if (opened && opened->join()) return opened;
  auto engine = now->openBeside(fs, std::move(options), std::move(held).value());
  if (!engine.ok()) return engine.status();
  opened = std::make_shared<OpenEngine>(std::move(engine).value());
  all[key] = opened;
  return opened;
}

}  // namespace seriesdb
