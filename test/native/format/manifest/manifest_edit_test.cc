// MANIFEST records that are refused for their content.
#include "format/manifest/manifest_edit.h"
#include "format/manifest/manifest_record.h"
#include "harness.h"

using namespace seriesdb;

TEST("a manifest record that a lower version could express is refused") {
  ManifestEdit edit;
  SegmentFacts facts;
  facts.number = 1;
  facts.frozenAt = 64;
  edit.added = {facts};
  ByteBuffer record;
  appendManifestRecord(record, {edit, 2});
  REQUIRE(record[0] == 4 && parseManifestRecord(record).ok());
  // The segment's last number, before the counts of tombstones, raised floors and classes.
  std::uint8_t& last = record[record.size() - 5];
  REQUIRE(zigzag(64) == 128 && last == 0x80);
  record.erase(record.end() - 4);
  record[record.size() - 4] = 0;
  EXPECT(parseManifestRecord(record).status().code() == StatusCode::kStorageCorrupt);
}

TEST("unknown flags of the retention clock are damage") {
  ManifestEdit edit;
  edit.retentionClock = -5;
  edit.retentionMark = 9;
  ManifestState state;
  REQUIRE(applyEdit(state, edit).ok());
  EXPECT(state.retentionClock == -5 && state.retentionMark == 9);
  edit.retentionClock = -6;
  EXPECT(applyEdit(state, edit).ok() && state.retentionClock == -6);
  ByteBuffer record;
  appendManifestRecord(record, {edit, 1});
  REQUIRE(record[0] == 5 && parseManifestRecord(record).ok());
  std::uint8_t& flags = record[record.size() - 10];
  REQUIRE(flags == 3);
  for (const std::uint8_t wrong : {0, 1, 2, 7}) {
    flags = wrong;
    EXPECT(parseManifestRecord(record).status().code() == StatusCode::kStorageCorrupt);
  }
}

TEST("a class of an older version leaves with its last segment; a new class stays without one") {
  ManifestState state;
  ManifestEdit edit;
  edit.classes = {{.number = 1, .version = 1}, {.number = 2, .version = 1}};
  for (const std::uint64_t number : {1, 2}) {
    SegmentFacts facts;
    facts.number = number;
    facts.place = PartitionPlace{1, kWidestSlot, 0};
    edit.added.push_back(facts);
  }
  REQUIRE(applyEdit(state, edit).ok());
  const auto numbers = [&state] {
    std::vector<std::uint32_t> all;
    for (const CompactionClass& one : state.classes) all.push_back(one.number);
    return all;
  };
  EXPECT((numbers() == std::vector<std::uint32_t>{1, 2}));
  ManifestEdit next;
  next.classes = {{.number = 3, .version = 2}};
  REQUIRE(applyEdit(state, next).ok());
  EXPECT((numbers() == std::vector<std::uint32_t>{1, 3}));
  for (const std::uint64_t number : {1, 2}) {
    ManifestEdit removal;
    removal.removed = {number};
    REQUIRE(applyEdit(state, removal).ok());
  }
  EXPECT((numbers() == std::vector<std::uint32_t>{3}));
  ByteBuffer record;
  appendManifestRecord(record, snapshotRecord(state));
  ManifestState reread;
  REQUIRE(applyEdit(reread, parseManifestRecord(record).value().edit).ok());
  EXPECT(reread.classes == state.classes);
}
