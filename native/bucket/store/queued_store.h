// A store whose requests another thread sends: askers wait, and the thread with the HTTP client
// takes what waits and settles it.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "bucket/store/object_store.h"
#include "common/base/lock_order.h"

namespace seriesdb {

class QueuedStore final : public ObjectStore {
 public:
  using Id = std::uint64_t;
  using Visit = std::function<void(Id, const StoreRequest&)>;

  // `wake` says that requests wait. Any thread calls it, under the lock of the queue, so it must
  // not call this object.
  explicit QueuedStore(std::function<void()> wake) : wake_(std::move(wake)) {}

  // After close(): not known, at once.
  StoreAnswer ask(const StoreRequest& request) override;

  // Shows up to `countMax` requests that were not taken yet. `visit` copies what it needs: with its
  // return the asker may give up, and its body is gone. It must not call this object.
  void take(std::size_t countMax, const Visit& visit);
  bool isWaiting() const;
  // Ends a request. Does nothing if its asker has given up.
  void settle(Id id, StoreAnswer answer);
  // Ends all requests, now and later, as not known. Idempotent. `wake` is not called any more.
  void close();

 private:
  struct Asked {
    const StoreRequest* request;
    StoreAnswer answer;
    bool isSettled = false;
  };

  mutable OrderedMutex<LockRank::kStoreQueue> mutex_;
  OrderedCondition settled_;
  std::function<void()> wake_;  // Null once closed.
  std::map<Id, Asked> asked_;
  std::deque<Id> waiting_;
  Id lastId_ = 0;
};

// The number that sharedStore() accepts.
std::uint32_t shareStore(const std::shared_ptr<QueuedStore>& store);
// Null if no store has the number, or its client has ended. Any thread.
std::shared_ptr<QueuedStore> sharedStore(std::uint32_t number);

}  // namespace seriesdb
