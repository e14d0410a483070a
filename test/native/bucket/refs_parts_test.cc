// Parts of REFS: what is uploaded again, and what readers refuse.
#include "bucket/refs_parts.h"

#include "bucket/session_fixture.h"
#include "harness.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

// Publishes as an owner does.
std::vector<RefsPart> published(SessionFixture& fixture, const RefsBefore& before, Bytes refs,
                                std::size_t& added) {
  const auto plan = planRefsParts(fixture.session, before, refs);
  CHECK(plan.ok());
  std::vector<RefsPart> parts = plan.value().kept;
  added = plan.value().added.size();
  for (const Bytes bytes : plan.value().added) {
    const ByteBuffer object = encodeRefsPart({5}, bytes).value();
    const RefsPart part{bytes.size(), sha256(object)};
    fixture.put(BucketLayout({}).keyOf(PartPlace{part.hash}), object);
    parts.push_back(part);
  }
  return parts;
}

}  // namespace

TEST("only appended bytes become a part, and all bytes when REFS was replaced") {
  SessionFixture fixture;
  const ByteBuffer refs = patternOf(10'000);
  std::size_t added = 0;
  RefsBefore before{{}, true};
  for (std::size_t size = 100; size <= 1000; size += 100) {
    before.parts = published(fixture, before, Bytes(refs).first(size), added);
    EXPECT(added == 1 && before.parts.size() == size / 100);
  }
  const auto whole = readRefsParts(fixture.session, before.parts);
  REQUIRE(whole.ok());
  EXPECT(std::ranges::equal(whole.value(), Bytes(refs).first(1000)));
  EXPECT(published(fixture, before, Bytes(refs).first(1000), added) == before.parts && added == 0);
  EXPECT(published(fixture, before, Bytes(refs).first(950), added).size() == 1);
  ByteBuffer other = refs;
  other[350] ^= 1;
  EXPECT(published(fixture, before, other, added).size() == 1 && added == 1);
  EXPECT(published(fixture, {before.parts, false}, refs, added).size() == 1);
}

TEST("past 32 parts all of REFS is one part again") {
  SessionFixture fixture;
  const ByteBuffer refs = patternOf(100);
  std::size_t added = 0;
  RefsBefore before{{}, true};
  for (std::size_t size = 1; size <= 100; ++size) {
    before.parts = published(fixture, before, Bytes(refs).first(size), added);
    EXPECT(before.parts.size() == (size - 1) % kRefsPartsAppended + 1);
    EXPECT(readRefsParts(fixture.session, before.parts).ok());
  }
}

TEST("a part that is cut, longer, changed or gone is refused by name") {
  SessionFixture fixture;
  const ByteBuffer bytes = patternOf(60);
  std::size_t added = 0;
  const auto parts = published(fixture, {}, bytes, added);
  const std::string key = BucketLayout({}).keyOf(PartPlace{parts[0].hash});
  const ByteBuffer whole = fixture.store.objects()[key];
  const auto expectDamage = [&](Bytes object, StatusCode code) {
    fixture.put(key, object);
    const auto read = readRefsParts(fixture.session, parts);
    EXPECT(read.status().code() == code);
    EXPECT(read.status().message().find(key) != std::string::npos);
  };
  for (std::size_t i = 0; i < whole.size(); ++i) {
    expectDamage(Bytes(whole).first(i), StatusCode::kStorageCorrupt);
    ByteBuffer flipped = whole;
    flipped[i] ^= 1;
    if (i != chain_link::kMagicSize) expectDamage(flipped, StatusCode::kStorageCorrupt);
  }
  ByteBuffer changed = whole;
  changed.push_back(0);
  expectDamage(changed, StatusCode::kStorageCorrupt);
  changed = whole;
  changed[chain_link::kMagicSize] = 2;
  expectDamage(changed, StatusCode::kConfiguration);
  fixture.store.objects().erase(key);
  EXPECT(readRefsParts(fixture.session, parts).status().code() == StatusCode::kStorageCorrupt);
  // A size from an entry allocates nothing.
  fixture.put(key, whole);
  EXPECT(readRefsParts(fixture.session, {{kRefsSizeMax, parts[0].hash}}).status().code() ==
         StatusCode::kStorageCorrupt);
  // A changed header of a kept part only means that all of REFS is sent again.
  fixture.put(key, Bytes(whole).first(10));
  EXPECT(published(fixture, {parts, true}, bytes, added).size() == 1 && added == 1);
}

TEST("parts that wear the bytes of another format are refused, with a matching hash too") {
  SessionFixture fixture;
  ByteBuffer object = encodeRefsPart({5}, asBytes("refs")).value();
  for (const std::size_t at : {std::size_t{0}, std::size_t{5}, std::size_t{7}}) {
    ByteBuffer changed = object;
    changed[at] ^= 1;
    EXPECT(decodeRefsPart(changed, {4, sha256(changed)}).status().code() ==
           StatusCode::kStorageCorrupt);
  }
  EXPECT(decodeRefsPart(object, {4, sha256(object)}).ok());
  EXPECT(!encodeRefsPart({5}, {}).ok());
}
