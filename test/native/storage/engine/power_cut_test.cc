// Power loss or a full disk at any change of the disk: acknowledged data is there, deleted data is
// gone, each read mode agrees, and no health reason remains.
#include "storage/engine/power_cut_fixture.h"

#include "maintenance/backup_fixture.h"
#include "maintenance/undelete.h"
#include "old_directory.h"
#include "storage/compactor/timed_database.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

bool flush(Course& course) { return course.database.flush().ok(); }
bool compactDue(Course& course) { return course.database.compactDue().ok(); }

std::function<bool(Course&)> ingest(std::string text) {
  return [text = std::move(text)](Course& course) { return course.database.ingest(text).ok(); };
}
std::function<bool(Course&)> removal(std::string metric, TimeRange range) {
  return [metric = std::move(metric), range](Course& course) {
    Removal removal;
    removal.series.name = NameFilter::exact(metric);
    removal.ranges = {range};
    return course.database.remove(std::move(removal)).ok();
  };
}
std::function<bool(Course&)> naming(std::string name, bool isNew = true) {
  return [=](Course& course) { return snapshot(course.database, name, isNew).ok(); };
}

void fillSome(Course& course) {
  REQUIRE(course.database.open().ok());
  fill(course.database, 0);
}
void fillLogged(Course& course) {
  fillSome(course);
  REQUIRE(course.database.ingest(described("new", 1, 1) + line("same", 0, 7)).ok());
  REQUIRE(annotate(course.database, "x").ok());
}
// The age of a segment counts from when it is first seen.
bool compactAfter(Course& course, Duration passed) {
  if (!compactDue(course)) return false;
  course.time.advance(passed);
  return compactDue(course);
}
// Flushes each sample into its own segment.
void flushEach(Course& course, int count) {
  for (int i = 0; i < count; ++i) {
    const Timestamp now = course.time.wallMs() + i;
    std::string body = line("live", now, i);
    for (int k = 0; k < 40; ++k) body += line("m", now + 1000 * k, k);
    REQUIRE(course.database.ingest(body).ok() && flush(course));
  }
}
// Fills one partition with `count` segments.
void fillTiers(Course& course, int count) {
  REQUIRE(course.database.open().ok());
  for (int i = 0; i < count; ++i) {
    flushEach(course, 1);
    REQUIRE(compactAfter(course, kDayMs));
  }
}

bool isOf(Database& database, std::string_view figure, double value) {
  return database.stat(figure) == value;
}

}  // namespace

TEST("power cuts and full disks: a flush") {
  cut({.name = "flush", .prepare = fillLogged, .steps = {flush}}, 2);
}

TEST("power cuts and full disks: R0, segments past their retention are dropped") {
  cut({.name = "R0",
       .configure =
           [](EngineOptions& options) {
             options.retention = keep({{"m", 30 * kDayMs}});
           },
       .prepare = [](Course& course) { fillTiers(course, 1); },
       .begin =
           [](Course& course) {
             course.time.advance(50 * kDayMs);
             REQUIRE(ingest(line("live", course.time.wallMs(), 2))(course) && flush(course));
           },
       .steps = {compactDue},
       .isReached =
           [](Database& database) { return database.stat("retention_dropped_segments_total") > 0; },
       // If only one of MANIFEST and REFS has the drop, the other brings the samples back until the
       // next retention pass.
       .mayForget = true},
      1);
}

TEST("power cuts and full disks: R1, L0 segments are merged into partitions") {
  cut({.name = "R1",
       .prepare =
           [](Course& course) {
             REQUIRE(course.database.open().ok());
             flushEach(course, 8);
           },
       .steps = {compactDue},
       .isReached = [](Database& database) { return isOf(database, "segments", 1); }},
      1);
}

TEST("power cuts and full disks: R2, segments of a tier are merged") {
  cut({.name = "R2",
       .configure = [](EngineOptions& options) { options.compaction.factor = 2; },
       .prepare =
           [](Course& course) {
             course.database.options.compaction.factor = 8;
             fillTiers(course, 2);
           },
       .steps = {compactDue},
       .isReached = [](Database& database) { return isOf(database, "compactions_total", 1); }},
      1);
}

TEST("power cuts and full disks: R3, a partition is closed") {
  cut({.name = "R3",
       .prepare =
           [](Course& course) {
             fillTiers(course, 2);
             course.time.advance(10 * kDayMs);
             flushEach(course, 1);
           },
       .steps = {[](Course& course) { return compactAfter(course, 2 * kHourMs); }},
       .isReached = [](Database& database) { return isOf(database, "compactions_total", 1); }},
      1);
}

TEST("power cuts and full disks: R4, a segment is rewritten without its masked samples") {
  cut({.name = "R4",
       .prepare =
           [](Course& course) {
             fillTiers(course, 1);
             const Timestamp begin = course.time.wallMs() - kDayMs;
             REQUIRE(removal("m", {begin, begin + 20'000})(course));
             REQUIRE(removal("m", {begin + 60'000, begin + 70'000})(course));
             REQUIRE(ingest(line("m", begin + 65'000, 1))(course) && flush(course));
           },
       .steps = {compactDue},
       .isReached =
           [](Database& database) {
             return isOf(database, "tombstones", 0) && isOf(database, "compactions_total", 1);
           }},
      1);
}

LONE_TEST("power cuts and full disks: requests that store and delete") {
  for (const FsyncPolicy fsync : {FsyncPolicy::kAlways, FsyncPolicy::kInterval}) {
    const bool isAlways = fsync == FsyncPolicy::kAlways;
    cut({.name = isAlways ? "requests" : "requests with a sync now and then",
         .configure = [fsync](EngineOptions& options) { options.fsync = fsync; },
         .prepare = fillSome,
         .steps = {ingest(line("m1", 500, 5) + described("new", 1, 1)), removal("m1", {0, 400}),
                   ingest(line("m1", 3, 8)), flush, removal("m1", {500, 500}),
                   ingest(line("m2", 500, 5)),
                   [](Course& course) { return annotate(course.database, "y").ok(); }, flush,
                   removal("new", kAllTime), ingest(line("m1", 500, 6))},
         .mayForget = !isAlways},
        4);
  }
}

TEST("power cuts and full disks: gc of the whole history") {
  cut({.name = "gc",
       .configure = [](EngineOptions& options) { options.historyKeepMs = kKeepMs; },
       .prepare =
           [](Course& course) {
             course.database.options.historyKeepMs = kKeepMs;
             fillSome(course);
             REQUIRE(course.database.compact().ok());
             fill(course.database, 10);
           },
       .steps = {[](Course& course) {
         return collect(course.database, {false, true}).ok();
       }}},
      1);
}

LONE_TEST("power cuts and full disks: snapshots are created and deleted") {
  const auto isThere = [](Database& database, const std::string& name) {
    return isIn("\"name\":\"" + name + "\"", listed(database));
  };
  const auto check = [isThere](Database& database, std::size_t done) {
    // The 1st and 4th steps make them; the 5th deletes the first.
    if (done >= 1 && done < 4) EXPECT(isThere(database, "a"));
    if (done >= 3) EXPECT(isThere(database, "b"));
    if (done >= 5) EXPECT(!isThere(database, "a"));
    for (const std::string name : {"a", "b"}) {
      PastState past;
      past.snapshot = name;
      if (isThere(database, name)) {
        EXPECT((contentAt(database, past).find("m1=") != std::string::npos) == (name == "a"));
      }
    }
  };
  cut({.name = "snapshots",
       .prepare = fillLogged,
       .steps = {naming("a"), removal("m1", kAllTime), naming("b"),
                 [](Course& course) { return course.database.compact().ok(); }, naming("a", false)},
       .check = check,
       .keepsFiles = true},
      4);
}

TEST("power cuts and full disks: an undelete") {
  cut({.name = "undelete",
       .prepare =
           [](Course& course) {
             fillLogged(course);
             REQUIRE(naming("a")(course) && removal("same", kAllTime)(course));
           },
       .steps = {[](Course& course) {
                   UndeleteRequest request{{"a", {}, {}}, {}, kAllTime, false};
                   Undelete reader(course.database.engine(), readOnlyFileSystem(), request);
                   return run(reader).ok();
                 },
                 flush},
       .keepsFiles = true},
      2);
}

TEST("power cuts and full disks: a migration") {
  cut({.name = "migration",
       .prepare =
           [](Course& course) {
             fillSome(course);
             course.database.close();
             makeOld(course.database);
           },
       .steps = {[](Course& course) { return migrated(course.database).ok(); }}},
      1);
}

LONE_TEST("power cuts and full disks: a first start, and a start with a WAL") {
  const auto open = [](Course& course) { return course.database.open().ok(); };
  cut({.name = "first start",
       .prepare = [](Course&) {},
       .steps = {open, ingest(line("m", 1, 1)), flush, naming("a")},
       .opensItself = true,
       .keepsFiles = true},
      4);
  cut({.name = "start", .prepare = fillLogged, .steps = {open}, .opensItself = true}, 1);
}
