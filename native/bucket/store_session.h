// Requests to a store that may be sent again: get, put, delete, list, and parts of uploads. What
// fails is tried again for a minute. Creates are no such requests; see create.h.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bucket/pauser.h"
#include "bucket/store/object_store.h"
#include "common/base/bytes.h"
#include "common/base/status.h"
#include "common/digest/sha256.h"

namespace seriesdb {

// Any thread, as far as the store and the pauser allow it. Both must outlive the session.
//
// All methods fail with kStorageUnavailable if the store does not answer, with the key and the last
// reason, and with kClosed once the pauser is stopped. Neither says anything about the object.
class StoreSession {
 public:
  // `seed` spreads the pauses of several nodes.
  StoreSession(ObjectStore& store, Pauser& pauser, std::uint64_t seed)
      : store_(store), pauser_(pauser), draws_(seed) {}
  StoreSession(const StoreSession&) = delete;
  StoreSession& operator=(const StoreSession&) = delete;

  ObjectStore& store() { return store_; }
  Pauser& pauser() { return pauser_; }

  // The object, or the bytes of the range that exist; nullopt: there is no such object.
  Result<std::optional<ByteBuffer>> get(const std::string& key, std::optional<StoreRange> range);
  // REQUIRES: at most kStoreBodySizeMax bytes, and `hash` is theirs.
  Status put(const std::string& key, Bytes bytes, const Sha256& hash);
  // A missing object is fine.
  Status remove(const std::string& key);
  // All keys with the prefix, in byte order. kStorageCorrupt if the store lists in no order.
  Result<std::vector<ListedObject>> list(const std::string& prefix);
  // At most `countMax` of them.
  Result<std::vector<ListedObject>> listSome(const std::string& prefix, std::size_t countMax);

  // Sends the request until it is done or not found. REQUIRES: a second one does no harm.
  Result<StoreAnswer> ask(StoreRequest request);
  // Sends it once. The answer may be kNotKnown.
  StoreAnswer askOnce(StoreRequest request);
  // When a request that is sent now for the first time is given up.
  std::uint64_t giveUpNanos() const { return pauser_.nowNanos() + store_retry::kGiveUpNanos; }
  // Pauses behind so many failures from 0 on. False: the caller gives up, for it was stopped, or
  // the time is over.
  bool goesOnBehind(unsigned failures, std::uint64_t giveUpNanos);
  // The failure of a request that was given up.
  Status failureOf(const StoreRequest& request, const StoreAnswer& answer) const;

 private:
  bool pauseBehind(unsigned failures);

  ObjectStore& store_;
  Pauser& pauser_;
  std::atomic<std::uint64_t> draws_;
  std::atomic<bool> isStopped_{false};
};

}  // namespace seriesdb
