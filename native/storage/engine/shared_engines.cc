#include "storage/engine/shared_engines.h"

#include <mutex>
#include <vector>

#include "common/base/lock_order.h"

namespace seriesdb {
namespace {

struct Shared {
  OrderedMutex<LockRank::kSharedEngines> mutex;
  std::vector<std::weak_ptr<Engine>> engines;  // By number.
};

// One per process. Never destroyed: an environment may end after static objects have.
Shared& shared() {
  static auto* const all = new Shared;
  return *all;
}

}  // namespace

std::uint32_t shareEngine(const std::shared_ptr<Engine>& engine) {
  auto& [mutex, engines] = shared();
  const std::lock_guard lock(mutex);
  for (std::size_t i = 0; i < engines.size(); ++i) {
    if (engines[i].lock() == engine) return static_cast<std::uint32_t>(i);
  }
  engines.push_back(engine);
  return static_cast<std::uint32_t>(engines.size() - 1);
}

std::shared_ptr<Engine> joinableEngine(std::uint32_t number) {
  auto& [mutex, engines] = shared();
  const std::lock_guard lock(mutex);
  return number < engines.size() ? engines[number].lock() : nullptr;
}

}  // namespace seriesdb
