// The retention clock in the engine, and the reports of retention, with clocks that the test owns.
#include <atomic>
#include <filesystem>

#include "storage/compaction/ladder.h"
#include "storage/compactor/retention_keeper.h"
#include "storage/engine/engine_open.h"
#include "storage/view/memory_segment.h"
#include "timed_database.h"

using namespace seriesdb;
using namespace seriesdb::test;

TEST("a restart starts no retention pass, and nothing is dropped in its first hour") {
  TimedDatabase timed;
  timed.setRules({{"cpu.*", 30 * kDayMs}});
  fillOld(timed, 20);
  EXPECT(timed.database.compact().ok());
  const std::size_t left = timed.database.read("cpu.old")->size();
  REQUIRE(left > 0 && left < 20);
  for (int i = 0; i < 8; ++i) {
    REQUIRE(timed.open().ok());
    timed.time.advance(kHourMs - 1);
    REQUIRE(timed.live("mem.both").ok());
    EXPECT(timed.database.compact().ok());
    EXPECT(timed.database.read("cpu.old")->size() == left);
  }
  timed.time.advance(1);
  EXPECT(timed.compactDue().ok());
  EXPECT(timed.database.read("cpu.old")->size() < left);
}

TEST("the first retention clock follows neither a machine years ahead nor a future sample") {
  TimedDatabase timed;
  timed.setRules({{"*", 30 * kDayMs}});
  timed.time.setWall(kBegin + 10 * kYearMs);
  REQUIRE(timed.open().ok());
  REQUIRE(timed.database.ingest(line("nonsense", kBegin + 9 * kYearMs, 1)).ok());
  REQUIRE(timed.database.ingest(line("m", kBegin - 20 * kDayMs, 1)).ok());
  REQUIRE(timed.database.flush().ok());
  EXPECT(timed.compactDue().ok() && timed.clock() == 0);
  timed.time.advance(kHourMs - 1);
  EXPECT(timed.compactDue().ok() && timed.clock() == 0);
  REQUIRE(timed.open().ok());
  REQUIRE(timed.database.ingest(line("m", kBegin, 2)).ok());
  timed.time.advance(kHourMs);
  EXPECT(timed.compactDue().ok());
  EXPECT(timed.clock() == kBegin && timed.database.read("m")->size() == 2);
}

TEST("a retention clock that was ahead returns once both other clocks agree, and drops nothing") {
  TimedDatabase timed;
  timed.setRules({{"*", 30 * kDayMs}});
  fillOld(timed, 1);
  for (int day = 0; day < 20; ++day) {
    REQUIRE(timed.database.ingest(line("young", kBegin - day * kDayMs, 1)).ok());
  }
  EXPECT(timed.database.flush().ok() && timed.database.compact().ok());
  EXPECT(timed.clock() == kBegin);
  timed.time.advance(kHourMs);
  timed.time.setWall(kBegin + 10 * kYearMs);
  REQUIRE(timed.live("liar").ok());
  EXPECT(timed.compactDue().ok() && timed.clock() == kBegin + 10 * kYearMs);
  const std::size_t left = timed.fileCount();
  REQUIRE(left > 0);
  timed.time.setWall(kBegin + kHourMs);
  // A restart forgets the report; the clock repeats it.
  REQUIRE(timed.open().ok());
  EXPECT(timed.isTold("is 3650 days ahead of this machine's"));
  REQUIRE(timed.live("m").ok());
  EXPECT(timed.compactDue().ok() && timed.clock() == kBegin + kHourMs);
  EXPECT(timed.isTold("days ahead of this machine's and of the clients', which agree"));
  EXPECT(timed.fileCount() == left);
  REQUIRE(timed.open().ok());
  EXPECT(timed.clock() == kBegin + kHourMs);
  timed.time.advance(kHourMs);
  EXPECT(timed.compactDue().ok() && timed.fileCount() == left);
}

TEST("a damaged segment that blocks newer ones past their retention is reported") {
  TimedDatabase timed;
  timed.setRules({{"*", 30 * kDayMs}});
  REQUIRE(timed.open().ok());
  const Timestamp old = kBegin - 29 * kDayMs;
  REQUIRE(timed.database.ingest(line("a", old, 1) + line("a", kBegin + kYearMs, 1)).ok());
  REQUIRE(timed.database.flush().ok());
  REQUIRE(timed.database.ingest(line("b", old, 1)).ok() && timed.database.flush().ok());
  timed.database.close();
  const std::string path = timed.database.segmentPath(1);
  ByteBuffer bytes = contentOf(path);
  bytes.back() ^= 1;
  overwrite(path, bytes);
  REQUIRE(timed.open().ok() && timed.live("b").ok());
  EXPECT(timed.compactDue().ok());
  EXPECT(!timed.isTold("past their keep stay"));
  timed.time.advance(2 * kDayMs);
  REQUIRE(timed.live("b").ok());
  EXPECT(timed.compactDue().ok());
  EXPECT(timed.isTold("1 segments past their keep stay: " + hashIn(path) + " is damaged"));
}

TEST("classes without segments leave MANIFEST") {
  TimedDatabase timed;
  fillOld(timed, 1);
  EXPECT(timed.database.compact().ok());
  for (int i = 1; i <= 12; ++i) {
    timed.setRules({{"cpu.*", (200 + i) * kDayMs}});
    REQUIRE(timed.live("cpu.both").ok() && timed.database.flush().ok());
    EXPECT(timed.database.compact().ok());
  }
  const ManifestState after = timed.manifest();
  for (const CompactionClass& one : after.classes) {
    const bool isUsed = std::ranges::any_of(after.segments, [&one](const SegmentFacts& facts) {
      return facts.place && facts.place->classNumber == one.number;
    });
    EXPECT(isUsed || one.version == 13);
  }
  EXPECT(after.classes.back().version == 13);
  REQUIRE(timed.open().ok());
  EXPECT(timed.database.read("mem.old")->size() == 1);
}

TEST("classes with a near loft are replaced by the next edit") {
  TimedDatabase timed;
  timed.database.options.metadataReadMode = MetadataReadMode::kLegacy;
  REQUIRE(timed.open().ok() && timed.live("m").ok() && timed.database.flush().ok());
  timed.database.close();
  const std::string& directory = timed.database.options.directory;
  CompactionClass narrow = makeClass(1, 1, kForever, kBegin, TimestampUnit::kMilliseconds);
  narrow.loftStart = kBegin + kYearMs;
  ManifestEdit edit;
  edit.classes = {narrow};
  REQUIRE(Manifest::open(posixFileSystem(), directory).value()->apply(edit).ok());
  REQUIRE(timed.open().ok() && timed.database.compact().ok());
  const ManifestState after = timed.manifest();
  REQUIRE(after.classes.size() == 1);
  EXPECT(after.classes[0].version == 2 && after.classes[0].loftStart > kBegin + 45 * kYearMs);
  EXPECT(timed.database.read("m")->size() == 1);
}

TEST("a segment directory that could not be read is read again in the next pass") {
  TimedDatabase timed;
  timed.setRules({{"*", 30 * kDayMs}});
  const auto opened = openDatabase(posixFileSystem(), timed.database.options);
  REQUIRE(opened.ok());
  EngineOwners& owners = *opened.value();
  const std::atomic<bool> isStopping{false};
  RetentionKeeper keeper(owners.settings, owners.sources.index, owners.description.manifest,
                         owners.figures, isStopping);
  ManifestState manifest;
  manifest.retentionClock = kBegin;
  manifest.classes = keeper.takeRules(manifest);
  keeper.classes(manifest.classes);
  std::uint64_t asked = 0;
  const Timestamp ts[] = {kBegin - 100 * kDayMs};
  const double values[] = {1};
  MemorySegment segment(0, ts, values, asked);
  segment.failPages(1);
  const auto look = [&] {
    CompactionState seen;
    seen.segments.push_back({.number = 7, .time = {ts[0], ts[0]}});
    keeper.look(manifest, {{7, &segment}}, seen);
    return seen.segments[0].keepToday;
  };
  EXPECT(!look());
  EXPECT(look() == 30 * kDayMs);
}

TEST("a compaction reports a truncated segment, and its neighbours stay readable") {
  TimedDatabase timed;
  timed.setRules({{"cpu", 30 * kDayMs}});
  REQUIRE(timed.open().ok());
  for (int i = 0; i < 9; ++i) {
    REQUIRE(timed.database.ingest(line("cpu", kBegin - 100 * kDayMs + i, i)).ok());
    REQUIRE(timed.database.ingest(line("mem", kBegin - i, i)).ok());
    REQUIRE(timed.database.flush().ok());
  }
  const std::string path = timed.database.segmentPath(5);
  std::filesystem::resize_file(path, 0);
  EXPECT(timed.database.compact().status().code() == StatusCode::kStorageCorrupt);
  EXPECT(timed.isTold(hashIn(path)));
  EXPECT(std::filesystem::exists(path));
  EXPECT(timed.database.read("mem", {kBegin - 3, kBegin})->size() == 4);
}

TEST("a merge without disk space is reported until it has space") {
  FaultyFileSystem fs(posixFileSystem());
  TimedDatabase timed(fs);
  fillOld(timed, 1);
  REQUIRE(timed.live("m").ok() && timed.database.flush().ok());
  fs.setSpace(1);
  EXPECT(timed.database.compact().ok());
  EXPECT(timed.isTold("no room for a merge of segments that may write"));
  EXPECT(timed.database.stat("compaction_without_room_bytes") > 0);
  fs.heal();
  EXPECT(timed.database.compact().ok());
  EXPECT(!timed.isTold("no room for a merge"));
  EXPECT(timed.database.stat("compaction_without_room_bytes") == 0);
}
