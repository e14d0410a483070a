// A store in memory whose network fails as a test wants it. A plan gives each request its fate:
// from a script, or at random from a seed.
//
// One thread at a time. Time does not pass: a request that fails does so at once.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "bucket/store/object_store.h"

namespace seriesdb {

// What the network and the store do to a request.
enum class StoreFate : std::uint8_t {
  kPlain,
  kLoseAnswer,       // It takes effect; the caller hears nothing.
  kLoseRequest,      // It takes no effect; the caller hears nothing.
  kDelay,            // The caller hears nothing; it takes effect when the test calls land().
  kIgnoreCondition,  // A create overwrites, and is done.
  kConflict,         // 409, without an effect.
  kUnavailable,      // 503, without an effect.
};

class MemoryStore final : public ObjectStore {
 public:
  using Plan = std::function<StoreFate(const StoreRequest&)>;
  using Objects = std::map<std::string, ByteBuffer, std::less<>>;

  // All requests succeed.
  MemoryStore() = default;
  explicit MemoryStore(Plan plan) : plan_(std::move(plan)) {}

  // The fates in order, then kPlain.
  static Plan script(std::deque<StoreFate> fates);
  // Of 100 requests about `percent` get a fate other than kPlain: each of `fates` equally often.
  static Plan random(std::uint64_t seed, unsigned percent, std::vector<StoreFate> fates);
  // For all requests from now on.
  void follow(Plan plan) { plan_ = std::move(plan); }

  StoreAnswer ask(const StoreRequest& request) override;

  // The requests that kDelay holds back, in the order in which they were sent.
  std::size_t delayedCount() const { return delayed_.size(); }
  // Lets one of them reach the store now. Its answer reaches nobody; it is returned for the test.
  // REQUIRES: index < delayedCount()
  StoreAnswer land(std::size_t index);

  // What is stored, for the test to look at and to change.
  Objects& objects() { return objects_; }
  // Uploads that were begun and neither ended nor dropped.
  std::size_t uploadCount() const { return uploads_.size(); }
  // How many requests of this kind were sent.
  std::size_t count(StoreOp op) const { return counts_[static_cast<std::size_t>(op)]; }

 private:
  // A request that owns its body.
  struct Delayed {
    StoreRequest request;
    ByteBuffer body;
  };

  struct Upload {
    std::string key;
    std::map<std::uint32_t, ByteBuffer> parts;
  };

  StoreAnswer carryOut(const StoreRequest& request, bool isConditionIgnored);
  StoreAnswer put(const StoreRequest& request, bool isConditionIgnored);
  StoreAnswer get(const StoreRequest& request) const;
  StoreAnswer list(const StoreRequest& request) const;
  StoreAnswer beginUpload(const StoreRequest& request);
  StoreAnswer putPart(const StoreRequest& request);
  StoreAnswer endUpload(const StoreRequest& request);

  Plan plan_;
  Objects objects_;
  std::vector<Delayed> delayed_;
  std::map<std::string, Upload> uploads_;  // By id.
  std::uint64_t begunCount_ = 0;
  std::size_t counts_[kStoreOpCount] = {};
};

}  // namespace seriesdb
