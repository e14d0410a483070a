// The limit on the number of deletions, and deletions that need no room.
#include <chrono>
#include <future>
#include <optional>
#include <string_view>
#include <thread>

#include "storage/engine/engine_fixture.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

std::optional<SeriesRef> refOf(Database& database, std::string_view metric) {
  return database.index()->findByName(metric).value();
}

// Deletes from an existing metric without labels.
Status remove(Database& database, std::string_view metric, TimeRange range) {
  const auto index = database.index();
  return database.remove({index->idOf(*refOf(database, metric))}, range);
}

}  // namespace

TEST("deletions past the limit are refused, until the flush that they trigger") {
  Database database;
  database.options.tombstoneRefsMax = 3 * kTombstoneWeight + 2;
  REQUIRE(database.open().ok());
  REQUIRE(database.ingest(line("a", 1, 1) + line("b", 1, 1) + line("c", 1, 1)).ok());
  REQUIRE(database.flush().ok());
  // Two weigh less than three quarters of the limit; a third one weighs more than the rest.
  REQUIRE(remove(database, "a", {0, 5}).ok());
  REQUIRE(remove(database, "b", {0, 5}).ok());
  EXPECT(remove(database, "c", {0, 5}).code() == StatusCode::kQueryLimit);
  EXPECT(database.stat("request_bytes") == 0);
  REQUIRE(database.ingest(line("d", 1, 1)).ok());
  bool isDeleted = false;
  for (int tries = 0; tries < 10'000 && !isDeleted; ++tries) {
    isDeleted = remove(database, "c", {0, 5}).ok();
    if (!isDeleted) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  REQUIRE(isDeleted);
  REQUIRE(database.open().ok());
  EXPECT(!refOf(database, "c"));
  EXPECT(database.read("d") == (Points{{1, 1}}));
}

TEST("deletions that reach three quarters of the limit trigger a flush") {
  Database database;
  database.options.tombstoneRefsMax = 4 * kTombstoneWeight + 4;
  REQUIRE(database.open().ok());
  REQUIRE(database.ingest(line("a", 1, 1) + line("b", 1, 1) + line("c", 1, 1)).ok());
  REQUIRE(database.flush().ok());
  for (const char* metric : {"a", "b", "c"}) REQUIRE(remove(database, metric, {0, 5}).ok());
  for (int tries = 0; tries < 10'000 && database.stat("tombstones") > 1; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT(database.stat("tombstones") <= 1);
}

TEST("a deletion by name in a range without samples leaves no tombstone") {
  Database database;
  REQUIRE(database.open().ok());
  REQUIRE(database.ingest(line("m", 10, 1) + line("m", 20, 2)).ok());
  const auto removeAt = [&database](Timestamp start, Timestamp end) {
    Removal removal;
    removal.series.name = NameFilter::exact("m");
    removal.ranges = {{start, end}};
    std::promise<std::uint64_t> selected;
    database.engine().remove(removal, [&](const auto& removed) {
      selected.set_value(removed.ok() ? removed.value() : 0);
    });
    return selected.get_future().get();
  };
  EXPECT(removeAt(0, 9) == 1 && removeAt(21, 99) == 1);
  EXPECT(database.stat("tombstones") == 0);
  EXPECT(removeAt(20, 99) == 1);
  EXPECT(database.stat("tombstones") == 1);
  EXPECT(database.read("m") == (Points{{10, 1}}));
}
