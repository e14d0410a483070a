#include "bucket/store/queued_store.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <vector>

#include "common/base/clock.h"

namespace seriesdb {
namespace {

struct SharedStores {
  OrderedMutex<LockRank::kSharedStores> mutex;
  std::vector<std::weak_ptr<QueuedStore>> stores;  // By number.
};

// One per process. Never destroyed: an environment may end after static objects have.
SharedStores& sharedStores() {
  static auto* const all = new SharedStores;
  return *all;
}

StoreAnswer unheard(std::string reason) {
  StoreAnswer answer;
  answer.reason = std::move(reason);
  return answer;
}

// Until the deadline. No request lasts a day, and the clock cannot count much longer.
std::chrono::nanoseconds timeLeft(std::uint64_t deadlineNanos) {
  constexpr std::uint64_t kDay = std::uint64_t{86'400} * 1'000'000'000;
  const std::uint64_t now = monotonicNanos();
  return std::chrono::nanoseconds(deadlineNanos <= now ? 0 : std::min(deadlineNanos - now, kDay));
}

}  // namespace

StoreAnswer QueuedStore::ask(const StoreRequest& request) {
  std::unique_lock lock(mutex_);
  if (!wake_) return unheard("the client of the store has ended");
  const Id id = ++lastId_;
  Asked& asked = asked_.emplace(id, Asked{&request, {}}).first->second;
  waiting_.push_back(id);
  if (waiting_.size() == 1) wake_();
  const auto isSettled = [&asked] { return asked.isSettled; };
  if (!settled_.wait_for(lock, timeLeft(request.deadlineNanos), isSettled)) {
    asked.answer = unheard("no answer in time");
  }
  StoreAnswer answer = std::move(asked.answer);
  asked_.erase(id);
  std::erase(waiting_, id);
  return answer;
}

void QueuedStore::take(std::size_t countMax, const Visit& visit) {
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < countMax && !waiting_.empty(); ++i) {
    const Id id = waiting_.front();
    waiting_.pop_front();
    visit(id, *asked_.at(id).request);
  }
}

bool QueuedStore::isWaiting() const {
  const std::lock_guard lock(mutex_);
  return !waiting_.empty();
}

void QueuedStore::settle(Id id, StoreAnswer answer) {
  const std::lock_guard lock(mutex_);
  const auto found = asked_.find(id);
  if (found == asked_.end()) return;
  found->second.answer = std::move(answer);
  found->second.isSettled = true;
  settled_.notify_all();
}

void QueuedStore::close() {
  const std::lock_guard lock(mutex_);
  wake_ = nullptr;
  waiting_.clear();
  for (auto& [id, asked] : asked_) {
    if (asked.isSettled) continue;
    asked.answer = unheard("the client of the store has ended");
    asked.isSettled = true;
  }
  settled_.notify_all();
}

std::uint32_t shareStore(const std::shared_ptr<QueuedStore>& store) {
  auto& [mutex, stores] = sharedStores();
  const std::lock_guard lock(mutex);
  stores.push_back(store);
  return static_cast<std::uint32_t>(stores.size() - 1);
}

std::shared_ptr<QueuedStore> sharedStore(std::uint32_t number) {
  auto& [mutex, stores] = sharedStores();
  const std::lock_guard lock(mutex);
  return number < stores.size() ? stores[number].lock() : nullptr;
}

}  // namespace seriesdb
