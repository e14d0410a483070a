// The age of deletions that were made before the database was opened.
#include "timed_database.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

constexpr Timestamp kStepMs = 600'000;
constexpr int kDaysBefore = 18;

// Stores a day of live samples and runs due compactions.
void passDay(TimedDatabase& timed) {
  std::string body;
  for (Timestamp ts = timed.time.wallMs(); ts < timed.time.wallMs() + kDayMs; ts += kStepMs) {
    body += line("m", ts, static_cast<double>(ts / kStepMs % 97));
  }
  // A running server also checks for due work again after a while.
  for (const Timestamp passed : {kDayMs / 2, kDayMs / 2}) {
    REQUIRE(timed.compactDue().ok());
    timed.time.advance(passed);
  }
  REQUIRE(timed.database.ingest(body).ok() && timed.database.flush().ok());
}

}  // namespace

TEST("a small deletion is applied within weeks, although the database restarts every day") {
  TimedDatabase timed;
  REQUIRE(timed.open().ok());
  for (int day = 0; day < kDaysBefore; ++day) passDay(timed);
  const auto index = timed.database.index();
  const SeriesId id = index->idOf(*index->findByName("m").value());
  REQUIRE(timed.database.remove({id}, {kBegin + kDayMs, kBegin + kDayMs + 5 * kStepMs}).ok());
  const Points left = timed.database.read("m").value();
  int days = 0;
  do {
    passDay(timed);
    REQUIRE(timed.open().ok());
    ++days;
  } while (days < 30 && !timed.manifest().tombstones.empty());
  // Its samples are in a partition that closed long ago. The next one, of eight days, closes a day
  // after its end; that gives the minimum age of the deletion.
  EXPECT(days >= 7 && days <= 18);
  Points found = timed.database.read("m").value();
  found.erase(found.upper_bound(left.rbegin()->first), found.end());
  EXPECT(found == left && left.size() == kDaysBefore * 144 - 6);
}
