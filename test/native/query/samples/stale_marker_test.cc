// Stale markers: stored unchanged, and hidden from all reads of values.
#include "common/types/stale_marker.h"

#include "storage/engine/engine_fixture.h"
#include "storage/view/merge_cursor.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

// All samples of the only series, bit for bit.
std::vector<double> stored(Database& database) {
  const auto view = database.engine().pinView(kAllTime);
  MergeCursor cursor(view.value(), *database.index()->find("m|{}"), kAllTime);
  std::vector<Timestamp> ts;
  std::vector<double> values;
  for (std::size_t before = SIZE_MAX; before != ts.size();) {
    before = ts.size();
    CHECK(cursor.next(1000, ts, values).ok());
  }
  return values;
}

TEST("a stale marker replaces a sample and is stored, but is not returned") {
  Database database;
  REQUIRE(database.open().ok());
  REQUIRE(database.ingest(line("m", 1, 1) + line("m", 2, 2) + line("m", 3, 3)).ok());
  REQUIRE(database.ingest(line("m", 2, kAsStale) + line("m", 4, kAsStale)).ok());
  for (int round = 0; round < 4; ++round) {
    EXPECT(database.read("m") == (Points{{1, 1}, {3, 3}}));
    EXPECT(database.read("m", {4, 9}) == Points{});
    EXPECT(database.read("m", {2, 2}) == Points{});
    const std::vector<double> values = stored(database);
    REQUIRE(values.size() == 4);
    EXPECT(!isStale(values[0]) && isStale(values[1]) && !isStale(values[2]) && isStale(values[3]));
    if (round == 0) REQUIRE(database.flush().ok());
    if (round == 1) REQUIRE(database.compact().ok());
    if (round == 2) REQUIRE(database.open().ok());
  }
  // Samples written there afterwards are visible again.
  REQUIRE(database.ingest(line("m", 2, 7)).ok());
  EXPECT(database.read("m") == (Points{{1, 1}, {2, 7}, {3, 3}}));
}

TEST("a series of only stale markers reads as empty") {
  Database database;
  REQUIRE(database.open().ok());
  std::string text;
  for (Timestamp ts = 0; ts < 20'000; ++ts) text += line("m", ts, kAsStale);
  REQUIRE(database.ingest(text).ok());
  EXPECT(database.readText("m").value() == "[]");
  REQUIRE(database.flush().ok());
  EXPECT(database.readText("m").value() == "[]");
  REQUIRE(database.ingest(line("m", 30'000, 1)).ok());
  EXPECT(database.read("m") == (Points{{30'000, 1}}));
}

}  // namespace
