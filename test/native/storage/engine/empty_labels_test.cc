#include "storage/engine/empty_labels.h"

#include <future>

#include "storage/engine/engine_fixture.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

// Stores like an older program, which kept labels with empty values.
Status storeAsBefore(Database& database, OwnedLabels labels, Points points) {
  StagedSamples staged;
  staged.pendingSeries.push_back({"m", std::move(labels)});
  for (const auto& [ts, value] : points) {
    staged.refs.add(kPendingBit);
    staged.ts.add(ts);
    staged.values.add(value);
  }
  std::promise<Status> answer;
  database.engine().commit(std::move(staged), 0, [&answer](const Result<IngestReport>& report) {
    answer.set_value(report.status());
  });
  return answer.get_future().get();
}

}  // namespace

TEST("series that differ only by empty labels become one at the next start") {
  for (const bool isFlushed : {false, true}) {
    Database database;
    REQUIRE(database.open().ok());
    REQUIRE(storeAsBefore(database, {{"a", ""}}, {{1, 10}, {2, 20}, {4, 40}}).ok());
    if (isFlushed) REQUIRE(database.flush().ok());
    REQUIRE(storeAsBefore(database, {}, {{2, 2}, {3, 3}}).ok());
    REQUIRE(storeAsBefore(database, {{"a", ""}, {"b", ""}}, {{5, 50}}).ok());
    EXPECT(database.index()->visibleCount() == 3);
    for (int start = 0; start < 3; ++start) {
      REQUIRE(database.open().ok());
      EXPECT(database.index()->visibleCount() == 1);
      EXPECT(database.index()->withEmptyLabel().empty());
      EXPECT(database.read("m") == (Points{{1, 10}, {2, 2}, {3, 3}, {4, 40}, {5, 50}}));
      if (start == 1) REQUIRE(database.flush().ok());
    }
    REQUIRE(database.compact().ok());
    EXPECT(database.read("m") == (Points{{1, 10}, {2, 2}, {3, 3}, {4, 40}, {5, 50}}));
  }
}

TEST("a start removes empty labels of a series, and a read-only open keeps them") {
  Database database;
  REQUIRE(database.open().ok());
  Points points;
  for (int i = 0; i < 200'000; ++i) points[i] = i;
  REQUIRE(storeAsBefore(database, {{"a", ""}, {"b", "x"}}, points).ok());
  REQUIRE(database.flush().ok());
  database.options.isReadOnly = true;
  REQUIRE(database.open().ok());
  EXPECT(database.index()->withEmptyLabel().size() == 1);
  database.options.isReadOnly = false;
  REQUIRE(database.open().ok());
  EXPECT(database.index()->withEmptyLabel().empty());
  const std::vector<Label> labels{{"b", "x"}};
  EXPECT(database.index()->findExact("m", labels).has_value());
  EXPECT(database.read("m") == points);
}

TEST("a series with an empty label stays while the series limit has no room for its copy") {
  Database database;
  REQUIRE(database.open().ok());
  REQUIRE(storeAsBefore(database, {{"a", ""}}, {{1, 10}}).ok());
  database.options.series.seriesMax = 1;
  REQUIRE(database.open().ok());
  EXPECT(database.read("m") == (Points{{1, 10}}));
  database.options.series.seriesMax = 0;
  REQUIRE(database.open().ok());
  EXPECT(database.index()->withEmptyLabel().empty());
  EXPECT(database.read("m") == (Points{{1, 10}}));
}
