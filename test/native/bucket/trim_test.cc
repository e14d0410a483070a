#include "bucket/trim.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "bucket/bucket_fixture.h"
#include "bucket/entry_fixture.h"
#include "harness.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

// A create of this entry that ended as `kind`.
Created createOf(const SpineEntry& entry, Created::Kind kind = Created::Kind::kMine) {
  const auto bytes = encodeEntry(entry);
  EXPECT(bytes.ok());
  return {kind,
          BucketLayout(entry.link.database).keyOf(EntryPlace{entry.number}),
          bytes.ok() ? bytes.value() : ByteBuffer(),
          {}};
}

KnownEntry knownOf(const SpineEntry& entry) {
  return KnownEntry::ofCreate(createOf(entry), entry.link.database).value();
}

// A history of epochs with their groups, and two entries in it, the second one later.
struct History {
  explicit History(std::mt19937_64& source) : random(source) {
    groupCounts.resize(1 + random() % 6);
    for (std::uint64_t& count : groupCounts) count = random() % 6;
    before = entryAt(1 + random() % groupCounts.size(), {1, 1});
    const std::uint64_t epochs = groupCounts.size() - before.epoch + 1;
    known = entryAt(before.epoch + random() % epochs, before.floor.place);
    known.number = known.lastClaim = std::max(before.number + 1, known.epoch) + random() % 3;
    known.link.before = randomHash(random);
  }

  bool isEnded(std::uint64_t epoch) const { return epoch < groupCounts.size(); }
  std::uint64_t sealOf(std::uint64_t epoch) const { return groupCounts[epoch - 1] + 1; }

  // An entry of this epoch with a floor from `from` on, and with all ends that a claim lists.
  SpineEntry entryAt(std::uint64_t epoch, GroupPlace from) {
    SpineEntry entry = firstEntry();
    entry.epoch = epoch;
    entry.number = entry.lastClaim = epoch;
    if (entry.number > 1) entry.link.before = randomHash(random);
    std::vector<GroupPlace> places;
    for (std::uint64_t one = from.epoch; one <= epoch; ++one) {
      const std::uint64_t first = one == from.epoch ? from.number : 1;
      for (std::uint64_t at = first; at <= sealOf(one); ++at) places.push_back({one, at});
    }
    entry.floor.place = places[random() % places.size()];
    for (std::uint64_t one = 1; one < epoch; ++one) entry.ends.push_back({sealOf(one), 50, 50});
    // Older ends may be missing.
    const std::uint64_t spare = entry.floor.place.epoch - 1;
    const auto dropped =
        static_cast<std::ptrdiff_t>(random() % 2 == 0 ? 0 : random() % (spare + 1));
    entry.ends.erase(entry.ends.begin(), entry.ends.begin() + dropped);
    return entry;
  }

  // All places of the log that are or were in use.
  std::vector<GroupPlace> places() const {
    std::vector<GroupPlace> all;
    for (std::uint64_t epoch = 1; epoch <= groupCounts.size(); ++epoch) {
      const std::uint64_t last = sealOf(epoch) - (isEnded(epoch) ? 0 : 1);
      for (std::uint64_t number = 1; number <= last; ++number) all.push_back({epoch, number});
    }
    return all;
  }
  bool isSeal(const GroupPlace& place) const {
    return isEnded(place.epoch) && place.number == sealOf(place.epoch);
  }

  std::mt19937_64& random;
  std::vector<std::uint64_t> groupCounts;  // Records only, by epoch from 1.
  SpineEntry before;
  SpineEntry known;
};

Sha256 hashOf(std::uint64_t number) {
  Sha256 hash;
  storeLe(hash.bytes.data(), number);
  return hash;
}

}  // namespace

TEST("no entry is known but one of the spine whose create is ours") {
  const SpineEntry entry = firstEntry();
  const DatabaseId database = entry.link.database;
  EXPECT(KnownEntry::ofCreate(createOf(entry), database).ok());
  for (const auto kind : {Created::Kind::kTaken, Created::Kind::kNotKnown}) {
    const auto known = KnownEntry::ofCreate(createOf(entry, kind), database);
    EXPECT(known.status().code() == StatusCode::kInvalidArgument);
  }
  Created group = createOf(entry);
  group.key = BucketLayout(database).keyOf(GroupPlace{1, 1});
  EXPECT(KnownEntry::ofCreate(group, database).status().code() == StatusCode::kInvalidArgument);
  EXPECT(!KnownEntry::ofCreate(createOf(entry), DatabaseId{9}).ok());
  Created other = createOf(entry);
  other.key = BucketLayout(database).keyOf(EntryPlace{2});
  EXPECT(!KnownEntry::ofCreate(other, database).ok());
}

TEST("a publication trims exactly the groups between the two floors, and no seal") {
  std::mt19937_64 random(test::seed());
  std::size_t trimmed = 0;
  for (std::size_t round = 0; round < test::rounds(20'000u); ++round) {
    const History history(random);
    const KnownEntry known = knownOf(history.known);
    std::set<GroupPlace> gone;
    for (const GroupRange& range : groupsBelowFloor(history.before, known)) {
      for (std::uint64_t at = range.first; at < range.end; ++at) {
        EXPECT(gone.insert({range.epoch, at}).second);
      }
    }
    trimmed += gone.size();
    for (const GroupPlace& place : history.places()) {
      const bool isBetween =
          place >= history.before.floor.place && place < history.known.floor.place;
      const bool isListed =
          place.epoch >= history.known.firstEndedEpoch() ||
          (place.epoch >= history.before.firstEndedEpoch() && place.epoch < history.before.epoch);
      const bool goes = isBetween && !history.isSeal(place);
      EXPECT(gone.contains(place) == (goes && isListed));
      gone.erase(place);
    }
    // Nothing else.
    EXPECT(gone.empty());
  }
  EXPECT(trimmed > 0);
}

TEST("a floor that does not advance, or falls back, trims nothing") {
  SpineEntry before = firstEntry();
  before.floor.place = {1, 5};
  SpineEntry next = before;
  next.kind = EntryKind::kPublication;
  next.number = 2;
  next.link.before = sha256(asBytes("first"));
  EXPECT(groupsBelowFloor(before, knownOf(next)).empty());
  next.floor.place = {1, 3};
  EXPECT(groupsBelowFloor(before, knownOf(next)).empty());
  next.floor.place = {1, 6};
  EXPECT(groupsBelowFloor(before, knownOf(next)) == (std::vector<GroupRange>{{1, 5, 6}}));
}

TEST("entries whose numbers lie far apart are compared at once") {
  const SpineEntry before = firstEntry();
  SpineEntry next = firstEntry();
  next.number = next.lastClaim = next.epoch = kEpochMax;
  next.link.before = sha256(asBytes("before"));
  next.ends = {{kChainNumberMax, 50, 50}};
  next.floor.place = {kEpochMax, kChainNumberMax};
  const std::vector<GroupRange> expected = {{kEpochMax - 1, 1, kChainNumberMax},
                                            {kEpochMax, 1, kChainNumberMax}};
  EXPECT(groupsBelowFloor(before, knownOf(next)) == expected);
}

TEST("a sweep deletes what nobody names and what lies below the floor, and nothing else") {
  std::mt19937_64 random(test::seed());
  std::size_t swept = 0;
  for (std::size_t round = 0; round < test::rounds(5000u); ++round) {
    History history(random);
    const BucketLayout layout(history.known.link.database);
    // Whether each key must stay, said as plainly as possible.
    std::map<std::string, bool> stays;
    for (std::uint64_t number = 1; number < 9; ++number) {
      stays[layout.keyOf(EntryPlace{number})] = true;
    }
    for (const GroupPlace& place : history.places()) {
      stays[layout.keyOf(place)] = place >= history.known.floor.place || history.isSeal(place) ||
                                   place.epoch < history.known.firstEndedEpoch();
    }
    NamedObjects named;
    history.known.parts.clear();
    for (std::uint64_t i = 1; i < 40; ++i) {
      const Sha256 hash = hashOf(i);
      const std::uint64_t names = random() % 16;
      const bool isPart = random() % 2 == 0;
      const bool isOfEntry = isPart && (names & 1) != 0;
      if (isOfEntry) history.known.parts.push_back({i, hash});
      if (!isPart && (names & 1) != 0) named.byEntry.insert(hash);
      if ((names & 2) != 0) named.byState.insert(hash);
      if ((names & 4) != 0) named.pending.insert(hash);
      const BucketPlace place = isPart ? BucketPlace(PartPlace{hash}) : SegmentPlace{hash};
      stays[std::visit([&](const auto& one) { return layout.keyOf(one); }, place)] =
          (names & 7) != 0;
    }
    if (history.known.parts.empty()) history.known.parts = {{1, hashOf(0)}};
    const BucketLayout neighbour(DatabaseId{1, 2, 4});
    for (const std::string& key :
         {std::string("ROOT"), std::string("nodes/a"), std::string("objects/tmp/0000000001"),
          neighbour.keyOf(GroupPlace{1, 1}), layout.keyOf(GroupPlace{1, 1}) + "0"}) {
      stays[key] = true;
    }
    SweepListing listing;
    listing.entryNumber = history.known.number - 1;
    std::vector<std::string> expected;
    for (const auto& [key, isKept] : stays) {
      if (random() % 8 == 0) continue;  // A stale listing lacks some.
      listing.keys.push_back(key);
      if (!isKept) expected.push_back(key);
    }
    const auto keys = keysToSweep(listing, knownOf(history.known), named);
    REQUIRE(keys.ok());
    EXPECT(keys.value() == expected);
    swept += expected.size();
  }
  EXPECT(swept > 0);
}

TEST("a sweep refuses an entry that is not newer than its listing") {
  const KnownEntry known = knownOf(firstEntry());
  EXPECT(keysToSweep({0, {}}, known, {}).ok());
  EXPECT(keysToSweep({1, {}}, known, {}).status().code() == StatusCode::kInvalidArgument);
  EXPECT(keysToSweep({2, {}}, known, {}).status().code() == StatusCode::kInvalidArgument);
}

TEST("of the objects of the entry before, those go that nobody names any more") {
  SpineEntry entry = firstEntry();
  entry.parts = {{10, hashOf(1)}};
  NamedObjects named;
  named.byEntry = {hashOf(2)};
  named.byState = {hashOf(3)};
  named.pending = {hashOf(4), hashOf(5)};
  const std::vector<BucketPlace> before = {
      PartPlace{hashOf(1)},    SegmentPlace{hashOf(2)}, SegmentPlace{hashOf(3)},
      SegmentPlace{hashOf(4)}, PartPlace{hashOf(5)},    SegmentPlace{hashOf(6)},
      PartPlace{hashOf(7)},    EntryPlace{1},           GroupPlace{1, 1}};
  const std::vector<BucketPlace> expected = {SegmentPlace{hashOf(6)}, PartPlace{hashOf(7)}};
  EXPECT(objectsToDelete(before, knownOf(entry), named) == expected);
}
