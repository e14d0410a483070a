#include "bucket/store/queued_store.h"

#include <atomic>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bucket/bucket_fixture.h"
#include "common/base/clock.h"
#include "harness.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;

StoreRequest asked(const std::string& key, std::uint64_t nanos = 60 * kSecond) {
  StoreRequest request = requestOf(StoreOp::kGet, key);
  request.deadlineNanos = monotonicNanos() + nanos;
  return request;
}

// The thread of a client, which answers each get with its own key.
class Echo {
 public:
  Echo() : store([this] { wakes.fetch_add(1); }), client_([this] { run(); }) {}
  ~Echo() {
    isEnding_ = true;
    client_.join();
  }

  std::atomic<int> wakes = 0;
  QueuedStore store;

 private:
  void run() {
    while (!isEnding_) {
      std::vector<std::pair<QueuedStore::Id, std::string>> taken;
      store.take(3, [&taken](QueuedStore::Id id, const StoreRequest& request) {
        taken.emplace_back(id, request.key);
      });
      for (const auto& [id, key] : taken) {
        StoreAnswer answer;
        answer.outcome = StoreOutcome::kDone;
        answer.body = bytesOf(key);
        store.settle(id, std::move(answer));
      }
      if (taken.empty()) std::this_thread::yield();
    }
  }

  std::atomic<bool> isEnding_ = false;
  std::thread client_;
};

}  // namespace

TEST("threads that ask at once get each its own answer") {
  Echo echo;
  std::atomic<int> rightCount = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 50; ++i) {
        const std::string key = std::to_string(thread) + "/" + std::to_string(i);
        const StoreAnswer answer = echo.store.ask(asked(key));
        if (answer.outcome == StoreOutcome::kDone && answer.body == bytesOf(key)) ++rightCount;
      }
    });
  }
  for (std::thread& one : threads) one.join();
  EXPECT(rightCount.load() == 200);
  EXPECT(echo.wakes.load() >= 1);
  EXPECT(!echo.store.isWaiting());
}

TEST("a request that nobody answers ends at its deadline, and a late answer does nothing") {
  QueuedStore store([] {});
  QueuedStore::Id id = 0;
  const StoreAnswer answer = store.ask(asked("a", kSecond / 50));
  EXPECT(answer.outcome == StoreOutcome::kNotKnown);
  EXPECT(answer.reason == std::string("no answer in time"));
  // Whoever gave up is not waited for.
  EXPECT(!store.isWaiting());
  store.take(1, [&id](QueuedStore::Id one, const StoreRequest&) { id = one; });
  EXPECT(id == QueuedStore::Id{0});
  store.settle(1, StoreAnswer{});
}

TEST("with its client all requests of a store end, also later ones") {
  int wakes = 0;
  QueuedStore store([&wakes] { ++wakes; });
  StoreAnswer answer;
  std::thread asker([&] { answer = store.ask(asked("a")); });
  while (!store.isWaiting()) std::this_thread::yield();
  store.close();
  asker.join();
  EXPECT(answer.outcome == StoreOutcome::kNotKnown);
  EXPECT(wakes == 1);
  const StoreAnswer later = store.ask(asked("b"));
  EXPECT(later.reason == std::string("the client of the store has ended"));
  EXPECT(wakes == 1);
}

TEST("a store is found by its number while it lives") {
  auto store = std::make_shared<QueuedStore>([] {});
  const std::uint32_t number = shareStore(store);
  EXPECT(sharedStore(number) == store);
  EXPECT(sharedStore(number + 1) == nullptr);
  store.reset();
  EXPECT(sharedStore(number) == nullptr);
}
