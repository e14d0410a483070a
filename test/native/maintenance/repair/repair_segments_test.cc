// Damaged segments, in a directory and in an open database: nothing is lost if another file has the
// data, and every loss is reported.
#include "maintenance/repair/repair_fixture.h"
#include "storage/engine/old_directory.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

using Values = std::map<std::pair<std::string, Timestamp>, double>;

Values valuesOf(Database& database) {
  Values values;
  const auto pinned = database.engine().index();
  const SeriesIndex& index = *pinned;
  for (SeriesRef ref = 0; ref < index.createdCount(); ++ref) {
    if (!index.has(ref)) continue;
    const std::string name = index.definition(ref).name;
    const auto points = database.read(name);
    if (!points) continue;
    for (const auto& [ts, value] : *points) values[{name, ts}] = value;
  }
  return values;
}

// The series that can be read, each tried separately.
Values readableOf(Database& database, const Values& all) {
  Values values;
  for (const auto& [key, value] : all) {
    const auto points = database.read(key.first, {key.second, key.second});
    if (points && points->contains(key.second)) values[key] = points->at(key.second);
  }
  return values;
}

bool isPartOf(const Values& part, const Values& whole) {
  return std::ranges::all_of(part, [&whole](const auto& one) {
    const auto found = whole.find(one.first);
    return found != whole.end() && found->second == one.second;
  });
}

struct SegmentDamage {
  const char* name;
  void (*damage)(const std::string& path);
};

void cutTo(const std::string& path, std::size_t size) {
  ByteBuffer bytes = seriesdb::test::contentOf(path);
  bytes.resize(std::min(size, bytes.size()));
  overwrite(path, bytes);
}

const SegmentDamage kDamages[] = {
    {"missing", [](const std::string& path) { files::remove(path); }},
    {"empty", [](const std::string& path) { overwrite(path, {}); }},
    {"cut short",
     [](const std::string& path) { cutTo(path, seriesdb::test::contentOf(path).size() - 9); }},
    {"chunk", [](const std::string& path) { flip(path, 25); }},
    {"footer",
     [](const std::string& path) { flip(path, seriesdb::test::contentOf(path).size() - 20); }},
};

// Long series, whose chunks have their own checksums.
void fillLong(Database& database) {
  REQUIRE(database.open().ok());
  fill(database, 0);
  std::string text;
  for (const char* metric : {"long", "other"}) {
    for (int i = 0; i < 300; ++i) text += line(metric, 1000 + i, i % 7 * 0.37);
  }
  REQUIRE(database.ingest(text).ok());
  REQUIRE(database.flush().ok());
  EXPECT(database.ingest(line("long", 5000, 1)).ok());
}

std::string largestOf(const std::vector<std::string>& paths) {
  const auto size = [](const std::string& path) { return files::file_size(path); };
  return *std::ranges::max_element(paths, {}, size);
}

std::string repairLive(Database& database, RepairWishes wishes) {
  LiveRepair repair(posixFileSystem(), database.engine(), wishes);
  return run(repair).value();
}

}  // namespace

LONE_TEST("an accepted repair keeps the readable samples of a damaged segment and drops the rest") {
  Database database;
  fillLong(database);
  const Values all = valuesOf(database);
  const std::vector<std::string> segments = database.segmentPaths();
  database.close();
  const std::string& in = database.options.directory;
  const Tree tree = treeOf(in);
  for (const std::string& segment : segments) {
    for (const SegmentDamage& one : kDamages) {
      putTree(in, tree);
      one.damage(segment);
      const Tree damaged = treeOf(in);
      EXPECT(isIn(R"("status":"left")", repaired(in)));
      EXPECT(isIn(R"("kind":"end","status":"ok")", repaired(in, {true, true, {}})));
      EXPECT(treeOf(in) == damaged);
      REQUIRE(database.open().ok());
      const Values readable = readableOf(database, all);
      database.close();
      const auto told = repaired(in, accepting());
      EXPECT(isIn(R"("kind":"end","status":"ok","mended":1)", told));
      EXPECT(isIn(R"("lost_samples":)", told));
      EXPECT(isWhole(in));
      for (const MetadataReadMode mode : kReadModes) {
        database.options.metadataReadMode = mode;
        REQUIRE(database.open().ok());
        EXPECT(database.engine().degradedReasons().empty());
        const Values left = valuesOf(database);
        if (!isPartOf(readable, left)) fail(__FILE__, __LINE__, one.name);
        EXPECT(isPartOf(left, all));
        EXPECT(left.size() < all.size());
        database.close();
      }
      EXPECT(isIn(R"("mended":0,"planned":0,"left":0)", repaired(in)));
      EXPECT(one.name == std::string("missing") || database.files("quarantine").size() == 1);
    }
  }
}

TEST("swapped segment names are corrected, and a damaged segment is restored from a copy") {
  Database database;
  fillLong(database);
  const std::string content = contentOf(database);
  const std::vector<std::string> segments = database.segmentPaths();
  REQUIRE(segments.size() >= 2);
  database.close();
  const std::string& in = database.options.directory;
  files::rename(segments[0], in + "/other");
  files::rename(segments[1], segments[0]);
  files::rename(in + "/other", segments[1]);
  EXPECT(isIn(R"("kind":"end","status":"ok","mended":2)", repaired(in)));
  EXPECT(isWhole(in));
  files::copy_file(segments[0], in + "/segments/0000000077.seg");
  flip(segments[0], 25);
  EXPECT(isIn(R"("kind":"end","status":"ok","mended":1)", repaired(in)));
  EXPECT(isWhole(in));
  expectSameInAllModes(database, content);
}

TEST("a damaged segment that only a snapshot needs is restored from a copy, or kept and reported") {
  Database database;
  REQUIRE(database.open().ok());
  fill(database, 0);
  REQUIRE(database.flush().ok());
  const std::string segment = database.segmentPaths().at(0);
  REQUIRE(snapshot(database, "before").ok() && snapshot(database, "again").ok());
  replaceAll(database, 20);
  const std::string content = contentOf(database);
  database.close();
  const std::string& in = database.options.directory;
  REQUIRE(files::exists(segment) && isWhole(in));
  const Tree tree = treeOf(in);
  for (const bool isMissing : {false, true}) {
    putTree(in, tree);
    isMissing ? static_cast<void>(files::remove(segment)) : flip(segment, 25);
    const Tree damaged = treeOf(in);
    EXPECT(!isWhole(in));
    for (const RepairWishes& wishes : {RepairWishes{}, RepairWishes{true, true, {}}, accepting()}) {
      const std::string told = repaired(in, wishes).value();
      EXPECT(isIn(R"("status":"held")", told) && isIn("need it: again before", told));
      EXPECT(isIn(R"("kind":"end","status":"damaged","mended":0,"planned":0,"left":1)", told));
      EXPECT(treeOf(in) == damaged);
    }
    Tree withCopy = damaged;
    withCopy[in + "/segments/0000000077.seg"] = tree.at(segment);
    putTree(in, withCopy);
    EXPECT(isIn(R"("status":"ok","mended":0,"planned":1)", repaired(in, {true, false, {}})));
    EXPECT(isIn(R"("kind":"end","status":"ok","mended":1)", repaired(in)));
    EXPECT(isWhole(in));
    expectSameInAllModes(database, content);
  }
}

TEST("a damaged segment that a snapshot also needs leaves the current state and is reported") {
  for (const bool isLive : {false, true}) {
    Database database;
    REQUIRE(database.open().ok());
    fill(database, 0);
    REQUIRE(database.flush().ok());
    const std::string segment = database.segmentPaths().at(0);
    REQUIRE(snapshot(database, "before").ok());
    database.close();
    const std::string& in = database.options.directory;
    flip(segment, 25);
    if (isLive) REQUIRE(database.open().ok());
    const auto repair = [&](const RepairWishes& wishes) {
      return isLive ? repairLive(database, wishes) : repaired(in, wishes).value();
    };
    for (const bool isDry : {true, false}) {
      const std::string told = repair({isDry, true, {}});
      EXPECT(isIn(isDry ? R"("status":"planned")" : R"("status":"mended")", told));
      EXPECT(isIn(R"("status":"held")", told) && isIn("need it: before", told));
      EXPECT(isIn(isDry ? R"("end","status":"damaged","mended":0,"planned":1,"left":1)"
                        : R"("end","status":"damaged","mended":1,"planned":0,"left":1)",
                  told));
    }
    if (isLive) EXPECT(database.engine().degradedReasons().empty());
    database.close();
    EXPECT(!isWhole(in));
  }
}

TEST("an open database drops its damaged segments and is healthy afterwards") {
  Database database;
  fillLong(database);
  const Values all = valuesOf(database);
  const std::vector<std::string> segments = database.segmentPaths();
  database.close();
  const std::string& in = database.options.directory;
  const Tree tree = treeOf(in);
  for (const std::string& segment : segments) {
    for (const SegmentDamage& one : kDamages) {
      putTree(in, tree);
      one.damage(segment);
      REQUIRE(database.open().ok());
      const Values readable = readableOf(database, all);
      EXPECT(isIn(R"("status":"left")", repairLive(database, {})));
      EXPECT(!database.engine().degradedReasons().empty());
      EXPECT(isIn(R"("status":"planned")", repairLive(database, {true, true, {}})));
      EXPECT(isIn(R"("end","status":"ok","mended":1)", repairLive(database, accepting())));
      EXPECT(database.engine().degradedReasons().empty());
      const Values left = valuesOf(database);
      EXPECT(isPartOf(readable, left) && isPartOf(left, all));
      EXPECT(isIn(R"("mended":0)", repairLive(database, accepting())));
      EXPECT(database.ingest(line("new", 1, 1)).ok() && database.flush().ok());
      EXPECT(database.compact().ok());
      EXPECT(isPartOf(readable, valuesOf(database)));
      database.close();
      EXPECT(isWhole(in));
    }
  }
}

TEST("a segment restored in an open database is served at once, and discovery finds its series") {
  Database database;
  fillLong(database);
  const Values all = valuesOf(database);
  const std::vector<std::string> segments = database.segmentPaths();
  database.close();
  for (const std::string& segment : segments) {
    files::rename(segment, database.path("segments/x" + hashIn(segment)));
  }
  REQUIRE(database.open().ok());
  EXPECT(database.engine().degradedReasons().size() == segments.size());
  EXPECT(isIn(R"("end","status":"ok","mended":)", repairLive(database, {})));
  EXPECT(database.engine().degradedReasons().empty());
  // Between requests the committer widens the bounds. Before that, no selector finds a series.
  const auto pinned = database.engine().index();
  const SeriesIndex& index = *pinned;
  SeriesRef other = 0;
  while (index.definition(other).name != "other") ++other;
  while (!index.boundsOf(other) || valuesOf(database).size() < all.size()) {
    EXPECT(database.ingest(line("long", 5000, 1)).ok());
  }
  const auto bounds = index.boundsOf(other);
  EXPECT(bounds && bounds->start == 1000 && bounds->end == 1299);
  EXPECT(valuesOf(database) == all);
}

TEST("a flip of any byte of a segment is repaired, also one that only its hash shows") {
  Database database;
  REQUIRE(database.open().ok());
  fill(database, 0);
  REQUIRE(database.flush().ok());
  const std::string segment = database.segmentPaths().at(0);
  database.close();
  const std::string& in = database.options.directory;
  const Tree tree = treeOf(in);
  const std::size_t size = contentOf(segment).size();
  for (std::size_t at = 0; at < size; at += 3 * kStride) {
    putTree(in, tree);
    flip(segment, at);
    EXPECT(isIn(R"("kind":"end","status":"ok","mended":1)", repaired(in, accepting())));
    EXPECT(isWhole(in));
    putTree(in, tree);
    REQUIRE(database.open().ok());
    flip(segment, at);
    EXPECT(isIn(R"("kind":"end","status":"ok","mended":1)", repairLive(database, accepting())));
    database.close();
    EXPECT(isWhole(in));
  }
}

TEST("a segment that was damaged before it got its hash is repaired too") {
  Database database;
  fillLong(database);
  database.close();
  makeOld(database);
  const std::string& in = database.options.directory;
  std::vector<std::string> segments;
  for (const std::string& name : database.files("segments")) {
    segments.push_back(in + "/segments/" + name);
  }
  flip(largestOf(segments), 25);
  REQUIRE(database.open().ok() && migrated(database).ok());
  const auto left = repairLive(database, RepairWishes{});
  EXPECT(isIn(R"("status":"left")", left) && !isIn("restored from", left));
  database.close();
  const Tree tree = treeOf(in);
  EXPECT(!isWhole(in));
  for (const bool isLive : {false, true}) {
    putTree(in, tree);
    REQUIRE(!isLive || database.open().ok());
    const auto told =
        isLive ? repairLive(database, accepting()) : repaired(in, accepting()).value();
    EXPECT(isIn(R"("kind":"end","status":"ok","mended":1)", told));
    EXPECT(!isIn(R"("lost_samples":0)", told));
    if (isLive) database.close();
    EXPECT(isWhole(in));
  }
}

TEST("series of a restored segment are readable, and survive a new index generation") {
  for (const bool isWhole : {false, true}) {
    Database database;
    database.options.goneSeriesMin = 1;
    fillLong(database);
    const Values all = valuesOf(database);
    const std::string segment = largestOf(database.segmentPaths());
    database.close();
    const ByteBuffer content = contentOf(segment);
    files::remove(segment);
    REQUIRE(database.open().ok());
    {
      auto file = posixFileSystem().create(segment);
      REQUIRE(file.ok() && file.value()->append(content).ok());
    }
    if (!isWhole) flip(segment, 25);
    const std::size_t files = database.segmentPaths().size();
    const auto planned = repairLive(database, {true, false, {}});
    EXPECT(isIn(isWhole ? R"("status":"planned")" : R"("status":"left")", planned));
    const auto told = repairLive(database, isWhole ? RepairWishes{} : accepting());
    EXPECT(isIn(R"("kind":"end","status":"ok","mended":1)", told));
    EXPECT(!isWhole || (database.segmentPaths().size() == files && valuesOf(database) == all));
    EXPECT(database.engine().degradedReasons().empty());
    // Adds and removes a series, so that a generation is due.
    REQUIRE(database.ingest(line("gone", 1, 1)).ok() && database.flush().ok());
    Removal removal;
    removal.series.name = NameFilter::exact("gone");
    removal.ranges = {{0, 10}};
    REQUIRE(database.remove(removal).ok() && database.remove(removal).ok());
    REQUIRE(database.flush().ok());
    const Values found = valuesOf(database);
    EXPECT(found.size() > 300 && found == (isWhole ? all : readableOf(database, all)));
    REQUIRE(database.open().ok());
    EXPECT(valuesOf(database) == found);
  }
}
