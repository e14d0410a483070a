#include "bucket/store/memory_store.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "bucket/bucket_fixture.h"
#include "harness.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

std::vector<std::string> keysOf(const StoreAnswer& answer) {
  std::vector<std::string> keys;
  for (const ListedObject& one : answer.listed) keys.push_back(one.key);
  return keys;
}

StoreAnswer get(MemoryStore& store, const std::string& key, std::optional<StoreRange> range = {}) {
  StoreRequest request = requestOf(StoreOp::kGet, key);
  request.range = range;
  return store.ask(request);
}

}  // namespace

TEST("an object that was put is read whole and in ranges, and is not found after its deletion") {
  MemoryStore store;
  const ByteBuffer body = bytesOf("0123456789");
  EXPECT(store.ask(putOf("a", body)).outcome == StoreOutcome::kDone);
  EXPECT(get(store, "a").body == body);
  EXPECT(get(store, "a", StoreRange{3, 4}).body == bytesOf("3456"));
  EXPECT(get(store, "a", StoreRange{8, 100}).body == bytesOf("89"));
  EXPECT(get(store, "a", StoreRange{10, 1}).body.empty());
  EXPECT(get(store, "a", StoreRange{~0ull, ~0ull}).outcome == StoreOutcome::kDone);
  EXPECT(get(store, "b").outcome == StoreOutcome::kNotFound);
  EXPECT(store.ask(requestOf(StoreOp::kDelete, "a")).outcome == StoreOutcome::kDone);
  EXPECT(store.ask(requestOf(StoreOp::kDelete, "a")).outcome == StoreOutcome::kDone);
  EXPECT(get(store, "a").outcome == StoreOutcome::kNotFound);
}

TEST("a put with another hash than that of its body stores nothing") {
  MemoryStore store;
  StoreRequest request = putOf("a", asBytes("one"));
  request.body = asBytes("two");
  EXPECT(store.ask(request).outcome == StoreOutcome::kNotKnown);
  EXPECT(store.objects().empty());
}

TEST("a listing gives the keys of a prefix in pages, in order, and none of a neighbour") {
  MemoryStore store;
  for (const char* key : {"log/1", "log/2", "log/3", "log-a/1", "log0", "lof", "log/10"}) {
    EXPECT(store.ask(putOf(key, asBytes(key))).outcome == StoreOutcome::kDone);
  }
  StoreRequest request = requestOf(StoreOp::kList, "log/");
  request.countMax = 3;
  const StoreAnswer first = store.ask(request);
  EXPECT(keysOf(first) == (std::vector<std::string>{"log/1", "log/10", "log/2"}));
  EXPECT(first.hasMore && first.listed[1].sizeBytes == 6);
  request.after = "log/2";
  const StoreAnswer second = store.ask(request);
  EXPECT(keysOf(second) == std::vector<std::string>{"log/3"} && !second.hasMore);
  request.after = "log/3";
  EXPECT(store.ask(request).listed.empty());
}

TEST("each fate has its effect on the store and its answer for the caller") {
  struct Row {
    StoreFate fate;
    bool isStored;
    StoreOutcome outcome;
  };
  for (const Row row : {Row{StoreFate::kPlain, true, StoreOutcome::kDone},
                        Row{StoreFate::kLoseAnswer, true, StoreOutcome::kNotKnown},
                        Row{StoreFate::kLoseRequest, false, StoreOutcome::kNotKnown},
                        Row{StoreFate::kDelay, false, StoreOutcome::kNotKnown},
                        Row{StoreFate::kConflict, false, StoreOutcome::kNotKnown},
                        Row{StoreFate::kUnavailable, false, StoreOutcome::kNotKnown}}) {
    MemoryStore store(MemoryStore::script({row.fate}));
    const StoreAnswer answer = store.ask(putOf("a", asBytes("one")));
    EXPECT(answer.outcome == row.outcome);
    EXPECT(answer.reason.empty() == (row.outcome == StoreOutcome::kDone));
    EXPECT(store.objects().contains("a") == row.isStored);
    EXPECT(store.delayedCount() == (row.fate == StoreFate::kDelay ? 1u : 0u));
  }
}

TEST("a delayed request lands when the test says so, in any order, with the body that was sent") {
  MemoryStore store(MemoryStore::script({StoreFate::kDelay, StoreFate::kDelay}));
  {
    const ByteBuffer one = bytesOf("one");
    const ByteBuffer two = bytesOf("two");
    store.ask(putOf("a", one));
    store.ask(putOf("a", two));
  }
  EXPECT(store.land(1).outcome == StoreOutcome::kDone);
  EXPECT(store.objects()["a"] == bytesOf("two"));
  EXPECT(store.land(0).outcome == StoreOutcome::kDone);
  EXPECT(store.objects()["a"] == bytesOf("one") && store.delayedCount() == 0);
}

TEST("a random plan repeats itself by its seed and fails about as often as asked") {
  const auto fatesOf = [](std::uint64_t seed) {
    const auto plan = MemoryStore::random(seed, 30, {StoreFate::kDelay, StoreFate::kLoseAnswer});
    std::vector<StoreFate> fates;
    for (int i = 0; i < 1000; ++i) fates.push_back(plan(requestOf(StoreOp::kGet, "a")));
    return fates;
  };
  const std::vector<StoreFate> fates = fatesOf(test::seed());
  EXPECT(fates == fatesOf(test::seed()));
  const auto plain = std::ranges::count(fates, StoreFate::kPlain);
  EXPECT(plain > 600 && plain < 800);
}
