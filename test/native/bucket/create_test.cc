#include "bucket/create.h"

#include <deque>
#include <memory>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "bucket/bucket_fixture.h"
#include "harness.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

using Kind = Created::Kind;

constexpr std::string_view kFolder = "log/";
const std::string kKey = "log/1";

// Nothing but a chain can ask for a create, and an attempt has one owner.
static_assert(!std::is_default_constructible_v<CreateOnly>);
static_assert(!std::is_copy_constructible_v<CreateAttempt>);
static_assert(!std::is_constructible_v<CreateAttempt, std::string, ByteBuffer>);
static_assert(!std::is_default_constructible_v<CreateChain::Registered>);
static_assert(!std::is_move_constructible_v<CreateChain>);

// A store, and one process that creates there.
struct World {
  explicit World(MemoryStore::Plan plan = {}) : store(std::move(plan)) {}

  Created create(const std::string& key, std::string_view text) {
    const Status begun = chain.begin(key, bytesOf(text));
    EXPECT(begun.ok());
    if (!begun.ok()) return {};
    return chain.settle(kNoDeadline);
  }

  MemoryStore store;
  TestPauser pauser;
  CreateChains chains{store, pauser, test::seed()};
  CreateChain& chain = chains.in(kFolder);
};

// The `length` fates that the digits of `number` stand for.
std::deque<StoreFate> fatesOf(std::size_t number, std::size_t length) {
  constexpr StoreFate kFates[] = {StoreFate::kPlain,       StoreFate::kLoseAnswer,
                                  StoreFate::kLoseRequest, StoreFate::kDelay,
                                  StoreFate::kConflict,    StoreFate::kUnavailable};
  std::deque<StoreFate> fates;
  for (std::size_t i = 0; i < length; ++i, number /= std::size(kFates)) {
    fates.push_back(kFates[number % std::size(kFates)]);
  }
  return fates;
}
constexpr std::size_t kScriptCount = 6 * 6 * 6 * 6;
constexpr std::size_t kScriptLength = 4;

}  // namespace

TEST("a create at a free key is ours, by one request") {
  World world;
  const Created created = world.create(kKey, "ours");
  EXPECT(created.isMine() && created.key == kKey && created.standing == bytesOf("ours"));
  EXPECT(world.store.objects().find(kKey)->second == bytesOf("ours"));
  EXPECT(world.store.count(StoreOp::kPut) == 1 && world.store.count(StoreOp::kGet) == 0);
  EXPECT(world.chain.pending() == nullptr && world.pauser.pauses.empty());
}

TEST("a create at a key with other bytes is taken, and tells them") {
  World world;
  world.store.objects()[kKey] = bytesOf("theirs");
  const Created created = world.create(kKey, "ours");
  EXPECT(created.isTaken() && created.standing == bytesOf("theirs"));
  EXPECT(world.store.objects()[kKey] == bytesOf("theirs"));
  EXPECT(world.chain.pending() == nullptr);
}

TEST("a 412 that is the echo of our own lost answer is ours") {
  World world(MemoryStore::script({StoreFate::kLoseAnswer}));
  EXPECT(world.create(kKey, "ours").isMine());
  EXPECT(world.store.count(StoreOp::kPut) == 2 && world.store.count(StoreOp::kGet) == 1);
}

TEST("whatever happens to the first four requests, a create at a free key ends as ours") {
  for (std::size_t number = 0; number < kScriptCount; ++number) {
    World world(MemoryStore::script(fatesOf(number, kScriptLength)));
    EXPECT(world.create(kKey, "ours").isMine());
    EXPECT(world.store.objects()[kKey] == bytesOf("ours"));
    // A late request can only bring the same bytes.
    while (world.store.delayedCount() > 0) world.store.land(0);
    EXPECT(world.store.objects()[kKey] == bytesOf("ours"));
  }
}

TEST("whatever happens to the first four requests, a create at a taken key ends as taken") {
  for (std::size_t number = 0; number < kScriptCount; ++number) {
    World world(MemoryStore::script(fatesOf(number, kScriptLength)));
    world.store.objects()[kKey] = bytesOf("theirs");
    const Created created = world.create(kKey, "ours");
    EXPECT(created.isTaken() && created.standing == bytesOf("theirs"));
    while (world.store.delayedCount() > 0) world.store.land(0);
    EXPECT(world.store.objects()[kKey] == bytesOf("theirs"));
  }
}

TEST("an object that goes between the 412 and the look is tried again with the same bytes") {
  World world;
  world.store.objects()[kKey] = bytesOf("trimmed");
  world.store.follow([&world](const StoreRequest& request) {
    if (request.op == StoreOp::kGet) world.store.objects().erase(kKey);
    return StoreFate::kPlain;
  });
  EXPECT(world.create(kKey, "ours").isMine());
  EXPECT(world.store.objects()[kKey] == bytesOf("ours"));
  EXPECT(world.store.count(StoreOp::kPut) == 2);
}

TEST("a store that ignores the condition overwrites, which only the chain of hashes can show") {
  World world(MemoryStore::script({StoreFate::kIgnoreCondition}));
  world.store.objects()[kKey] = bytesOf("theirs");
  EXPECT(world.create(kKey, "ours").isMine());
  EXPECT(world.store.objects()[kKey] == bytesOf("ours"));
}

TEST("a stop or a deadline ends a create as not known, and the attempt stays") {
  for (const bool isStop : {false, true}) {
    World world([](const StoreRequest&) { return StoreFate::kUnavailable; });
    if (isStop) world.pauser.pauseCountMax = 3;
    REQUIRE(world.chain.begin(kKey, bytesOf("ours")).ok());
    const std::uint64_t deadline = isStop ? kNoDeadline : world.pauser.nowNanos() + 400'000'000;
    const Created created = world.chain.settle(deadline);
    EXPECT(created.kind == Kind::kNotKnown && created.reason == "503 SlowDown");
    EXPECT(world.pauser.nowNanos() <= deadline);
    REQUIRE(world.chain.pending() != nullptr);
    EXPECT(world.chain.pending()->key() == kKey);
    // No other create begins in this chain meanwhile: neither here nor further on.
    EXPECT(world.chain.begin(kKey, bytesOf("other")).code() == StatusCode::kInvalidArgument);
    EXPECT(world.chain.begin("log/2", bytesOf("ours")).code() == StatusCode::kInvalidArgument);
    world.pauser.pauseCountMax = kNoDeadline;
    world.store.follow({});
    EXPECT(world.chain.settle(kNoDeadline).isMine());
    EXPECT(world.store.objects()[kKey] == bytesOf("ours"));
  }
}

TEST("a deadline that has passed sends nothing") {
  World world;
  REQUIRE(world.chain.begin(kKey, bytesOf("ours")).ok());
  const Created created = world.chain.settle(world.pauser.nowNanos());
  EXPECT(created.kind == Kind::kNotKnown && created.reason.empty());
  EXPECT(world.store.count(StoreOp::kPut) == 0 && world.chain.pending() != nullptr);
}

TEST("a key that was tried is never tried again with other bytes, also after its end") {
  World world;
  EXPECT(world.create("log/2", "ours").isMine());
  world.store.objects().clear();
  for (const char* key : {"log/2", "log/1", "log/", "log/3/4", "lag/3", "log"}) {
    EXPECT(world.chain.begin(key, bytesOf("other")).code() == StatusCode::kInvalidArgument);
  }
  // The same folder has the same chain, which remembers.
  EXPECT(&world.chains.in(kFolder) == &world.chain);
  EXPECT(&world.chains.in("spine/") != &world.chain);
  EXPECT(world.create("log/3", "ours").isMine());
  EXPECT(world.store.objects().size() == 1);
}

TEST("an object of a chain has at most the limit, and of a larger one the limit is read") {
  World world;
  EXPECT(world.chain.begin(kKey, ByteBuffer(kCreateSizeMax + 1)).code() ==
         StatusCode::kPayloadTooLarge);
  world.store.objects()[kKey] = ByteBuffer(kCreateSizeMax + 100);
  REQUIRE(world.chain.begin(kKey, ByteBuffer(kCreateSizeMax)).ok());
  const Created created = world.chain.settle(kNoDeadline);
  EXPECT(created.isTaken() && created.standing.size() == kCreateSizeMax + 1);
}

TEST("pauses double from 50 ms to 5 s, each shortened by up to a half") {
  World world([](const StoreRequest&) { return StoreFate::kLoseRequest; });
  world.pauser.pauseCountMax = 20;
  REQUIRE(world.chain.begin(kKey, bytesOf("ours")).ok());
  EXPECT(world.chain.settle(kNoDeadline).kind == Kind::kNotKnown);
  REQUIRE(world.pauser.pauses.size() == 20);
  for (std::size_t i = 0; i < 20; ++i) {
    const std::uint64_t whole = i < 7 ? 50'000'000ull << i : 5'000'000'000ull;
    EXPECT(world.pauser.pauses[i] >= whole / 2 && world.pauser.pauses[i] <= whole);
  }
}

TEST("a request ends at the caller's deadline, or earlier by the size of its body") {
  World world;
  std::vector<std::uint64_t> allowed;
  world.store.follow([&](const StoreRequest& request) {
    allowed.push_back(request.deadlineNanos - world.pauser.nowNanos());
    return StoreFate::kPlain;
  });
  REQUIRE(world.chain.begin("log/1", ByteBuffer(2'000'000)).ok());
  EXPECT(world.chain.settle(kNoDeadline).isMine());
  REQUIRE(world.chain.begin("log/2", ByteBuffer(2'000'000)).ok());
  EXPECT(world.chain.settle(world.pauser.nowNanos() + 100).isMine());
  EXPECT(allowed == (std::vector<std::uint64_t>{13'000'000'000, 100}));
}

TEST("of several nodes that create at one key at most one gets it, under any loss and delay") {
  const std::vector<StoreFate> fates = {StoreFate::kLoseAnswer, StoreFate::kLoseRequest,
                                        StoreFate::kDelay, StoreFate::kConflict,
                                        StoreFate::kUnavailable};
  std::mt19937_64 random(test::seed());
  for (std::size_t round = 0; round < test::rounds(2000u); ++round) {
    MemoryStore store(MemoryStore::random(random(), 60, fates));
    TestPauser pauser;
    std::vector<std::unique_ptr<CreateChains>> nodes;
    std::vector<std::string> mine;
    for (std::size_t i = 0; i < 3; ++i) {
      nodes.push_back(std::make_unique<CreateChains>(store, pauser, i));
      REQUIRE(nodes[i]->in(kFolder).begin(kKey, bytesOf("node " + std::to_string(i))).ok());
    }
    // Each node gives up often, and another goes on meanwhile.
    for (std::size_t open = nodes.size(); open > 0;) {
      CreateChain& chain = nodes[random() % nodes.size()]->in(kFolder);
      if (store.delayedCount() > 0 && random() % 2 == 0) {
        store.land(random() % store.delayedCount());
      }
      if (chain.pending() == nullptr) continue;
      pauser.pauseCountMax = pauser.pauses.size() + 1;
      const Created created = chain.settle(kNoDeadline);
      if (created.kind == Kind::kNotKnown) continue;
      --open;
      if (created.isMine()) mine.emplace_back(asText(created.standing));
      EXPECT(store.objects()[kKey] == created.standing);
    }
    EXPECT(mine.size() == 1);
    while (store.delayedCount() > 0) store.land(0);
    EXPECT(asText(store.objects()[kKey]) == mine.front());
  }
}
