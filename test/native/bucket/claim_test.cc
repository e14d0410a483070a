// Claims and publications: one owner at a time, whatever the network does.
#include "bucket/claim.h"

#include <memory>
#include <random>

#include "bucket/session_fixture.h"
#include "harness.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

SpineEntry newestIn(SessionFixture& fixture) {
  fixture.store.follow({});
  Spine spine(fixture.session, {1, 2, 3});
  return spine.newest(0).value()->entry;
}

// Puts a group without records into the log of epoch 1; `last` is the last sequence before it.
void putGroup(SessionFixture& fixture, std::uint64_t number, std::uint64_t last) {
  LogGroup group;
  group.link.database = {1, 2, 3};
  group.place = {1, number};
  group.file = 1;
  group.firstSequence = last + 1;
  group.lastSequence = last;
  fixture.put(BucketLayout({1, 2, 3}).keyOf(group.place), encodeGroup(group).value());
}

bool isTrue(const Result<bool>& result) { return result.ok() && result.value(); }

// All entries are there and follow one another.
void expectOneSpine(SessionFixture& fixture) {
  fixture.store.follow({});
  Spine spine(fixture.session, {1, 2, 3});
  const auto newest = spine.newest(0);
  REQUIRE(newest.ok());
  if (!newest.value()) return;
  std::optional<FoundEntry> before;
  for (std::uint64_t number = 1; number <= newest.value()->entry.number; ++number) {
    const auto found = spine.read(number);
    REQUIRE(found.ok() && found.value());
    const SpineEntry& entry = found.value()->entry;
    if (before) {
      EXPECT(entry.link.before == before->hash);
      const bool isClaim = entry.kind == EntryKind::kClaim;
      EXPECT(entry.epoch == before->entry.epoch + (isClaim ? 1 : 0));
      EXPECT(isClaim ? entry.edit == before->entry.edit
                     : entry.link.nonce == before->entry.link.nonce);
    }
    before = *found.value();
  }
}

}  // namespace

TEST("the first owner begins the spine, and the next one claims it") {
  SessionFixture fixture;
  OwnerProcess first(fixture, 1);
  const auto none = first.claim.take();
  REQUIRE(none.ok() && !none.value());
  EXPECT(fixture.store.objects().empty());
  REQUIRE(first.claim.begin(stateOf(1)).ok());
  REQUIRE(first.claim.publish(stateOf(2)).ok());
  OwnerProcess second(fixture, 2);
  REQUIRE(isTrue(second.claim.take()));
  const SpineEntry claim = newestIn(fixture);
  EXPECT(claim.number == 3 && claim.epoch == 2 && claim.kind == EntryKind::kClaim);
  EXPECT(claim.edit == 2 && claim.parts == stateOf(2).parts && claim.node == "node-2");
  EXPECT(claim.floor == (LogFloor{{2, 1}, 20}));
  REQUIRE(claim.ends.size() == 1);
  EXPECT(claim.ends[0] == (EpochEnd{1, 20, 20}));
  EXPECT(second.claim.before()->entry.number == 2);
  REQUIRE(second.claim.publish(stateOf(3)).ok());
  EXPECT(second.claim.known()->entry() == newestIn(fixture));
  expectOneSpine(fixture);
}

TEST("an owner is fenced by a claim, and says so") {
  SessionFixture fixture;
  OwnerProcess first(fixture, 1);
  REQUIRE(first.claim.take().ok());
  REQUIRE(first.claim.begin(stateOf(1)).ok());
  OwnerProcess second(fixture, 2);
  REQUIRE(isTrue(second.claim.take()));
  EXPECT(first.claim.publish(stateOf(2)).code() == StatusCode::kLocked);
  REQUIRE(second.claim.publish(stateOf(3)).ok());
  EXPECT(newestIn(fixture).edit == 3);
}

TEST("of two owners that begin one spine, one loses") {
  SessionFixture fixture;
  OwnerProcess first(fixture, 1);
  OwnerProcess second(fixture, 2);
  REQUIRE(first.claim.take().ok() && second.claim.take().ok());
  REQUIRE(second.claim.begin(stateOf(2)).ok());
  const Status lost = first.claim.begin(stateOf(1));
  EXPECT(lost.code() == StatusCode::kLocked);
  EXPECT(lost.message().find("entry 1") != std::string::npos);
  EXPECT(newestIn(fixture).edit == 2);
}

TEST("a claim walks the groups of the newest epoch and keeps the floor") {
  SessionFixture fixture;
  OwnerProcess first(fixture, 1);
  REQUIRE(first.claim.take().ok());
  REQUIRE(first.claim.begin(stateOf(1)).ok());
  const BucketLayout layout({1, 2, 3});
  for (std::uint64_t number = 1; number <= 3; ++number) putGroup(fixture, number, 10);
  OwnerProcess second(fixture, 2);
  REQUIRE(isTrue(second.claim.take()));
  const SpineEntry claim = newestIn(fixture);
  EXPECT(claim.floor.place == (GroupPlace{1, 1}));
  EXPECT(claim.ends.back() == (EpochEnd{4, 10, 10}));
  const auto& seal = fixture.store.objects()[layout.keyOf(GroupPlace{1, 4})];
  EXPECT(decodeGroup(seal, {{1, 2, 3}, {1, 4}}).value().kind == GroupKind::kSeal);
  fixture.put(layout.keyOf(GroupPlace{2, 1}), asBytes("other bytes"));
  OwnerProcess third(fixture, 3);
  EXPECT(third.claim.take().status().code() == StatusCode::kStorageCorrupt);
}

TEST("a log that somebody sealed who then died ends with its last group") {
  SessionFixture fixture;
  OwnerProcess first(fixture, 1);
  REQUIRE(first.claim.take().ok());
  REQUIRE(first.claim.begin(stateOf(1)).ok());
  const BucketLayout layout({1, 2, 3});
  putGroup(fixture, 1, 10);
  putGroup(fixture, 2, 21);
  LogGroup seal;
  seal.kind = GroupKind::kSeal;
  seal.link.database = {1, 2, 3};
  seal.place = {1, 3};
  fixture.put(layout.keyOf(seal.place), encodeGroup(seal).value());
  OwnerProcess second(fixture, 2);
  REQUIRE(isTrue(second.claim.take()));
  EXPECT(newestIn(fixture).ends.back() == (EpochEnd{3, 21, 21}));
}

TEST("a claim ends the log of an owner that adds a group at most requests") {
  SessionFixture fixture;
  OwnerProcess first(fixture, 1);
  REQUIRE(first.claim.take().ok());
  REQUIRE(first.claim.begin(stateOf(1)).ok());
  const BucketLayout layout({1, 2, 3});
  GroupPlace place{1, 1};
  std::mt19937_64 random(seed());
  fixture.store.follow([&](const StoreRequest&) {
    if (random() % 10 < 7 && !fixture.store.objects().contains(layout.keyOf(place))) {
      putGroup(fixture, place.number++, 10);
    }
    return StoreFate::kPlain;
  });
  OwnerProcess second(fixture, 2);
  REQUIRE(isTrue(second.claim.take()));
  EXPECT(place.number < 1000);
  EXPECT(newestIn(fixture).ends.back().number == place.number);
}

TEST("owners that only claim never fill the entry") {
  SessionFixture fixture;
  OwnerProcess first(fixture, 1);
  REQUIRE(first.claim.take().ok());
  REQUIRE(first.claim.begin(stateOf(1)).ok());
  for (int i = 0; i < 300; ++i) {
    OwnerProcess next(fixture, static_cast<std::uint8_t>(i));
    REQUIRE(isTrue(next.claim.take()));
  }
  EXPECT(newestIn(fixture).epoch == 301);
  EXPECT(newestIn(fixture).ends.size() == kEpochEndsKept);
  EXPECT(newestIn(fixture).edit == 1);
}

TEST("an entry of a newer program is not claimed") {
  SessionFixture fixture;
  OwnerProcess first(fixture, 1);
  REQUIRE(first.claim.take().ok());
  PublishedState newer = stateOf(1);
  newer.featuresToRead |= 64;
  REQUIRE(first.claim.begin(newer).ok());
  const std::size_t count = fixture.store.objects().size();
  OwnerProcess second(fixture, 2);
  EXPECT(second.claim.take().status().code() == StatusCode::kConfiguration);
  EXPECT(fixture.store.objects().size() == count);
}

TEST("owners in turn, with lost, late and refused requests, make one spine") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SessionFixture fixture;
    std::mt19937_64 random(seed);
    std::vector<std::unique_ptr<OwnerProcess>> owners;
    std::uint64_t edit = 0;
    std::uint64_t published = 0;
    for (int step = 0; step < 30; ++step) {
      fixture.store.follow(
          MemoryStore::random(random(), 40,
                              {StoreFate::kLoseAnswer, StoreFate::kLoseRequest, StoreFate::kDelay,
                               StoreFate::kConflict, StoreFate::kUnavailable}));
      if (owners.empty() || random() % 3 == 0) {
        owners.push_back(
            std::make_unique<OwnerProcess>(fixture, static_cast<std::uint8_t>(owners.size() + 1)));
        const auto taken = owners.back()->claim.take();
        const bool isFirst = taken.ok() && !taken.value();
        if (isFirst && owners.back()->claim.begin(stateOf(++edit)).ok()) published = edit;
      } else {
        OwnerProcess& one = *owners[random() % owners.size()];
        if (one.claim.known() != nullptr && one.claim.publish(stateOf(++edit)).ok()) {
          published = edit;
        }
      }
      if (fixture.store.delayedCount() > 0 && random() % 2 == 0) {
        fixture.store.land(random() % fixture.store.delayedCount());
      }
    }
    while (fixture.store.delayedCount() > 0) fixture.store.land(0);
    expectOneSpine(fixture);
    // A publication whose outcome was not known may have come after the last known one.
    if (published > 0) EXPECT(newestIn(fixture).edit >= published);
  }
}
