// Entries for tests: a small one, and random ones.
#pragma once

#include <algorithm>
#include <random>
#include <string>

#include "bucket/entry.h"
#include "format/log/log_file.h"

namespace seriesdb::test {

inline Sha256 randomHash(std::mt19937_64& random) {
  Sha256 hash;
  for (std::uint8_t& byte : hash.bytes) byte = static_cast<std::uint8_t>(random());
  return hash;
}

// From 1 to `most`, of any magnitude equally often.
inline std::uint64_t randomUpTo(std::mt19937_64& random, std::uint64_t most) {
  return 1 + (random() >> random() % 64) % most;
}

// The first claim of a database.
inline SpineEntry firstEntry() {
  SpineEntry entry;
  entry.link.database = {1, 2, 3};
  entry.link.nonce = {7};
  entry.number = entry.epoch = entry.lastClaim = 1;
  entry.timeMs = 1'700'000'000'000;
  entry.featuresToRead = 28;
  entry.seen = 41;
  entry.edit = 3;
  entry.headCommit = sha256(asBytes("head"));
  entry.floor = {{1, 1}, 40};
  entry.node = "node-a";
  entry.address = "http://10.0.0.1:9090";
  entry.parts = {{1000, sha256(asBytes("part"))}};
  return entry;
}

// Random ends for an entry whose epoch is set.
inline void addEnds(std::mt19937_64& random, SpineEntry& entry) {
  const std::uint64_t most = std::min<std::uint64_t>(entry.epoch - 1, 50);
  std::uint64_t sequence = 0;
  for (std::uint64_t count = random() % (most + 1); count > 0; --count) {
    sequence += randomUpTo(random, kSequenceMax / 100) - 1;
    const std::uint64_t kept = sequence + randomUpTo(random, kSequenceMax / 100) - 1;
    entry.ends.push_back({randomUpTo(random, kChainNumberMax), sequence, kept});
  }
}

// Any valid entry.
inline SpineEntry randomEntry(std::mt19937_64& random) {
  SpineEntry entry;
  std::ranges::generate(entry.link.database, [&] { return static_cast<std::uint8_t>(random()); });
  std::ranges::generate(entry.link.nonce, [&] { return static_cast<std::uint8_t>(random()); });
  entry.epoch = randomUpTo(random, kEpochMax);
  entry.lastClaim = entry.epoch + randomUpTo(random, kChainNumberMax - kEpochMax) - 1;
  entry.number = entry.lastClaim;
  if (random() % 2 == 0) {
    entry.kind = EntryKind::kPublication;
    entry.number += randomUpTo(random, kChainNumberMax - entry.lastClaim + 1) - 1;
    if (entry.number == entry.lastClaim) entry.kind = EntryKind::kClaim;
  }
  if (entry.number > 1) entry.link.before = randomHash(random);
  entry.timeMs = static_cast<std::int64_t>(random());
  entry.featuresToRead = static_cast<std::uint32_t>(random());
  entry.featuresToWrite = static_cast<std::uint32_t>(random());
  entry.edit = randomUpTo(random, kSequenceMax);
  entry.headCommit = randomHash(random);
  addEnds(random, entry);
  entry.floor.place.epoch = entry.epoch - random() % (entry.ends.size() + 1);
  const EpochEnd* end = entry.endOf(entry.floor.place.epoch);
  entry.floor.place.number = randomUpTo(random, end ? end->number : kChainNumberMax);
  const std::uint64_t sequenceMax = end ? end->sequence : kSequenceMax;
  entry.floor.sequence = std::min(randomUpTo(random, kSequenceMax), sequenceMax);
  entry.seen = entry.floor.sequence + random() % (kSequenceMax - entry.floor.sequence + 1);
  entry.ack = random() % 2 == 0 ? AckMode::kLocal : AckMode::kBucket;
  entry.lagMaxMs = random() % 3 == 0 ? 0 : randomUpTo(random, kSequenceMax);
  entry.node.assign(randomUpTo(random, kNodeNameSizeMax), '~');
  entry.address.assign(random() % (kAddressSizeMax + 1), ' ');
  for (std::uint64_t count = randomUpTo(random, 40); count > 0; --count) {
    entry.parts.push_back({randomUpTo(random, kRefsSizeMax / 64), randomHash(random)});
  }
  return entry;
}

inline ExpectedEntry expectedOf(const SpineEntry& entry) {
  return {entry.link.database, entry.number};
}

}  // namespace seriesdb::test
