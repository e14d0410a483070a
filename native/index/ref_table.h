// An open-addressing hash table from keys stored elsewhere to their u32 numbers.
//
// A slot holds 32 bits of hash and the number; the caller compares keys. A slot's place depends
// only on its stored hash, so growing reads no key. The size need not be a power of two, which
// keeps the load between a half and four fifths. A removed entry keeps its slot until the table
// grows. Guarded by the owner's lock.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "common/base/check.h"

namespace seriesdb {

class RefTable {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;

  // The number whose key `isEqual(number)` accepts, or kNone.
  template <typename IsEqual>
  std::uint32_t find(std::uint32_t hash, const IsEqual& isEqual) const {
    for (std::size_t at = placeOf(hash); slots_[at].number != kNone; at = after(at)) {
      if (slots_[at].hash != hash || slots_[at].number == kRemoved) continue;
      if (isEqual(slots_[at].number)) return slots_[at].number;
    }
    return kNone;
  }

  // Prefetches into the cache the place where find() and insert() of this hash begin.
  void prefetch(std::uint32_t hash) const { __builtin_prefetch(&slots_[placeOf(hash)]); }
  // Makes room for `count` entries in all, as that many insertions would.
  void reserve(std::size_t count) {
    std::size_t size = slots_.size();
    while (count * 5 > size * 4) size += size / 2;
    if (size > slots_.size()) resize(size);
  }

  // REQUIRES: number < kRemoved, and its key is not in the table.
  void insert(std::uint32_t hash, std::uint32_t number) {
    CHECK(number < kRemoved);
    if ((count_ + 1) * 5 > slots_.size() * 4) resize(slots_.size() + slots_.size() / 2);
    place({hash, number});
    ++count_;
  }

  // REQUIRES: the number is in the table with this hash.
  void remove(std::uint32_t hash, std::uint32_t number) {
    std::size_t at = placeOf(hash);
    while (slots_[at].number != number) {
      CHECK(slots_[at].number != kNone);
      at = after(at);
    }
    slots_[at].number = kRemoved;
  }

  std::size_t memoryBytes() const { return slots_.capacity() * sizeof(Slot); }

 private:
  static constexpr std::uint32_t kRemoved = kNone - 1;

  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t number = kNone;
  };

  std::size_t placeOf(std::uint32_t hash) const {
    return static_cast<std::size_t>((std::uint64_t{hash} * slots_.size()) >> 32);
  }
  std::size_t after(std::size_t at) const { return at + 1 == slots_.size() ? 0 : at + 1; }
  void place(Slot slot) {
    std::size_t at = placeOf(slot.hash);
    while (slots_[at].number != kNone) at = after(at);
    slots_[at] = slot;
  }
  void resize(std::size_t size) {
    std::vector<Slot> old(size);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.number < kRemoved) place(slot);
    }
  }

  std::vector<Slot> slots_ = std::vector<Slot>(64);
  std::size_t count_ = 0;
};

}  // namespace seriesdb
