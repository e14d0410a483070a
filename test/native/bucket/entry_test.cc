#include "bucket/entry.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <random>
#include <string>

#include "bucket/entry_fixture.h"
#include "common/digest/checksum.h"
#include "harness.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

bool isCorrupt(const Status& status) { return status.code() == StatusCode::kStorageCorrupt; }

// Puts the right checksum at the end.
void repair(ByteBuffer& bytes) {
  const std::size_t covered = bytes.size() - 4;
  storeLe(bytes.data() + covered, crc32c(Bytes(bytes).first(covered)));
}

// An entry of epoch 3 whose floor is in epoch 2.
SpineEntry laterEntry() {
  SpineEntry entry = firstEntry();
  entry.kind = EntryKind::kPublication;
  entry.number = 9;
  entry.epoch = 3;
  entry.lastClaim = 7;
  entry.link.before = sha256(asBytes("eighth"));
  entry.ends = {{5, 30, 30}, {6, 50, 60}};
  entry.floor = {{2, 6}, 50};
  entry.seen = 55;
  return entry;
}

}  // namespace

TEST("an entry comes back as it was, whatever it holds") {
  std::mt19937_64 random(test::seed());
  std::size_t sizeMax = 0;
  for (std::size_t round = 0; round < test::rounds(3000u); ++round) {
    const SpineEntry entry = randomEntry(random);
    const auto bytes = encodeEntry(entry);
    REQUIRE(bytes.ok());
    sizeMax = std::max(sizeMax, bytes.value().size());
    const auto read = decodeEntry(bytes.value(), expectedOf(entry));
    REQUIRE(read.ok());
    EXPECT(read.value() == entry);
  }
  EXPECT(sizeMax <= kEntrySizeMax);
}

TEST("the first bytes of an entry and its checksum are those of the format") {
  const SpineEntry entry = firstEntry();
  const ByteBuffer bytes = encodeEntry(entry).value();
  EXPECT(asText(Bytes(bytes).first(8)) == std::string_view("sdbe\1\1\0\0", 8));
  EXPECT(loadLe<std::uint64_t>(bytes.data() + 24) == 1);
  EXPECT(bytes.size() == 24 + 24 + 16 + 32 + 8 + 8 + 16 + 32 + 24 + 2 + 7 + 21 + 1 + 1 + 34 + 4);
  const std::size_t covered = bytes.size() - 4;
  EXPECT(loadLe<std::uint32_t>(bytes.data() + covered) == crc32c(Bytes(bytes).first(covered)));
}

TEST("an entry that is cut at any byte is refused by name") {
  const ByteBuffer bytes = encodeEntry(laterEntry()).value();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    ByteBuffer cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    const auto read = decodeEntry(cut, expectedOf(laterEntry()));
    EXPECT(isCorrupt(read.status()) && read.status().message().starts_with("entry 9: "));
    // A checksum in the place of the version would be another version.
    if (size < 9) continue;
    repair(cut);
    EXPECT(isCorrupt(decodeEntry(cut, expectedOf(laterEntry())).status()));
  }
}

TEST("an entry with any other byte is refused; with a right checksum it is that entry or refused") {
  const SpineEntry entry = laterEntry();
  const ByteBuffer bytes = encodeEntry(entry).value();
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (unsigned flip = 1; flip < 256; flip += kOddStride) {
      ByteBuffer flipped = bytes;
      flipped[at] = static_cast<std::uint8_t>(flipped[at] ^ flip);
      EXPECT(!decodeEntry(flipped, expectedOf(entry)).ok());
      repair(flipped);
      const auto read = decodeEntry(flipped, expectedOf(entry));
      if (read.ok()) EXPECT(encodeEntry(read.value()).value() == flipped);
    }
  }
}

TEST("an entry with more bytes behind it, or of another key, is refused") {
  ByteBuffer bytes = encodeEntry(firstEntry()).value();
  EXPECT(isCorrupt(decodeEntry(bytes, {{1, 2, 4}, 1}).status()));
  EXPECT(isCorrupt(decodeEntry(bytes, {{1, 2, 3}, 2}).status()));
  bytes.push_back(0);
  repair(bytes);
  EXPECT(isCorrupt(decodeEntry(bytes, expectedOf(firstEntry())).status()));
}

TEST("an entry of a later version, kind or mode is refused by its number, and is no damage") {
  struct Row {
    std::size_t at;
    std::uint8_t value;
    const char* what;
  };
  // The last one is the mode of acknowledgement.
  for (const Row& row : {Row{4, 2, "version 2"}, Row{5, 3, "type 3"}, Row{184, 9, "type 9"}}) {
    ByteBuffer bytes = encodeEntry(firstEntry()).value();
    bytes[row.at] = row.value;
    repair(bytes);
    const Status status = decodeEntry(bytes, expectedOf(firstEntry())).status();
    EXPECT(status.code() == StatusCode::kConfiguration);
    EXPECT(status.message() ==
           "entry 1: " + std::string(row.what) + " was written by a newer seriesdb");
    bytes[row.at] = 0;
    repair(bytes);
    EXPECT(isCorrupt(decodeEntry(bytes, expectedOf(firstEntry())).status()));
  }
}

TEST("an entry that breaks a rule is not written") {
  using Break = std::function<void(SpineEntry&)>;
  const Break breaks[] = {
      [](SpineEntry& one) { one.number = 0; },
      [](SpineEntry& one) { one.number = kChainNumberMax + 1; },
      [](SpineEntry& one) { one.epoch = 0; },
      [](SpineEntry& one) { one.epoch = 8; },
      [](SpineEntry& one) { one.lastClaim = 2; },
      [](SpineEntry& one) { one.lastClaim = 9; },
      [](SpineEntry& one) { one.lastClaim = 10; },
      [](SpineEntry& one) { one.kind = EntryKind::kClaim; },
      [](SpineEntry& one) { one.link.before = {}; },
      [](SpineEntry& one) { one.edit = 0; },
      [](SpineEntry& one) { one.edit = kSequenceMax + 1; },
      [](SpineEntry& one) { one.seen = 49; },
      [](SpineEntry& one) { one.seen = kSequenceMax + 1; },
      [](SpineEntry& one) { one.lagMaxMs = kSequenceMax + 1; },
      [](SpineEntry& one) { one.node = ""; },
      [](SpineEntry& one) { one.node = "a\nb"; },
      [](SpineEntry& one) { one.node = "a\x7f"; },
      [](SpineEntry& one) { one.node = "\xc3\xa4"; },
      [](SpineEntry& one) { one.node.assign(kNodeNameSizeMax + 1, 'a'); },
      [](SpineEntry& one) { one.address = std::string("a\0b", 3); },
      [](SpineEntry& one) { one.address.assign(kAddressSizeMax + 1, 'a'); },
      [](SpineEntry& one) { one.floor.place.epoch = 0; },
      [](SpineEntry& one) { one.floor.place.epoch = 4; },
      [](SpineEntry& one) { one.floor.place.number = 0; },
      [](SpineEntry& one) { one.floor.place.number = 7; },
      [](SpineEntry& one) { one.floor.sequence = 51; },
      [](SpineEntry& one) { one.ends.erase(one.ends.begin(), one.ends.end()); },
      [](SpineEntry& one) { one.ends.resize(3, one.ends.back()); },
      [](SpineEntry& one) { one.ends[0].number = 0; },
      [](SpineEntry& one) { one.ends[0].sequence = 51; },
      [](SpineEntry& one) { one.ends[1].kept = 49; },
      [](SpineEntry& one) { one.ends[1].kept = kSequenceMax + 1; },
      [](SpineEntry& one) { one.parts.clear(); },
      [](SpineEntry& one) { one.parts.resize(kEntryPartsMax + 1, one.parts[0]); },
      [](SpineEntry& one) { one.parts[0].size = 0; },
      [](SpineEntry& one) { one.parts.assign(2, {kRefsSizeMax / 2 + 1, one.headCommit}); },
      [](SpineEntry& one) { one.parts.assign(2, {~0ull, one.headCommit}); },
  };
  EXPECT(encodeEntry(laterEntry()).ok());
  for (const Break& make : breaks) {
    SpineEntry entry = laterEntry();
    make(entry);
    const Status status = encodeEntry(entry).status();
    EXPECT(status.code() == StatusCode::kInvalidArgument);
    if (status.ok()) std::printf("    rule %td\n", &make - breaks);
  }
}

TEST("limits hold at the limit: parts, texts, ended epochs, and 4 KiB for all") {
  SpineEntry entry = laterEntry();
  entry.node.assign(kNodeNameSizeMax, 'a');
  entry.address.assign(kAddressSizeMax, 'b');
  entry.parts.assign(kEntryPartsMax, {kRefsSizeMax / kEntryPartsMax, entry.headCommit});
  EXPECT(entry.refsSize() == kRefsSizeMax);
  EXPECT(encodeEntry(entry).ok());
  // Epochs of a process that crashes at every start need five bytes each.
  entry.number = entry.lastClaim = entry.epoch = 1000;
  entry.kind = EntryKind::kClaim;
  entry.parts.resize(32);
  entry.floor.place.epoch = 1000 - kEpochEndsMax;
  entry.ends.clear();
  for (std::size_t i = 0; i < kEpochEndsMax; ++i) entry.ends.push_back({2, 50 + i, 51 + i});
  entry.floor.place.number = 2;
  const auto full = encodeEntry(entry);
  REQUIRE(full.ok());
  EXPECT(decodeEntry(full.value(), expectedOf(entry)).value() == entry);
  for (EpochEnd& end : entry.ends) end.kept = kSequenceMax;
  EXPECT(encodeEntry(entry).status().message() == "entry 1000: it is too large");
}

TEST("ends are dropped past the newest 64, but never of the floor's epoch or a later one") {
  SpineEntry entry = firstEntry();
  entry.epoch = 101;
  entry.ends.assign(100, {2, 50, 50});
  EXPECT(entry.firstEndedEpoch() == 1 && entry.endOf(100) != nullptr);
  EXPECT(entry.endOf(101) == nullptr && entry.endOf(0) == nullptr);
  struct Row {
    std::uint64_t floorEpoch;
    std::uint64_t firstEnded;
  };
  for (const Row row :
       {Row{1, 1}, Row{2, 2}, Row{20, 20}, Row{37, 37}, Row{38, 37}, Row{101, 37}}) {
    SpineEntry shorter = entry;
    shorter.floor.place.epoch = row.floorEpoch;
    dropOldEnds(shorter);
    EXPECT(shorter.firstEndedEpoch() == row.firstEnded);
    dropOldEnds(shorter);
    EXPECT(shorter.firstEndedEpoch() == row.firstEnded);
  }
}
