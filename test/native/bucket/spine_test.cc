// The newest entry is found by few requests, from any known one.
#include "bucket/spine.h"

#include "bucket/entry_fixture.h"
#include "bucket/session_fixture.h"
#include "harness.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

void putEntries(SessionFixture& fixture, std::uint64_t count) {
  SpineEntry entry = firstEntry();
  const BucketLayout layout(entry.link.database);
  for (std::uint64_t number = 1; number <= count; ++number) {
    entry.number = number;
    if (number > 1) entry.kind = EntryKind::kPublication;
    if (number > 1) entry.link.before = sha256(asBytes("before"));
    fixture.put(layout.keyOf(EntryPlace{number}), encodeEntry(entry).value());
  }
}

}  // namespace

TEST("the newest entry is found from every known one") {
  for (std::uint64_t count = 0; count < 40; ++count) {
    SessionFixture fixture;
    putEntries(fixture, count);
    Spine spine(fixture.session, {1, 2, 3});
    for (std::uint64_t known = 0; known <= count; ++known) {
      const auto found = spine.newest(known);
      REQUIRE(found.ok() && found.value().has_value() == (count > 0));
      if (count > 0) EXPECT(found.value()->entry.number == count);
    }
  }
}

TEST("the newest of many entries takes few requests") {
  SessionFixture fixture;
  putEntries(fixture, 5000);
  Spine spine(fixture.session, {1, 2, 3});
  REQUIRE(spine.newest(0).ok());
  EXPECT(fixture.store.count(StoreOp::kGet) < 30);
}

TEST("an entry that is missing, damaged, of another database or not answered is told apart") {
  SessionFixture fixture;
  putEntries(fixture, 3);
  Spine spine(fixture.session, {1, 2, 3});
  const auto missing = spine.read(4);
  EXPECT(missing.ok() && !missing.value());
  const auto second = spine.read(2);
  REQUIRE(second.ok() && second.value());
  const std::string key = BucketLayout({1, 2, 3}).keyOf(EntryPlace{2});
  EXPECT(second.value()->hash == sha256(fixture.store.objects()[key]));
  fixture.store.objects()[key][50] ^= 1;
  EXPECT(spine.read(2).status().code() == StatusCode::kStorageCorrupt);
  fixture.store.objects()[key].resize(100'000);
  EXPECT(spine.read(2).status().code() == StatusCode::kStorageCorrupt);
  fixture.store.follow([](const StoreRequest&) { return StoreFate::kUnavailable; });
  EXPECT(spine.newest(0).status().code() == StatusCode::kStorageUnavailable);
}
