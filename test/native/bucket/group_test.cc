#include "bucket/group.h"

#include <functional>
#include <random>
#include <string>

#include "bucket/group_fixture.h"
#include "common/digest/checksum.h"
#include "common/encoding/packed.h"
#include "harness.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

constexpr std::size_t kCrcOffset = 112;
constexpr std::size_t kHeaderSize = 116;

bool isCorrupt(const Status& status) { return status.code() == StatusCode::kStorageCorrupt; }

void repair(ByteBuffer& bytes) {
  const std::uint32_t header = crc32c(Bytes(bytes).first(kCrcOffset));
  storeLe(bytes.data() + kCrcOffset, crc32c(Bytes(bytes).subspan(kHeaderSize), header));
}

LogGroup smallGroup() {
  LogGroup group = emptyGroup();
  for (const std::size_t size : {0, 3, 40}) addRecord(group, size);
  return group;
}

// The group with other bytes in place of its packed records, and a right checksum.
ByteBuffer withPacked(const LogGroup& group, Bytes packed) {
  ByteBuffer bytes = encodeGroup(group).value();
  bytes.resize(kHeaderSize);
  appendBytes(bytes, packed);
  repair(bytes);
  return bytes;
}

}  // namespace

TEST("a group comes back as it was: with any records, with none, and a seal") {
  std::mt19937_64 random(test::seed());
  for (std::size_t round = 0; round < test::rounds(1000u); ++round) {
    const LogGroup group = randomGroup(random, 20);
    const auto bytes = encodeGroup(group);
    REQUIRE(bytes.ok());
    const auto read = decodeGroup(bytes.value(), expectedOf(group));
    REQUIRE(read.ok());
    EXPECT(read.value() == group);
  }
  for (const LogGroup& group : {emptyGroup(), sealGroup()}) {
    const ByteBuffer bytes = encodeGroup(group).value();
    EXPECT(bytes.size() == kHeaderSize + 2);
    EXPECT(decodeGroup(bytes, expectedOf(group)).value() == group);
  }
}

TEST("the header of a group is that of the format") {
  const ByteBuffer bytes = encodeGroup(smallGroup()).value();
  EXPECT(asText(Bytes(bytes).first(8)) == std::string_view("sdbg\1\1\0\0", 8));
  EXPECT(loadLe<std::uint64_t>(bytes.data() + 24) == 3);
  EXPECT(loadLe<std::uint64_t>(bytes.data() + 32) == 17);
  EXPECT(loadLe<std::uint64_t>(bytes.data() + 88) == 5);
  EXPECT(loadLe<std::uint64_t>(bytes.data() + 96) == 100);
  EXPECT(loadLe<std::uint64_t>(bytes.data() + 104) == 102);
  ByteBuffer repaired = bytes;
  repair(repaired);
  EXPECT(repaired == bytes);
}

TEST("a group that is cut at any byte is refused by name") {
  const ByteBuffer bytes = encodeGroup(smallGroup()).value();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    ByteBuffer cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    const Status status = decodeGroup(cut, expectedOf(smallGroup())).status();
    EXPECT(isCorrupt(status) && status.message().starts_with("group 3/17: "));
    if (size < kHeaderSize) continue;
    repair(cut);
    EXPECT(isCorrupt(decodeGroup(cut, expectedOf(smallGroup())).status()));
  }
}

TEST("a group with any other byte is refused; with a right checksum it is refused or valid") {
  const LogGroup group = smallGroup();
  const ByteBuffer bytes = encodeGroup(group).value();
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (unsigned flip = 1; flip < 256; flip += kOddStride) {
      ByteBuffer flipped = bytes;
      flipped[at] = static_cast<std::uint8_t>(flipped[at] ^ flip);
      EXPECT(!decodeGroup(flipped, expectedOf(group)).ok());
      repair(flipped);
      const auto read = decodeGroup(flipped, expectedOf(group));
      if (!read.ok()) continue;
      const ByteBuffer again = encodeGroup(read.value()).value();
      EXPECT(decodeGroup(again, expectedOf(group)).value() == read.value());
    }
  }
}

TEST("a group of another key or database, or with bytes behind it, is refused") {
  ByteBuffer bytes = encodeGroup(smallGroup()).value();
  EXPECT(isCorrupt(decodeGroup(bytes, {{1, 2, 3}, {3, 18}}).status()));
  EXPECT(isCorrupt(decodeGroup(bytes, {{1, 2, 3}, {4, 17}}).status()));
  EXPECT(isCorrupt(decodeGroup(bytes, {{1, 2, 4}, {3, 17}}).status()));
  bytes.push_back(0);
  repair(bytes);
  EXPECT(isCorrupt(decodeGroup(bytes, expectedOf(smallGroup())).status()));
}

TEST("a group of a later version or kind is refused by its number, and is no damage") {
  struct Row {
    std::size_t at;
    std::uint8_t value;
    const char* what;
  };
  for (const Row& row : {Row{4, 2, "version 2"}, Row{5, 3, "type 3"}}) {
    ByteBuffer bytes = encodeGroup(smallGroup()).value();
    bytes[row.at] = row.value;
    repair(bytes);
    const Status status = decodeGroup(bytes, expectedOf(smallGroup())).status();
    EXPECT(status.code() == StatusCode::kConfiguration);
    EXPECT(status.message() ==
           "group 3/17: " + std::string(row.what) + " was written by a newer seriesdb");
    bytes[row.at] = 0;
    repair(bytes);
    EXPECT(isCorrupt(decodeGroup(bytes, expectedOf(smallGroup())).status()));
  }
}

TEST("sizes that bytes cannot have, or that the kind forbids, are refused before unpacking") {
  ByteBuffer packed;
  // A gigabyte that 1 KiB is to become.
  appendVarint(packed, std::uint64_t{1} << 30);
  appendText(packed, std::string(1024, 'x'));
  EXPECT(
      isCorrupt(decodeGroup(withPacked(smallGroup(), packed), expectedOf(smallGroup())).status()));
  packed.clear();
  appendVarint(packed, ~0ull);
  appendVarint(packed, ~0ull);
  EXPECT(
      isCorrupt(decodeGroup(withPacked(smallGroup(), packed), expectedOf(smallGroup())).status()));
  packed.clear();
  REQUIRE(appendPacked(packed, ByteBuffer(kGroupRecordSizeMax + 1)).ok());
  const Status large =
      decodeGroup(withPacked(smallGroup(), packed), expectedOf(smallGroup())).status();
  EXPECT(large.message() == "group 3/17: too many bytes of records");
  packed.clear();
  REQUIRE(appendPacked(packed, smallGroup().records).ok());
  const Status seal =
      decodeGroup(withPacked(sealGroup(), packed), expectedOf(sealGroup())).status();
  EXPECT(seal.message() == "group 3/17: too many bytes of records");
}

TEST("a group that breaks a rule is not written, and not read with a right checksum") {
  using Break = std::function<void(LogGroup&)>;
  const Break breaks[] = {
      [](LogGroup& one) { one.place.epoch = 0; },
      [](LogGroup& one) { one.place.epoch = kEpochMax + 1; },
      [](LogGroup& one) { one.place.number = 0; },
      [](LogGroup& one) { one.place.number = kChainNumberMax + 1; },
      [](LogGroup& one) { one.file = 0; },
      [](LogGroup& one) { one.file = kSequenceMax + 1; },
      [](LogGroup& one) { one.firstSequence = 0; },
      [](LogGroup& one) { one.firstSequence = 99; },
      [](LogGroup& one) { one.firstSequence = 101; },
      [](LogGroup& one) { one.lastSequence = 101; },
      [](LogGroup& one) { one.lastSequence = 103; },
      [](LogGroup& one) { one.lastSequence = kSequenceMax + 1; },
      [](LogGroup& one) { one.records.clear(); },
      [](LogGroup& one) { one.records.pop_back(); },
      [](LogGroup& one) { one.records.push_back(0); },
      [](LogGroup& one) { one.records.back() ^= 1; },
      [](LogGroup& one) { one.records.erase(one.records.begin(), one.records.begin() + 17); },
      [](LogGroup& one) { one.kind = GroupKind::kSeal; },
  };
  EXPECT(encodeGroup(smallGroup()).ok());
  const ByteBuffer valid = encodeGroup(smallGroup()).value();
  for (const Break& make : breaks) {
    LogGroup group = smallGroup();
    make(group);
    EXPECT(encodeGroup(group).status().code() == StatusCode::kInvalidArgument);
    // The same by hand.
    ByteBuffer bytes = valid;
    bytes[5] = static_cast<std::uint8_t>(group.kind);
    storeLe(bytes.data() + 24, group.place.epoch);
    storeLe(bytes.data() + 32, group.place.number);
    storeLe(bytes.data() + 88, group.file);
    storeLe(bytes.data() + 96, group.firstSequence);
    storeLe(bytes.data() + 104, group.lastSequence);
    bytes.resize(kHeaderSize);
    REQUIRE(appendPacked(bytes, group.records).ok());
    repair(bytes);
    EXPECT(isCorrupt(decodeGroup(bytes, expectedOf(group)).status()));
  }
}

TEST("several records have 8 MiB together, and one alone has 64 MiB, with their frames") {
  constexpr std::size_t kFrame = 17;
  LogGroup group = emptyGroup();
  addRecord(group, 0);
  addRecord(group, kGroupSizeMax - 2 * kFrame);
  EXPECT(group.records.size() == kGroupSizeMax && encodeGroup(group).ok());
  LogGroup larger = emptyGroup();
  addRecord(larger, 1);
  addRecord(larger, kGroupSizeMax - 2 * kFrame);
  EXPECT(encodeGroup(larger).status().code() == StatusCode::kInvalidArgument);
  LogGroup alone = emptyGroup();
  addRecord(alone, kGroupRecordSizeMax - kFrame);
  const auto bytes = encodeGroup(alone);
  REQUIRE(bytes.ok());
  EXPECT(decodeGroup(bytes.value(), expectedOf(alone)).value() == alone);
  LogGroup tooLarge = emptyGroup();
  addRecord(tooLarge, kGroupRecordSizeMax - kFrame + 1);
  EXPECT(encodeGroup(tooLarge).status().code() == StatusCode::kInvalidArgument);
}
