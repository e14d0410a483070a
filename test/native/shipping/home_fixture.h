// A database that has its home in a bucket in memory.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "bucket/layout.h"
#include "bucket/store/memory_store.h"
#include "shipping/shipping.h"
#include "storage/ledger/ledger_fixture.h"

namespace seriesdb::test {

namespace files = std::filesystem;

// A store that several threads may ask, and that can be away.
class HomeStore final : public ObjectStore {
 public:
  StoreAnswer ask(const StoreRequest& request) override {
    const std::lock_guard lock(mutex_);
    const bool isMeant = isMeant_ != nullptr && isMeant_(request);
    if (isMeant && meant_++ < refused_) {
      StoreAnswer refused;
      refused.outcome = StoreOutcome::kRefused;
      refused.reason = "403 AccessDenied";
      return refused;
    }
    if (isMeant && delayMs_ > 0) std::this_thread::sleep_for(std::chrono::milliseconds(delayMs_));
    if (isAway_) {
      StoreAnswer away;
      away.reason = "away";
      return away;
    }
    return store_.ask(request);
  }
  void setAway(bool isAway) {
    const std::lock_guard lock(mutex_);
    isAway_ = isAway;
  }
  // A function, not a closure: threads of an engine ask it until the engine has ended, which may be
  // later than a variable of the test.
  using Match = bool (*)(const StoreRequest&);
  // Refuses the first so many of these requests.
  void refuse(Match isMeant, std::size_t count) {
    const std::lock_guard lock(mutex_);
    isMeant_ = isMeant;
    refused_ = count;
    meant_ = 0;
  }
  // Answers these requests so much later.
  void delay(Match isMeant, unsigned ms) {
    refuse(isMeant, 0);
    const std::lock_guard lock(mutex_);
    delayMs_ = ms;
  }
  // How many of these requests came.
  std::size_t meantCount() {
    const std::lock_guard lock(mutex_);
    return meant_;
  }
  void follow(MemoryStore::Plan plan) {
    const std::lock_guard lock(mutex_);
    store_.follow(std::move(plan));
  }
  // What is in the bucket at this moment.
  MemoryStore::Objects copy() {
    const std::lock_guard lock(mutex_);
    return store_.objects();
  }
  void set(MemoryStore::Objects objects) {
    const std::lock_guard lock(mutex_);
    store_.objects() = std::move(objects);
  }
  std::size_t countOf(std::string_view part) {
    std::size_t count = 0;
    for (const auto& [key, bytes] : copy()) count += key.find(part) != std::string::npos ? 1 : 0;
    return count;
  }

 private:
  std::mutex mutex_;
  bool isAway_ = false;
  Match isMeant_ = nullptr;
  std::size_t refused_ = 0;
  std::size_t meant_ = 0;
  unsigned delayMs_ = 0;
  MemoryStore store_;
};

struct Home {
  explicit Home(std::shared_ptr<HomeStore> shared = std::make_shared<HomeStore>())
      : store(std::move(shared)) {
    bucket.store = store;
    bucket.url = "s3://name/prefix";
    bucket.node = "node-a";
    bucket.groupMs = 1;
    bucket.publishMs = 1;
  }

  Status start() {
    database.close();
    database.options.copy = nullptr;
    auto opened = openShipped(posixFileSystem(), database.options, bucket);
    if (!opened.ok()) return opened.status();
    note = opened.value().note;
    database.take(std::move(opened.value().engine));
    return {};
  }
  std::string content() { return contentOf(database); }

  // Waits until it is true. False after ten seconds.
  static bool within(const std::function<bool()>& isTrue) {
    for (int i = 0; i < 2000; ++i) {
      if (isTrue()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
  }
  bool isShipped() {
    return within([this] {
      return database.stat("bucket_epoch") > 0 && database.stat("bucket_lag_seconds") == 0 &&
             database.stat("bucket_unshipped_bytes") == 0;
    });
  }
  // Flushes, and waits until an entry has it.
  bool publish() {
    const double before = database.stat("bucket_entry");
    if (!database.flush().ok()) return false;
    return within([this, before] { return database.stat("bucket_entry") > before; });
  }
  std::string quarantine() const { return database.options.directory + "/quarantine"; }

  std::shared_ptr<HomeStore> store;
  BucketOptions bucket;
  Database database;
  std::string note;
};

// Another directory with the same bucket, as it is now.
inline std::unique_ptr<Home> copyOf(Home& home) {
  auto store = std::make_shared<HomeStore>();
  store->set(home.store->copy());
  return std::make_unique<Home>(store);
}

}  // namespace seriesdb::test
