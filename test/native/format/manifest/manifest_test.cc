// The manifest: every applied edit is there after a restart, whatever the disk did in between.
#include "format/manifest/manifest.h"

#include <algorithm>
#include <fstream>
#include <random>

#include "common/types/file_names.h"
#include "faulty_file_system.h"
#include "format/log/log_file.h"
#include "format/manifest/manifest_record.h"
#include "harness.h"

using namespace seriesdb;

namespace {

using test::FaultyFileSystem;
using test::Operation;

std::string manifestPath(const std::string& directory) {
  return file_names::join(directory, file_names::kManifest);
}

SegmentFacts someFacts(std::uint64_t number) {
  SegmentFacts facts;
  facts.number = number;
  facts.fileSize = number * 1000 + 104;
  facts.fileCrc = static_cast<std::uint32_t>(number * 2654435761u);
  facts.sampleCount = number * 77;
  facts.chunkCount = number * 3;
  facts.seriesCount = static_cast<std::uint32_t>(number);
  facts.tsMin = -static_cast<Timestamp>(number) * 1'000'000;
  facts.tsMax = INT64_MAX - static_cast<Timestamp>(number);
  facts.sequenceMax = number * 10;
  return facts;
}

// Sets some or all facts that compaction records of a segment.
void placeAnywhere(SegmentFacts& facts, const std::vector<CompactionClass>& classes,
                   std::mt19937_64& random) {
  facts.sequenceMin = random() % (facts.sequenceMax + 1);
  facts.codecs = static_cast<std::uint32_t>(random());
  if (random() % 2 == 0) facts.erasedThrough = random() % 100'000;
  if (!classes.empty() && random() % 2 == 0) {
    const CompactionClass& of = classes[random() % classes.size()];
    facts.place = PartitionPlace{of.number, of.leaf, static_cast<std::int64_t>(random())};
    if (random() % 4 == 0) facts.place->slot = kAtticSlot;
    facts.isFinal = random() % 2 == 0;
  }
  (facts.isFinal ? facts.closedAt : facts.frozenAt) = static_cast<Timestamp>(random());
}

ByteBuffer bytesOf(const ManifestState& state) {
  ByteBuffer out;
  appendManifestRecord(out, snapshotRecord(state));
  return out;
}
bool same(const ManifestState& a, const ManifestState& b) { return bytesOf(a) == bytesOf(b); }

bool reopensTo(const std::string& directory, const ManifestState& state) {
  const auto manifest = Manifest::open(posixFileSystem(), directory);
  return manifest.ok() && same(manifest.value()->state(), state);
}

ManifestEdit randomEdit(std::mt19937_64& random, const ManifestState& state) {
  ManifestEdit edit;
  std::uint64_t number = state.nextSegment;
  for (std::uint64_t i = random() % 3; i > 0; --i) {
    edit.added.push_back(someFacts(number++));
    if (random() % 2 == 0) placeAnywhere(edit.added.back(), state.classes, random);
  }
  for (const SegmentFacts& facts : state.segments) {
    const std::uint64_t choice = random() % 16;
    if (choice < 2) edit.removed.push_back(facts.number);
    if (choice == 2) edit.raised.push_back({facts.number, facts.floor() + 1 + random() % 99});
  }
  if (random() % 8 == 0) {
    CompactionClass one;
    one.number = state.classes.empty() ? 0 : state.classes.back().number + 1;
    one.version = static_cast<std::uint32_t>(random());
    one.keep = static_cast<Duration>(random() >> 1) + 1;
    one.leaf = SlotWidth{static_cast<std::uint8_t>(random() % 3)};
    one.atticEnd = static_cast<Timestamp>(random()) / 2;
    if (random() % 2 == 0) one.loftStart = one.atticEnd + static_cast<Timestamp>(random() % 9);
    edit.classes.push_back(one);
  }
  if (random() % 4 == 0) {
    edit.retentionClock = static_cast<Timestamp>(random() % 20'000) - 10'000;
  }
  if (random() % 4 == 0) edit.retentionMark = random() % 3 == 0 ? 0 : random();
  if (random() % 2 == 0) edit.walFloor = state.walFloor + random() % 3;
  if (random() % 2 == 0) edit.flushedSequence = state.flushedSequence + random() % 1000;
  if (random() % 2 == 0) edit.annotationCount = state.annotationCount + random() % 3;
  std::uint64_t sequence = state.tombstones.empty() ? 0 : state.tombstones.back()->sequence;
  for (std::uint64_t i = random() % 3; i > 0; --i) {
    Tombstone one;
    for (SeriesRef ref = 0; ref < 300; ++ref) {
      if (random() % 100 == 0 || ref == 7) one.refs.push_back(ref);
    }
    one.refs.push_back(UINT32_MAX - static_cast<std::uint32_t>(random() % 2));
    one.range = {INT64_MIN, static_cast<Timestamp>(random() % 100'000'000) - 50'000'000};
    one.sequence = sequence += 1 + random() % 30;
    edit.tombstones.push_back(std::make_shared<const Tombstone>(one));
  }
  return edit;
}

void writeFile(const std::string& path, Bytes bytes) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
}

}  // namespace

TEST("a manifest is reopened with the same state after each random edit") {
  std::mt19937_64 random(test::seed());
  const std::string directory = test::temporaryDirectory();
  auto manifest = Manifest::create(posixFileSystem(), directory);
  REQUIRE(manifest.ok());
  EXPECT(same(manifest.value()->state(), ManifestState{}) && reopensTo(directory, {}));
  for (int i = 0; i < 200; ++i) {
    const ManifestState before = manifest.value()->state();
    const ManifestEdit edit = randomEdit(random, before);
    REQUIRE(manifest.value()->apply(edit).ok());
    const ManifestState& after = manifest.value()->state();
    EXPECT(after.segments.size() ==
           before.segments.size() + edit.added.size() - edit.removed.size());
    EXPECT(after.nextSegment == before.nextSegment + edit.added.size());
    EXPECT(after.classes.size() <= before.classes.size() + edit.classes.size());
    EXPECT(after.retentionClock ==
           (edit.retentionClock ? edit.retentionClock : before.retentionClock));
    EXPECT(after.retentionMark == edit.retentionMark.value_or(before.retentionMark));
    for (const FloorRaise& one : edit.raised) {
      const auto at =
          std::ranges::lower_bound(after.segments, one.number, {}, &SegmentFacts::number);
      EXPECT(at->number == one.number && at->floor() == one.erasedThrough);
    }
    EXPECT(std::is_sorted(after.segments.begin(), after.segments.end(),
                          [](const auto& a, const auto& b) { return a.number < b.number; }));
    EXPECT(reopensTo(directory, after));
    if (i % 7 != 0) continue;
    manifest = Manifest::open(posixFileSystem(), directory);
    REQUIRE(manifest.ok());
  }
}

TEST("a tombstone stays exactly as long as a segment that it may mask") {
  const std::string directory = test::temporaryDirectory();
  auto manifest = Manifest::create(posixFileSystem(), directory);
  REQUIRE(manifest.ok());
  ManifestEdit edit;
  for (std::uint64_t number = 1; number <= 2; ++number) {
    edit.added.push_back(someFacts(number));
    edit.added.back().tsMin = edit.added.back().tsMax = static_cast<Timestamp>(number);
  }
  const std::pair<std::uint64_t, TimeRange> all[] = {
      {5, {INT64_MIN, INT64_MAX}}, {15, {1, 1}}, {16, {2, 9}}, {30, {2, 2}}, {31, {3, INT64_MAX}}};
  for (const auto& [sequence, range] : all) {
    edit.tombstones.push_back(std::make_shared<const Tombstone>(Tombstone{{4}, range, sequence}));
  }
  REQUIRE(manifest.value()->apply(edit).ok());
  const auto sequences = [&manifest] {
    std::vector<std::uint64_t> found;
    for (const auto& one : manifest.value()->state().tombstones) found.push_back(one->sequence);
    return found;
  };
  // The segments end with the sequences 10 and 20.
  EXPECT(sequences() == (std::vector<std::uint64_t>{15, 30}));
  EXPECT(reopensTo(directory, manifest.value()->state()));
  ManifestEdit again;
  again.tombstones = {edit.tombstones[3]};
  EXPECT(manifest.value()->apply(again).code() == StatusCode::kInvalidArgument);
  ManifestEdit removal;
  removal.removed = {1};
  REQUIRE(manifest.value()->apply(removal).ok());
  EXPECT(sequences() == std::vector<std::uint64_t>{30});
  const auto add = [&](std::vector<SeriesRef> refs, TimeRange range, std::uint64_t sequence) {
    ManifestEdit next;
    next.tombstones.push_back(
        std::make_shared<const Tombstone>(Tombstone{std::move(refs), range, sequence}));
    REQUIRE(manifest.value()->apply(next).ok());
  };
  // A tombstone that covers an earlier one replaces it; others are kept beside it.
  add({3, 5}, {0, 9}, 40);
  add({4}, {0, 1}, 41);
  add({4, 5}, {2, 3}, 42);
  EXPECT(sequences() == (std::vector<std::uint64_t>{40, 42}));
  add({3, 4, 5}, {0, 9}, 43);
  EXPECT(sequences() == std::vector<std::uint64_t>{43});
  EXPECT(reopensTo(directory, manifest.value()->state()));
}

TEST("after a segment's floor rises, only later tombstones mask it") {
  const std::string directory = test::temporaryDirectory();
  auto manifest = Manifest::create(posixFileSystem(), directory);
  REQUIRE(manifest.ok());
  ManifestEdit edit;
  edit.added = {someFacts(1), someFacts(2)};
  edit.added[1].erasedThrough = 25;
  const auto tombstone = [](std::uint64_t sequence) {
    return std::make_shared<const Tombstone>(
        Tombstone{{static_cast<SeriesRef>(sequence)}, {0, 9}, sequence});
  };
  edit.tombstones = {tombstone(24), tombstone(26)};
  REQUIRE(manifest.value()->apply(edit).ok());
  EXPECT(manifest.value()->state().tombstones.size() == 2);
  ManifestEdit raise;
  raise.raised = {{1, 25}};
  REQUIRE(manifest.value()->apply(raise).ok());
  EXPECT(manifest.value()->state().tombstones.size() == 1);
  EXPECT(manifest.value()->state().tombstones[0]->sequence == 26);
  EXPECT(reopensTo(directory, manifest.value()->state()));
}

TEST("an edit that contradicts the state is refused and changes nothing") {
  const std::string directory = test::temporaryDirectory();
  auto manifest = Manifest::create(posixFileSystem(), directory);
  REQUIRE(manifest.ok());
  REQUIRE(manifest.value()->apply({{someFacts(5)}, {}, 7, 100, 3}).ok());
  const ManifestState before = manifest.value()->state();
  SegmentFacts backwards = someFacts(6);
  std::swap(backwards.tsMin, backwards.tsMax);
  SegmentFacts ofNoClass = someFacts(6);
  ofNoClass.place = PartitionPlace{7, SlotWidth::k8Days, 1};
  const std::vector<ManifestEdit> wrong = {
      {{someFacts(5)}, {}, 0, 0},
      {{someFacts(0)}, {}, 0, 0},
      {{}, {4}, 0, 0},
      {{}, {5, 5}, 0, 0},
      {{}, {}, 6, 0},
      {{}, {}, 0, 99},
      {{}, {}, 0, 0, 2},
      {{backwards}, {}, 0, 0},
      {{someFacts(5)}, {5}, 0, 0},
      {{someFacts(8), someFacts(8)}, {}, 0, 0},
      {{}, {}, 0, 0, 0, {}, {{4, 60}}},  // A floor of an unknown segment.
      {{}, {}, 0, 0, 0, {}, {{5, 50}}},  // A floor that is not higher than the current one.
      {{}, {}, 0, 0, 0, {}, {}, {{3}, {3}}},
      {{ofNoClass}, {}, 0, 0},
      {{ofNoClass}, {}, 0, 0, 0, {}, {}, {{7, 1, kForever, SlotWidth::k1Day}}},
  };
  for (const ManifestEdit& edit : wrong) {
    const Status status = manifest.value()->apply(edit);
    EXPECT(status.code() == StatusCode::kInvalidArgument);
    EXPECT(same(manifest.value()->state(), before) && reopensTo(directory, before));
  }
  // Two segment writers may publish in another order than they took their numbers.
  EXPECT(manifest.value()->apply({{someFacts(3)}, {5}, 0, 0}).ok());
  EXPECT(manifest.value()->state().nextSegment == 6);
  EXPECT(reopensTo(directory, manifest.value()->state()));
}

TEST("a manifest cut anywhere opens to the state of its whole records") {
  std::mt19937_64 random(test::seed());
  const std::string directory = test::temporaryDirectory();
  auto manifest = Manifest::create(posixFileSystem(), directory);
  REQUIRE(manifest.ok());
  std::vector<std::pair<std::size_t, ManifestState>> history;
  for (int i = 0; i < 12; ++i) {
    if (i > 0) {
      REQUIRE(manifest.value()->apply(randomEdit(random, manifest.value()->state())).ok());
    }
    const auto bytes = posixFileSystem().readAll(manifestPath(directory));
    REQUIRE(bytes.ok());
    history.emplace_back(bytes.value().size(), manifest.value()->state());
  }
  const ByteBuffer whole = posixFileSystem().readAll(manifestPath(directory)).value();
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    writeFile(manifestPath(directory), Bytes(whole).first(size));
    auto reopened = Manifest::open(posixFileSystem(), directory);
    if (size < history[0].first) {
      EXPECT(!reopened.ok() && reopened.status().code() == StatusCode::kStorageCorrupt);
      continue;
    }
    REQUIRE(reopened.ok());
    std::size_t last = 0;
    while (last + 1 < history.size() && history[last + 1].first <= size) ++last;
    EXPECT(same(reopened.value()->state(), history[last].second));
    // The torn tail is gone: an edit after it is read back.
    REQUIRE(reopened.value()->apply({{someFacts(1000)}, {}, 0, 0}).ok());
    EXPECT(reopensTo(directory, reopened.value()->state()));
  }
}

TEST("a flipped byte of a manifest before its last record is refused") {
  const std::string directory = test::temporaryDirectory();
  auto manifest = Manifest::create(posixFileSystem(), directory);
  REQUIRE(manifest.ok());
  for (std::uint64_t i = 1; i < 6; ++i) {
    REQUIRE(manifest.value()->apply({{someFacts(i)}, {}, i, i}).ok());
  }
  const ByteBuffer before = posixFileSystem().readAll(manifestPath(directory)).value();
  REQUIRE(manifest.value()->apply({{someFacts(6)}, {}, 0, 0}).ok());
  const ByteBuffer whole = posixFileSystem().readAll(manifestPath(directory)).value();
  for (std::size_t at = 0; at < before.size(); ++at) {
    ByteBuffer damaged = whole;
    damaged[at] = static_cast<std::uint8_t>(damaged[at] ^ (1u << (at % 8)));
    writeFile(manifestPath(directory), damaged);
    const auto reopened = Manifest::open(posixFileSystem(), directory);
    EXPECT(!reopened.ok() && reopened.status().code() == StatusCode::kStorageCorrupt);
  }
}

TEST("a missing manifest is an error, and an existing one is not created again") {
  const std::string directory = test::temporaryDirectory();
  EXPECT(!Manifest::open(posixFileSystem(), directory).ok());
  EXPECT(posixFileSystem().list(directory).value().empty());
  REQUIRE(Manifest::create(posixFileSystem(), directory).ok());
  EXPECT(!Manifest::create(posixFileSystem(), directory).ok());
}

TEST("a failed append or sync of a manifest is final, and its edit is either whole or absent") {
  for (const bool inAppend : {true, false}) {
    const std::string directory = test::temporaryDirectory();
    FaultyFileSystem fs(posixFileSystem());
    auto manifest = Manifest::create(fs, directory);
    REQUIRE(manifest.ok());
    REQUIRE(manifest.value()->apply({{someFacts(1)}, {}, 2, 3}).ok());
    const ManifestState before = manifest.value()->state();
    if (inAppend)
      fs.shortenAppendAt(1, 20);
    else
      fs.failAt(Operation::kSync, 1);
    EXPECT(manifest.value()->apply({{someFacts(2)}, {1}, 0, 0}).code() == StatusCode::kIo);
    EXPECT(same(manifest.value()->state(), before));
    EXPECT(manifest.value()->apply({{someFacts(3)}, {}, 0, 0}).code() == StatusCode::kIo);
    manifest = Manifest::open(fs, directory);
    REQUIRE(manifest.ok());
    const auto& segments = manifest.value()->state().segments;
    EXPECT(segments.size() == 1 && segments[0].number == (inAppend ? 1u : 2u));
    // The edits that the first object lost do not block the next one.
    REQUIRE(manifest.value()->apply({{someFacts(4)}, {}, 0, 0}).ok());
    EXPECT(reopensTo(directory, manifest.value()->state()));
  }
}

TEST("a full disk leaves the manifest unchanged, and a later edit may succeed") {
  const std::string directory = test::temporaryDirectory();
  FaultyFileSystem fs(posixFileSystem());
  auto manifest = Manifest::create(fs, directory);
  REQUIRE(manifest.ok());
  fs.setSpace(20);
  EXPECT(manifest.value()->apply({{someFacts(1)}, {}, 2, 3}).code() ==
         StatusCode::kStorageUnavailable);
  EXPECT(manifest.value()->state().segments.empty());
  fs.heal();
  REQUIRE(manifest.value()->apply({{someFacts(1)}, {}, 2, 3}).ok());
  EXPECT(reopensTo(directory, manifest.value()->state()));
}

TEST("a failed creation leaves no manifest, or an empty one") {
  for (const Operation operation :
       {Operation::kCreate, Operation::kAppend, Operation::kSync, Operation::kRename,
        Operation::kSyncDirectory, Operation::kOpenAppend}) {
    for (std::uint64_t nth = 1;; ++nth) {
      const std::string directory = test::temporaryDirectory();
      FaultyFileSystem fs(posixFileSystem());
      fs.failAt(operation, nth);
      if (Manifest::create(fs, directory).ok()) {
        EXPECT(nth > 1);
        break;
      }
      const bool exists = fs.exists(manifestPath(directory)).value();
      EXPECT(exists ? reopensTo(directory, {}) : Manifest::create(fs, directory).ok());
    }
  }
}

TEST("a grown manifest is rewritten, keeps its state and survives a power loss") {
  const std::string directory = test::temporaryDirectory();
  FaultyFileSystem fs(posixFileSystem());
  auto manifest = Manifest::create(fs, directory);
  REQUIRE(manifest.ok());
  std::uint64_t rewrites = 0;
  std::uint64_t largest = 0;
  for (std::uint64_t i = 1; i <= 4000; ++i) {
    ManifestEdit edit = {{someFacts(i)}, {}, i, i * 10};
    if (i > 20) edit.removed.push_back(i - 20);
    const std::uint64_t renames = fs.count(Operation::kRename);
    REQUIRE(manifest.value()->apply(edit).ok());
    largest = std::max(largest, manifest.value()->state().segments.size());
    if (fs.count(Operation::kRename) == renames) continue;
    ++rewrites;
    EXPECT(reopensTo(directory, manifest.value()->state()));
  }
  EXPECT(rewrites >= 2 && rewrites < 20 && largest == 21 - 1);
  const ManifestState state = manifest.value()->state();
  EXPECT(state.nextSegment == 4001 && state.walFloor == 4000);
  EXPECT(fs.readAll(manifestPath(directory)).value().size() < (80u << 10));
  manifest = Status::io("closed");
  fs.losePower();
  EXPECT(reopensTo(directory, state));
  EXPECT(fs.list(directory).value().size() == 1);
}

TEST("a failed rewrite loses no edit, and is final only from the rename on") {
  for (const Operation operation : {Operation::kCreate, Operation::kRename,
                                    Operation::kSyncDirectory, Operation::kOpenAppend}) {
    const std::string directory = test::temporaryDirectory();
    FaultyFileSystem fs(posixFileSystem());
    auto manifest = Manifest::create(fs, directory);
    REQUIRE(manifest.ok());
    // Making the temporary file syncs the directory first; the second sync is the rename's.
    fs.failAt(operation, operation == Operation::kSyncDirectory ? 2 : 1);
    bool failed = false;
    for (std::uint64_t i = 1; i <= 4000 && !failed; ++i) {
      ManifestEdit edit = {{someFacts(i)}, {}, i, 0};
      if (i > 1) edit.removed.push_back(i - 1);
      const ManifestState before = manifest.value()->state();
      failed = !manifest.value()->apply(edit).ok();
      if (failed) EXPECT(same(manifest.value()->state(), before));
    }
    EXPECT(failed == (operation != Operation::kCreate));
    EXPECT(reopensTo(directory, manifest.value()->state()));
  }
}

TEST("a manifest record whose numbers are past the limit is refused") {
  const auto isTaken = [](const ManifestState& state) {
    const auto parsed = parseManifestRecord(bytesOf(state));
    if (!parsed.ok()) EXPECT(parsed.status().code() == StatusCode::kStorageCorrupt);
    return parsed.ok();
  };
  for (const std::uint64_t number : {kSequenceMax, kSequenceMax + 1, UINT64_MAX}) {
    const bool isWithin = number == kSequenceMax;
    for (const auto member : {&ManifestState::walFloor, &ManifestState::flushedSequence,
                              &ManifestState::annotationCount, &ManifestState::nextSegment}) {
      ManifestState state;
      state.*member = number;
      EXPECT(isTaken(state) == isWithin);
    }
    ManifestState state;
    state.segments.push_back(someFacts(1));
    state.segments[0].sequenceMax = number;
    EXPECT(isTaken(state) == isWithin);
    state.segments[0] = someFacts(1);
    state.segments[0].erasedThrough = number;
    EXPECT(isTaken(state) == isWithin);
    state.segments[0] = someFacts(1);
    Tombstone tombstone;
    tombstone.refs = {1};
    tombstone.range = {1, 2};
    tombstone.sequence = number;
    state.tombstones.push_back(std::make_shared<const Tombstone>(tombstone));
    EXPECT(isTaken(state) == isWithin);
  }
}

TEST("an edit is refused when sequences are used up, and the manifest opens unchanged") {
  for (const std::uint64_t left : {0u, 1u}) {
    const std::string directory = test::temporaryDirectory();
    ManifestState state;
    state.walFloor = 7;
    ByteBuffer record;
    appendRecord(record, kManifestEditType, kSequenceMax - left, bytesOf(state));
    const std::string name(file_names::kManifest);
    REQUIRE(createLog(posixFileSystem(), {directory, name, LogKind::kManifest}, record).ok());
    auto manifest = Manifest::open(posixFileSystem(), directory);
    REQUIRE(manifest.ok());
    for (std::uint64_t i = 1; i <= left; ++i) {
      EXPECT(manifest.value()->apply({{}, {}, 7 + i, 0}).ok());
      state.walFloor = 7 + i;
    }
    const Status refused = manifest.value()->apply({{}, {}, 99, 0});
    EXPECT(refused.code() == StatusCode::kStorageUnavailable);
    EXPECT(same(manifest.value()->state(), state));
    EXPECT(reopensTo(directory, state));
  }
}

constexpr std::uint8_t kVersionMax = 6;  // The latest record version that this program reads.

TEST("a manifest record of a newer seriesdb is not reported as damage") {
  ByteBuffer bytes = bytesOf(ManifestState{});
  bytes[0] = kVersionMax + 1;
  const auto parsed = parseManifestRecord(bytes);
  EXPECT(parsed.status().code() == StatusCode::kConfiguration);
  EXPECT(parsed.status().message().find("was written by a newer seriesdb") != std::string::npos);
}

TEST("manifest records of random bytes are refused without reading past them") {
  std::mt19937_64 random(test::seed());
  ManifestState state;
  for (std::uint64_t i = 1; i < 20; ++i) state.segments.push_back(someFacts(i));
  state.nextSegment = 20;
  const ByteBuffer good = bytesOf(state);
  for (int round = 0; round < 20000; ++round) {
    ByteBuffer bytes = good;
    bytes[random() % bytes.size()] = static_cast<std::uint8_t>(random());
    bytes.resize(random() % (bytes.size() + 1));
    const auto parsed = parseManifestRecord(ByteBuffer(bytes));
    const bool isLater = !bytes.empty() && bytes[0] > kVersionMax;
    EXPECT(isLater == (parsed.status().code() == StatusCode::kConfiguration));
  }
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT(!parseManifestRecord(Bytes(good).first(size)).ok());
  }
}
