// Requests that may be repeated: outcomes, pauses, listings.
#include "bucket/store_session.h"

#include "bucket/session_fixture.h"
#include "harness.h"

using namespace seriesdb;
using namespace seriesdb::test;

TEST("a request is tried again, with pauses that double") {
  SessionFixture fixture;
  fixture.put("k", bytesOf("abcdef"));
  fixture.store.follow(MemoryStore::script({StoreFate::kUnavailable, StoreFate::kLoseAnswer,
                                            StoreFate::kLoseRequest, StoreFate::kConflict}));
  const auto got = fixture.session.get("k", StoreRange{2, 3});
  REQUIRE(got.ok() && got.value());
  EXPECT(*got.value() == bytesOf("cde"));
  REQUIRE(fixture.pauser.pauses.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    const std::uint64_t whole = std::uint64_t{50'000'000} << i;
    EXPECT(fixture.pauser.pauses[i] >= whole / 2 && fixture.pauser.pauses[i] <= whole);
  }
}

TEST("a store that does not answer says nothing about the object") {
  SessionFixture fixture;
  fixture.store.follow([](const StoreRequest&) { return StoreFate::kUnavailable; });
  const auto got = fixture.session.get("some/key", {});
  EXPECT(got.status().code() == StatusCode::kStorageUnavailable);
  EXPECT(got.status().message() == "the bucket gave no answer for some/key: 503 SlowDown");
  // For a minute, at most five seconds apart.
  EXPECT(fixture.pauser.nowNanos() >= store_retry::kGiveUpNanos);
  EXPECT(fixture.store.count(StoreOp::kGet) > 12);
  EXPECT(fixture.session.put("k", {}, sha256({})).code() == StatusCode::kStorageUnavailable);
  EXPECT(fixture.session.remove("k").code() == StatusCode::kStorageUnavailable);
  EXPECT(fixture.session.list("").status().code() == StatusCode::kStorageUnavailable);
}

TEST("a stopped pauser ends a request with closed") {
  SessionFixture fixture;
  fixture.pauser.pauseCountMax = 2;
  fixture.store.follow([](const StoreRequest&) { return StoreFate::kUnavailable; });
  EXPECT(fixture.session.remove("k").code() == StatusCode::kClosed);
  EXPECT(fixture.store.count(StoreOp::kDelete) == 2);
}

TEST("a missing object is not found, and its removal is done") {
  SessionFixture fixture;
  const auto got = fixture.session.get("k", {});
  EXPECT(got.ok() && !got.value());
  EXPECT(fixture.session.remove("k").ok());
}

TEST("a listing of many pages is complete, also with faults") {
  SessionFixture fixture;
  for (int i = 0; i < 2500; ++i) fixture.put("a/" + std::to_string(i), {});
  fixture.put("b", {});
  fixture.store.follow(MemoryStore::random(3, 30, {StoreFate::kUnavailable}));
  const auto all = fixture.session.list("a/");
  REQUIRE(all.ok());
  EXPECT(all.value().size() == 2500);
  const auto some = fixture.session.listSome("a/", 1100);
  EXPECT(some.ok() && some.value().size() == 1100);
  EXPECT(std::ranges::is_sorted(all.value(), {}, &ListedObject::key));
}

namespace {

class WrongStore final : public ObjectStore {
 public:
  StoreAnswer ask(const StoreRequest& request) override {
    StoreAnswer answer;
    answer.outcome = StoreOutcome::kDone;
    answer.hasMore = true;
    if (isEmpty) return answer;
    answer.listed = {{"a", 1}};
    answer.body = ByteBuffer(request.range ? 100 : 1);
    return answer;
  }
  bool isEmpty = false;
};

}  // namespace

TEST("a store that lists one page for ever, or sends too much, is refused") {
  WrongStore store;
  TestPauser pauser;
  StoreSession session(store, pauser, 1);
  EXPECT(session.list("").status().code() == StatusCode::kStorageCorrupt);
  EXPECT(session.list("b").status().code() == StatusCode::kStorageCorrupt);
  EXPECT(!session.get("k", StoreRange{0, 9}).ok());
  store.isEmpty = true;
  EXPECT(session.list("").status().code() == StatusCode::kStorageCorrupt);
}

TEST("a stop ends the pauses of the machine") {
  MachinePauser pauser;
  EXPECT(pauser.pause(1));
  EXPECT(pauser.nowNanos() > 0);
  pauser.stop();
  EXPECT(!pauser.pause(3'600'000'000'000));
}

namespace {

class RefusingStore final : public ObjectStore {
 public:
  StoreAnswer ask(const StoreRequest&) override {
    ++count;
    StoreAnswer answer;
    answer.outcome = StoreOutcome::kRefused;
    answer.reason = "403 AccessDenied";
    return answer;
  }
  int count = 0;
};

}  // namespace

TEST("what a store refuses is not asked again") {
  RefusingStore store;
  TestPauser pauser;
  StoreSession session(store, pauser, 1);
  EXPECT(session.get("k", {}).status().message() == "the bucket refused k: 403 AccessDenied");
  EXPECT(store.count == 1);
  CreateChains chains(store, pauser, 1);
  CreateChain& chain = chains.in("log/");
  REQUIRE(chain.begin("log/1", bytesOf("x")).ok());
  const Created created = chain.settle(pauser.nowNanos() + 1'000'000'000'000);
  EXPECT(created.kind == Created::Kind::kNotKnown && created.reason == "403 AccessDenied");
  EXPECT(store.count == 2);
}
