// Series that lose all samples, return and are lost again while the index is rebuilt without them.
// Reads and discovery equal those without a rebuild, over restarts, power cuts, failing flushes and
// requests parsed before.
#include "storage/view/merge_cursor.h"
#include "storage/write/index_renewal.h"

#include <algorithm>
#include <chrono>
#include <random>
#include <set>
#include <thread>

#include "storage/engine/engine_fixture.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

constexpr std::size_t kSeries = 48;

struct Identity {
  std::string name;
  std::vector<std::pair<std::string, std::string>> labels;
};

Identity identityOf(std::size_t number) {
  Identity one{"m" + std::to_string(number % 7), {}};
  if (number >= 7) one.labels.emplace_back("host", "h" + std::to_string(number));
  return one;
}

std::string lineOf(std::size_t number, Timestamp ts, double value) {
  const Identity one = identityOf(number);
  std::string text = "{\"metric\":\"" + one.name + "\",\"labels\":{";
  for (const auto& [key, label] : one.labels) text += "\"" + key + "\":\"" + label + "\"";
  return text + "},\"ts\":" + std::to_string(ts) + ",\"value\":" + std::to_string(value) + "}\n";
}

// Waits until more than `before` generations exist; false after some seconds.
bool awaitGeneration(Database& database, double before) {
  for (int i = 0; i < 800; ++i) {
    if (database.stat("index_generations_total") > before) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

std::optional<SeriesRef> refOf(Database& database, std::size_t number) {
  const Identity one = identityOf(number);
  const auto index = database.engine().index();
  return index->findExact(one.name, viewsOf(one.labels));
}

Points pointsOf(Database& database, std::size_t number) {
  const auto ref = refOf(database, number);
  Points points;
  if (!ref) return points;
  MergeCursor cursor(database.engine().pinView(kAllTime).value(), *ref, kAllTime);
  std::vector<Timestamp> ts;
  std::vector<double> values;
  EXPECT(cursor.next(1'000'000, ts, values).ok());
  for (std::size_t i = 0; i < ts.size(); ++i) points[ts[i]] = values[i];
  return points;
}

void setUp(Database& database) {
  database.options.goneSeriesMin = 1;
  REQUIRE(database.open().ok());
}

// A parsed request before its commit.
struct Parsed {
  StagedSamples samples;
  std::vector<std::pair<std::size_t, Points::value_type>> points;
};

class World {
 public:
  World(std::uint64_t seed, CasMode casMode, MetadataReadMode readMode) : random_(seed) {
    database_.options.casMode = casMode;
    database_.options.metadataReadMode = readMode;
    open();
  }

  void round() {
    if (pick(4) == 0) plan();
    for (std::uint64_t i = 1 + pick(5); i-- > 0;) {
      switch (pick(8)) {
        case 0:
        case 1:
          remove(pick(3) == 0);
          break;
        case 2:
          static_cast<void>(database_.flush().ok());
          break;
        case 3:
          parse();
          break;
        case 4:
          commitParsed();
          break;
        default:
          ingest();
      }
    }
    if (pick(6) == 0) static_cast<void>(database_.compact().ok());
    check();
    if (pick(5) == 0 || !database_.engine().admit().ok()) restart();
  }
  void restart() {
    const bool isCut = pick(2) == 0;
    if (isCut) fs_.failFrom(Operation::kSync, 1);
    parsed_.clear();
    parser_.reset();
    EXPECT(database_.stat("cas_shadow_mismatch_total") == 0);
    database_.close();
    fs_.heal();
    if (isCut) fs_.losePower();
    open();
    check();
  }
  // True if the index is renewed once nothing fails. Earlier faults may have prevented it, and a
  // restart ends a pause.
  bool isRenewedAtLast() {
    restart();
    commit(make());
    if (!database_.flush().ok()) return false;
    const double before = database_.stat("index_generations_total");
    removeAll();
    const bool isRenewed = awaitGeneration(database_, before);
    check();
    return isRenewed;
  }

 private:
  std::uint64_t pick(std::uint64_t below) { return random_() % below; }
  void open() {
    setUp(database_);
    parser_ = ParserState::make(database_.engine().indexes(), std::size_t{1} << 20);
  }
  // Plans a fault, but never of a sync: a failed sync leaves the disk's content unknown.
  void plan() {
    constexpr std::array kOperations = {Operation::kCreate, Operation::kAppend, Operation::kRename,
                                        Operation::kRemove, Operation::kSyncDirectory};
    fs_.failAt(kOperations[pick(kOperations.size())], 1 + pick(6),
               StatusCode::kStorageUnavailable);
  }
  Parsed make() {
    Parsed made;
    std::string body;
    for (std::uint64_t i = 1 + pick(30); i-- > 0;) {
      const std::size_t series = pick(kSeries);
      const auto ts = static_cast<Timestamp>(pick(500));
      const auto value = static_cast<double>(++lastValue_);
      body += lineOf(series, ts, value);
      made.points.emplace_back(series, Points::value_type(ts, value));
    }
    const auto parser = makeNdjsonParser(*parser_, {});
    CHECK(parser->write(asBytes(body)).ok() && parser->finish().ok());
    made.samples = parser->take();
    return made;
  }
  void commit(Parsed made) {
    std::promise<Status> answer;
    database_.engine().commit(std::move(made.samples), 0, [&answer](const auto& report) {
      answer.set_value(report.status());
    });
    if (!answer.get_future().get().ok()) return;
    for (const auto& [series, point] : made.points) points_[series][point.first] = point.second;
  }
  void ingest() { commit(make()); }
  void parse() { parsed_.push_back(make()); }
  void commitParsed() {
    for (Parsed& one : parsed_) commit(std::move(one));
    parsed_.clear();
  }
  void remove(bool isOfPart) {
    std::vector<std::size_t> series;
    for (std::size_t i = 0; i < kSeries; ++i) {
      if (refOf(database_, i) && pick(2) == 0) series.push_back(i);
    }
    const auto start = static_cast<Timestamp>(pick(500));
    removeOf(series, isOfPart ? TimeRange{start, start + 100} : kAllTime);
  }
  void removeAll() {
    std::vector<std::size_t> series;
    for (std::size_t i = 0; i < kSeries; ++i) {
      if (refOf(database_, i)) series.push_back(i);
    }
    removeOf(series, kAllTime);
  }
  void removeOf(const std::vector<std::size_t>& series, TimeRange range) {
    const auto index = database_.engine().index();
    std::vector<SeriesId> ids;
    for (const std::size_t i : series) ids.push_back(index->idOf(*refOf(database_, i)));
    if (!database_.remove(ids, range).ok()) return;
    for (const std::size_t i : series) {
      Points& all = points_[i];
      all.erase(all.lower_bound(range.start), all.upper_bound(range.end));
    }
  }
  void check() {
    std::set<std::string> names;
    std::uint32_t visible = 0;
    for (std::size_t i = 0; i < kSeries; ++i) {
      EXPECT(pointsOf(database_, i) == points_[i]);
      const auto ref = refOf(database_, i);
      REQUIRE(ref.has_value() != points_[i].empty());
      if (!ref) continue;
      ++visible;
      names.insert(identityOf(i).name);
      const auto index = database_.engine().index();
      const auto bounds = index->boundsOf(*ref);
      EXPECT(bounds && bounds->start == points_[i].begin()->first &&
             bounds->end == points_[i].rbegin()->first);
    }
    const auto index = database_.engine().index();
    EXPECT(index->visibleCount() == visible && index->select({}).size() == visible);
    EXPECT(index->metrics({}, std::nullopt).size() == names.size());
  }

  std::mt19937_64 random_;
  FaultyFileSystem fs_{posixFileSystem()};
  Database database_{fs_};
  std::unique_ptr<ParserState> parser_;
  std::vector<Parsed> parsed_;
  std::array<Points, kSeries> points_;
  std::uint64_t lastValue_ = 0;
};

}  // namespace

TEST("a new index generation is invisible to readers and writers, in every mode") {
  constexpr std::array kModes = {
      std::pair{CasMode::kDualWrite, MetadataReadMode::kPrimary},
      std::pair{CasMode::kDualWrite, MetadataReadMode::kShadow},
      std::pair{CasMode::kDualWrite, MetadataReadMode::kLegacy},
      std::pair{CasMode::kOff, MetadataReadMode::kLegacy},
  };
  for (std::uint64_t round = 0; round < rounds(std::uint64_t{12}); ++round) {
    const auto [casMode, readMode] = kModes[round % kModes.size()];
    World world(seed() + round, casMode, readMode);
    for (int i = 0; i < 70; ++i) world.round();
    EXPECT(world.isRenewedAtLast());
  }
}

TEST("series without samples leave memory, and return as new series that survive restarts") {
  Database database;
  setUp(database);
  std::string body;
  for (std::size_t i = 0; i < kSeries; ++i) body += lineOf(i, 1, 1);
  REQUIRE(database.ingest(body).ok() && database.flush().ok());
  const SeriesRef before = *refOf(database, 9);
  const SeriesId id = database.index()->idOf(before);
  std::vector<SeriesId> ids;
  for (std::size_t i = 8; i < kSeries; ++i) {
    ids.push_back(database.index()->idOf(*refOf(database, i)));
  }
  const auto generations = database.stat("index_generations_total");
  REQUIRE(database.remove(ids, kAllTime).ok());
  REQUIRE(awaitGeneration(database, generations));
  EXPECT(database.index()->heldCount() == 8);
  REQUIRE(database.ingest(lineOf(9, 7, 70)).ok());
  const SeriesRef after = *refOf(database, 9);
  EXPECT(after == kSeries && database.index()->idOf(after) == id);
  EXPECT(pointsOf(database, 9) == (Points{{7, 70}}));
  for (const bool isFlushed : {false, true}) {
    if (isFlushed) REQUIRE(database.flush().ok());
    REQUIRE(database.open().ok());
    EXPECT(pointsOf(database, 9) == (Points{{7, 70}}) && pointsOf(database, 3) == (Points{{1, 1}}));
    EXPECT(refOf(database, 9) == after && !refOf(database, 10));
    EXPECT(database.index()->visibleCount() == 9);
  }
}

TEST("removed series leave CATALOG and commits, and a restart in any mode agrees") {
  for (const auto readMode :
       {MetadataReadMode::kPrimary, MetadataReadMode::kShadow, MetadataReadMode::kLegacy}) {
    Database database;
    database.options.metadataReadMode = readMode;
    setUp(database);
    std::string body;
    for (std::size_t i = 0; i < kSeries; ++i) body += lineOf(i, 1, 1);
    REQUIRE(database.ingest(body).ok() && database.flush().ok());
    const std::size_t before = contentOf(database.path("CATALOG")).size();
    std::vector<SeriesId> ids;
    for (std::size_t i = 3; i < kSeries; ++i) {
      ids.push_back(database.index()->idOf(*refOf(database, i)));
    }
    REQUIRE(database.remove(ids, kAllTime).ok());
    REQUIRE(awaitGeneration(database, 0));
    REQUIRE(database.ingest(lineOf(1, 2, 2)).ok() && database.flush().ok());
    EXPECT(contentOf(database.path("CATALOG")).size() < before / 2);
    // The deciding description first, then the other one.
    for (const auto next : {readMode, MetadataReadMode::kLegacy, MetadataReadMode::kPrimary}) {
      database.options.metadataReadMode = next;
      REQUIRE(database.open().ok());
      EXPECT(database.stat("cas_shadow_mismatch_total") == 0);
      const auto index = database.engine().index();
      EXPECT(index->createdCount() == kSeries && index->heldCount() == 3);
      EXPECT(pointsOf(database, 1) == (Points{{1, 1}, {2, 2}}) && !refOf(database, 7));
      EXPECT(database.engine().degradedReasons().empty());
    }
  }
}

TEST("series that only the WAL defines are kept, and all series while a segment is damaged") {
  Database database;
  setUp(database);
  const auto linesOf = [](std::size_t begin, std::size_t end) {
    std::string body;
    for (std::size_t i = begin; i < end; ++i) body += lineOf(i, 1, 1);
    return body;
  };
  const auto idsOf = [&database](std::size_t begin, std::size_t end) {
    std::vector<SeriesId> ids;
    for (std::size_t i = begin; i < end; ++i) {
      ids.push_back(database.index()->idOf(*refOf(database, i)));
    }
    return ids;
  };
  REQUIRE(database.ingest(linesOf(0, 30)).ok() && database.flush().ok());
  REQUIRE(database.ingest(linesOf(30, kSeries)).ok());
  REQUIRE(database.remove(idsOf(10, kSeries), kAllTime).ok());
  REQUIRE(awaitGeneration(database, 0));
  EXPECT(database.index()->heldCount() == 10 + kSeries - 30);
  REQUIRE(database.ingest(lineOf(40, 3, 4)).ok() && database.open().ok());
  EXPECT(pointsOf(database, 40) == (Points{{3, 4}}) && !refOf(database, 11));

  REQUIRE(database.flush().ok());
  const std::string path = database.segmentPaths().at(0);
  const ByteBuffer whole = contentOf(path);
  database.close();
  overwrite(path, Bytes(whole).first(30));
  REQUIRE(database.open().ok());
  REQUIRE(database.ingest(lineOf(50, 9, 9)).ok() && database.flush().ok());
  // The content is checked after each of these.
  for (int i = 0; i < 3; ++i) {
    REQUIRE(database.remove(idsOf(50, 51), {9, 9}).ok());
    REQUIRE(database.ingest(lineOf(50, 9, 9)).ok());
  }
  EXPECT(database.stat("index_generations_total") == 0);
  database.close();
  overwrite(path, whole);
  REQUIRE(database.open().ok());
  EXPECT(pointsOf(database, 40) == (Points{{3, 4}}) && pointsOf(database, 1) == (Points{{1, 1}}));
}

TEST("a database can be closed at any moment of a deletion") {
  std::mt19937_64 random(seed());
  for (int round = 0; round < rounds(24); ++round) {
    Database database;
    setUp(database);
    std::string body;
    for (int i = 0; i < 9000; ++i) body += line("m" + std::to_string(i), i % 5, i);
    REQUIRE(database.ingest(body).ok() && database.flush().ok());
    Removal removal;
    removal.series.name = NameFilter::prefix("m1");
    removal.ranges = {{0, 3}};
    std::promise<void> answered;
    database.engine().remove(removal, [&answered](const auto&) { answered.set_value(); });
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 12'000));
    database.close();
    answered.get_future().wait();
    REQUIRE(database.open().ok());
    EXPECT(database.read("m2") == (Points{{2, 2}}));
  }
}

TEST("after removed series have left, the series limit admits new ones") {
  Database database;
  database.options.series.seriesMax = kSeries;
  REQUIRE(database.open().ok());
  std::string body;
  for (std::size_t i = 0; i < kSeries; ++i) body += lineOf(i, 1, 1);
  REQUIRE(database.ingest(body).ok() && database.flush().ok());
  const SeriesId id = database.index()->idOf(*refOf(database, 5));
  EXPECT(database.ingest(line("new", 1, 1)).code() == StatusCode::kSeriesLimit);
  REQUIRE(database.remove({id}, kAllTime).ok());
  REQUIRE(awaitGeneration(database, 0));
  EXPECT(database.ingest(line("new", 1, 1)).ok());
  EXPECT(database.ingest(line("newer", 1, 1)).code() == StatusCode::kSeriesLimit);
}
