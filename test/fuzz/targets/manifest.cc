#include "format/manifest/manifest.h"

#include <algorithm>

#include "common/base/check.h"
#include "common/types/file_names.h"
#include "format/manifest/manifest_edit.h"
#include "format/manifest/manifest_record.h"
#include "log_bytes.h"
#include "memory_file_system.h"
#include "target.h"

using namespace seriesdb;
using namespace seriesdb::fuzz;

namespace {

const std::string kPath = file_names::join("", file_names::kManifest);

SegmentFacts anyFacts(std::uint64_t number, Random& random) {
  SegmentFacts facts;
  facts.number = number;
  facts.fileSize = 500 + random() % 5000;
  facts.fileCrc = static_cast<std::uint32_t>(random());
  facts.sampleCount = 1 + random() % 9000;
  facts.chunkCount = 1 + random() % 5;
  facts.seriesCount = 1;
  facts.tsMin = static_cast<Timestamp>(random() % 5000);
  facts.tsMax = facts.tsMin + static_cast<Timestamp>(random() % 5000);
  facts.sequenceMax = number * 10;
  if (random() % 2 == 0) {
    facts.sequenceMin = number * 9;
    facts.frozenAt = facts.tsMax;
  }
  if (number > 4 && random() % 3 == 0) {
    facts.place = PartitionPlace{1, kWidestSlot, static_cast<std::int64_t>(random() % 9)};
    facts.isFinal = random() % 2 == 0;
    facts.closedAt = facts.isFinal ? 7 : 0;
    facts.frozenAt = 0;
    facts.codecs = 1;
  }
  return facts;
}

std::vector<ByteBuffer> makeManifests(Random& random) {
  std::vector<ByteBuffer> all;
  for (std::uint64_t edits = 0; edits < 6; ++edits) {
    MemoryFileSystem fs;
    auto manifest = Manifest::create(fs, "");
    CHECK(manifest.ok());
    for (std::uint64_t i = 1; i <= edits; ++i) {
      ManifestEdit edit;
      edit.added = {anyFacts(2 * i, random), anyFacts(2 * i + 1, random)};
      if (i > 1) edit.removed = {2 * i - 1};
      edit.walFloor = i + 1;
      edit.flushedSequence = i * 20;
      if (i % 2 == 0) edit.annotationCount = i;
      if (i == 2) edit.classes = {{1, 1, kForever, kWidestSlot, -1000}};
      if (i == 4) edit.raised = {{2, 500}};
      if (i % 2 == 1) edit.retentionClock = static_cast<Timestamp>(i) * 3000;
      if (i > 2) edit.retentionMark = i % 4 == 0 ? 0 : random();
      if (i % 3 == 2) {
        Tombstone tombstone{{1, 5, 9}, {100, 4000}, i * 30};
        edit.tombstones.push_back(std::make_shared<const Tombstone>(std::move(tombstone)));
      }
      CHECK(manifest.value()->apply(edit).ok());
    }
    all.push_back(fs.at(kPath));
  }
  return all;
}

ByteBuffer bytesOf(const ManifestState& state) {
  ByteBuffer out;
  appendManifestRecord(out, snapshotRecord(state));
  return out;
}

// The invariants that recovery and the flusher rely on.
void checkState(const ManifestState& state) {
  for (std::size_t i = 0; i < state.segments.size(); ++i) {
    const SegmentFacts& facts = state.segments[i];
    CHECK(facts.number > 0 && facts.number < state.nextSegment && facts.tsMin <= facts.tsMax);
    CHECK(i == 0 || state.segments[i - 1].number < facts.number);
  }
  CHECK(state.walFloor <= kSequenceMax && state.flushedSequence <= kSequenceMax);
  for (std::size_t i = 0; i < state.tombstones.size(); ++i) {
    const Tombstone& one = *state.tombstones[i];
    CHECK(!one.refs.empty() && one.range.start <= one.range.end);
    CHECK(i == 0 || state.tombstones[i - 1]->sequence < one.sequence);
  }
}

bool readManifest(Bytes input) {
  MemoryFileSystem fs;
  fs.put(kPath, input);
  auto opened = Manifest::open(fs, "");
  if (!opened.ok()) {
    CHECK(isRefusal(opened.status()));
    return false;
  }
  const ManifestState state = opened.value()->state();
  checkState(state);
  const auto parsed = parseManifestRecord(bytesOf(state));
  CHECK(parsed.ok());
  ManifestState again;
  CHECK(applyEdit(again, parsed.value().edit).ok());
  again.nextSegment = std::max(again.nextSegment, parsed.value().nextSegment);
  CHECK(bytesOf(again) == bytesOf(state));

  // The file continues after its cut, unless its numbers are used up. The next start reads it.
  ManifestEdit edit;
  edit.walFloor = state.walFloor;
  const Status applied = opened.value()->apply(edit);
  CHECK(applied.ok() || applied.code() == StatusCode::kStorageUnavailable);
  opened = Manifest::open(fs, "");
  CHECK(opened.ok() && bytesOf(opened.value()->state()) == bytesOf(state));
  return true;
}

const Registration registration{{
    .name = "manifest",
    .sentence = "MANIFEST is refused, or gives a sound state that is written and found again",
    .read = &readManifest,
    .seeds = &makeManifests,
    .repair = &repairLog,
}};

}  // namespace
