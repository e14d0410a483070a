// A log of groups in a store that several threads may ask, and the claim that lists it.
#pragma once

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "bucket/bucket_fixture.h"
#include "bucket/entry_fixture.h"
#include "bucket/group_fixture.h"
#include "bucket/store_session.h"
#include "format/log/wal_reader.h"

namespace seriesdb::test {

// A store in memory for several threads.
class SharedStore final : public ObjectStore {
 public:
  StoreAnswer ask(const StoreRequest& request) override {
    const std::lock_guard lock(mutex_);
    return store.ask(request);
  }

  MemoryStore store;  // The test looks at it while no request is under way.

 private:
  std::mutex mutex_;
};

// A clock for several threads that only pauses move.
class SharedPauser final : public Pauser {
 public:
  std::uint64_t nowNanos() const override {
    const std::lock_guard lock(mutex_);
    return pauser_.nowNanos();
  }
  bool pause(std::uint64_t nanos) override {
    const std::lock_guard lock(mutex_);
    return pauser_.pause(nanos) && !isStopped;
  }

  bool isStopped = false;  // Set it while no request is under way.

 private:
  mutable std::mutex mutex_;
  TestPauser pauser_;
};

struct SharedSession {
  SharedStore shared;
  SharedPauser pauser;
  StoreSession session{shared, pauser, 1};

  MemoryStore::Objects& objects() { return shared.store.objects(); }
};

// Writes the groups of owners in turn.
class LogMaker {
 public:
  // The first group has the record behind `sequence`.
  LogMaker(MemoryStore::Objects& objects, const DatabaseId& database, std::uint64_t sequence)
      : objects_(objects), layout_(database) {
    claim = firstEntry();
    claim.link.database = database;
    claim.seen = claim.floor.sequence = sequence;
    group_.link.database = database;
    group_.link.nonce = {9};
    group_.place = {1, 1};
    group_.lastSequence = sequence;
  }

  // Adds a group of these framed records, of so many.
  void add(std::uint64_t file, Bytes records, std::uint64_t count) {
    group_.kind = GroupKind::kRecords;
    group_.file = file;
    group_.firstSequence = group_.lastSequence + 1;
    group_.lastSequence += count;
    group_.records.assign(records.begin(), records.end());
    put();
  }
  // Adds a group of so many made-up records of the engine's size; the first group of a file begins
  // with its mark.
  void addRecords(std::uint64_t file, std::size_t count, std::size_t size = 10) {
    ByteBuffer records;
    for (std::uint64_t at = 1; at <= count; ++at) {
      const std::uint64_t sequence = group_.lastSequence + at;
      const bool isBegin = at == 1 && file != group_.file;
      const ByteBuffer payload(isBegin ? 0 : size, static_cast<std::uint8_t>(sequence));
      appendRecord(records, isBegin ? kBeginMarkType : 1, sequence, payload);
    }
    add(file, records, count);
  }
  // Seals the epoch's log; the claim lists it and has the next epoch.
  void seal(bool isLinked = true) {
    LogGroup seal = group_;
    seal.kind = GroupKind::kSeal;
    seal.file = seal.firstSequence = seal.lastSequence = 0;
    seal.records.clear();
    if (!isLinked) seal.link.before = {};
    const std::uint64_t last = group_.lastSequence;
    const std::uint64_t file = group_.file;
    std::swap(group_, seal);
    put();
    claim.ends.push_back({group_.place.number - 1, last, last});
    claim.number = claim.lastClaim = ++claim.epoch;
    claim.link.before = sha256(asBytes("before"));
    group_ = std::move(seal);
    group_.file = file;
    group_.place = {claim.epoch, 1};
    group_.link.before = {};
  }

  std::string keyOf(std::uint64_t epoch, std::uint64_t number) const {
    return layout_.keyOf(GroupPlace{epoch, number});
  }

  SpineEntry claim;
  std::vector<LogGroup> groups;  // Without seals.

 private:
  void put() {
    const ByteBuffer bytes = encodeGroup(group_).value();
    objects_[layout_.keyOf(group_.place)] = bytes;
    if (group_.kind == GroupKind::kRecords) groups.push_back(group_);
    ++group_.place.number;
    group_.link.before = sha256(bytes);
  }

  MemoryStore::Objects& objects_;
  const BucketLayout layout_;
  LogGroup group_;  // The last one, with the place and the hash of the next.
};

}  // namespace seriesdb::test
