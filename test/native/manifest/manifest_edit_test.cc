// Records of MANIFEST that are refused for what they say.
#include "harness.h"
#include "manifest/manifest_edit.h"

using namespace seriesdb;

TEST("a manifest record that a lower version could say is refused") {
  ManifestEdit edit;
  SegmentFacts facts;
  facts.number = 1;
  facts.frozenAt = 64;
  edit.added = {facts};
  ByteBuffer record;
  appendManifestRecord(record, {edit, 2});
  REQUIRE(record[0] == 4 && parseManifestRecord(record).ok());
  // The last number of the segment, before the counts of tombstones, raised floors and classes.
  std::uint8_t& last = record[record.size() - 5];
  REQUIRE(zigzag(64) == 128 && last == 0x80);
  record.erase(record.end() - 4);
  record[record.size() - 4] = 0;
  EXPECT(parseManifestRecord(record).status().code() == StatusCode::kStorageCorrupt);
}

TEST("a clock of retention that falls is refused, and flags of it that nobody knows are damage") {
  ManifestEdit edit;
  edit.retentionClock = -5;
  edit.retentionMark = 9;
  ManifestState state;
  REQUIRE(applyEdit(state, edit).ok());
  EXPECT(state.retentionClock == -5 && state.retentionMark == 9);
  edit.retentionClock = -6;
  EXPECT(applyEdit(state, edit).code() == StatusCode::kInvalidArgument);
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
