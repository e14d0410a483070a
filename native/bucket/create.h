// `create`: the only write that decides who owns a place in a chain of objects.
//
//   1. PUT if absent.  Done: mine.  Exists: step 2.  Not known: pause, step 1 with the same bytes.
//   2. GET.  Equal bytes: mine.  Other bytes: taken.  Not found: step 1.
//
// So every 412 is looked at: it may be the echo of an earlier attempt of this create.
//
// Bytes that were tried once at a key are the only ones this process ever tries there: a request
// without an answer may still land, and two different objects could then both seem to be ours. The
// types enforce this. Only a CreateAttempt can ask for a create, only a CreateChain makes attempts,
// and a chain has one attempt at a time, whose key lies above all keys that it tried before.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>

#include "bucket/pauser.h"
#include "bucket/store/object_store.h"
#include "common/base/bytes.h"
#include "common/base/status.h"
#include "common/digest/sha256.h"

namespace seriesdb {

// The largest object of a chain. Of a larger one that stands at a key only this much plus one byte
// is read, so a foreign object cannot fill the memory.
inline constexpr std::size_t kCreateSizeMax = std::size_t{65} << 20;

// A key and the only bytes that are tried there. Only a CreateChain makes one.
class CreateAttempt {
 public:
  CreateAttempt(CreateAttempt&&) = default;
  CreateAttempt& operator=(CreateAttempt&&) = default;
  CreateAttempt(const CreateAttempt&) = delete;
  CreateAttempt& operator=(const CreateAttempt&) = delete;

  const std::string& key() const { return key_; }
  Bytes bytes() const { return bytes_; }
  const Sha256& hash() const { return hash_; }  // Of the bytes.

 private:
  friend class CreateChain;
  CreateAttempt(std::string key, ByteBuffer bytes);

  // Requests that lend the bytes of this attempt.
  StoreRequest putRequest() const;
  StoreRequest getRequest() const;

  std::string key_;
  ByteBuffer bytes_;
  Sha256 hash_;
};

// What is known about a place after a create.
struct Created {
  enum class Kind : std::uint8_t {
    kMine,      // Our bytes are there, or were until they were trimmed.
    kTaken,     // Other bytes are there.
    // The caller was stopped, its deadline passed, or the store refused. The attempt stays pending.
    kNotKnown,
  };
  Kind kind = Kind::kNotKnown;
  std::string key;
  // kMine: our bytes. kTaken: the bytes that stand there, untrusted, at most kCreateSizeMax + 1.
  ByteBuffer standing;
  std::string reason;  // kNotKnown: why the last request failed; empty if none was sent.

  bool isMine() const { return kind == Kind::kMine; }
  bool isTaken() const { return kind == Kind::kTaken; }
};

// The creates of this process in one folder of keys, in order. One thread at a time.
class CreateChain {
 public:
  // The permission to make a chain, which only CreateChains has.
  class Registered {
    explicit Registered() = default;
    friend class CreateChains;
  };
  struct Options {
    ObjectStore& store;
    Pauser& pauser;
    std::string folder;  // With the slash at its end.
    std::uint64_t seed;
  };
  CreateChain(Registered, Options options);
  CreateChain(const CreateChain&) = delete;
  CreateChain& operator=(const CreateChain&) = delete;

  // Makes an attempt, without a request yet. kInvalidArgument, and nothing changes: another attempt
  // is pending, the key is not directly in the folder, or it does not lie above the last key.
  // kPayloadTooLarge past kCreateSizeMax.
  Status begin(std::string key, ByteBuffer bytes);

  // Sends the pending attempt until its outcome is known, which ends it. `deadlineNanos` is by the
  // pauser's clock. After kNotKnown the attempt is still pending and another call goes on with it.
  // REQUIRES: pending() is not null.
  Created settle(std::uint64_t deadlineNanos);

  // The attempt whose outcome is not known yet; null if there is none.
  const CreateAttempt* pending() const { return pending_ ? &*pending_ : nullptr; }

 private:
  StoreAnswer send(StoreRequest request, std::uint64_t deadlineNanos);
  // Pauses behind so many failures. False if there is no time for another try.
  bool pauseBehind(unsigned failures, std::uint64_t deadlineNanos);
  Created end(Created::Kind kind, ByteBuffer standing);

  ObjectStore& store_;
  Pauser& pauser_;
  const std::string folder_;
  std::minstd_rand random_;  // Spreads the pauses.
  std::optional<CreateAttempt> pending_;
  std::string lastKey_;  // Of the newest attempt; empty before the first.
};

// All chains of this process in one bucket. A folder has one chain for ever, so no second one can
// try other bytes. One thread at a time; the chains may go to other threads.
class CreateChains {
 public:
  // `seed` spreads the pauses of several nodes. The store and the pauser must outlive all chains.
  CreateChains(ObjectStore& store, Pauser& pauser, std::uint64_t seed)
      : store_(store), pauser_(pauser), seed_(seed) {}

  // The chain of a folder, such as "spine-0a1b2c3d/". Valid as long as this object.
  CreateChain& in(std::string_view folder);

 private:
  ObjectStore& store_;
  Pauser& pauser_;
  const std::uint64_t seed_;
  std::map<std::string, CreateChain, std::less<>> chains_;
};

}  // namespace seriesdb
