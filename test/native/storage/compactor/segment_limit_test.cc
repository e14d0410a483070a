// Very many segments: a warning before the limit, refusal at it, and opening past the last mapping.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "common/file/guarded_mapping.h"
#include "storage/engine/engine_fixture.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

constexpr Timestamp kDay = 86'400'000;

// One segment, of one sample.
Status addSegment(Database& database, int number) {
  EXPECT(database.ingest(line("m", number, number)).ok());
  return database.flush();
}

bool isTold(Database& database, std::string_view part) {
  const auto reasons = database.engine().degradedReasons();
  return std::any_of(reasons.begin(), reasons.end(), [part](const std::string& reason) {
    return reason.find(part) != std::string::npos;
  });
}

}  // namespace

TEST("many segments are reported before a flush is refused, and refused samples are not lost") {
  Database database;
  database.options.segmentCountMax = 8;
  REQUIRE(database.open().ok());
  Points expected;
  for (int number = 0; number < 8; ++number) {
    EXPECT(isTold(database, "segments") == (number >= 2));
    EXPECT(addSegment(database, number).ok());
    expected[number] = number;
  }
  for (int number = 8; number < 10; ++number) {
    EXPECT(addSegment(database, number).code() == StatusCode::kExhausted);
    expected[number] = number;
  }
  EXPECT(isTold(database, "a flush failed: there are 8 segments, and no more than 8 can be had"));
  EXPECT(database.read("m") == expected);
  REQUIRE(database.open().ok());
  EXPECT(isTold(database, "there are 8 segments"));
  EXPECT(database.read("m") == expected);
  EXPECT(database.flush().code() == StatusCode::kExhausted);
  database.options.segmentCountMax = 9;
  REQUIRE(database.open().ok());
  EXPECT(database.flush().ok() && database.stat("segments") == 9);
  EXPECT(database.read("m") == expected);
}

TEST("a flush refused at the segment limit succeeds after a compaction") {
  Database database;
  database.options.segmentCountMax = 3;
  REQUIRE(database.open().ok());
  Points expected;
  for (int number = 0; number < 3; ++number) {
    EXPECT(addSegment(database, number).ok());
    expected[number] = number;
  }
  EXPECT(addSegment(database, 3).code() == StatusCode::kExhausted);
  expected[3] = 3;
  EXPECT(database.segmentPaths().size() == 3);
  EXPECT(database.compact().ok());
  EXPECT(database.flush().ok());
  EXPECT(database.stat("segments") == 2 && database.stat("memtable_samples") == 0);
  EXPECT(database.read("m") == expected);
}

TEST("when no flush is possible, ingest continues up to the memory limit") {
  Database database;
  database.options.segmentCountMax = 1;
  database.options.memtableMaxBytes = 1 << 16;
  database.options.memoryLimitBytes = 1 << 20;
  REQUIRE(database.open().ok());
  EXPECT(addSegment(database, 1).ok());
  int count = 1000;
  while (database.engine().admit().ok() && count < 1'000'000) {
    std::string text;
    for (const int end = count + 1000; count < end; ++count) text += line("m", count, count);
    REQUIRE(database.ingest(text).ok());
  }
  EXPECT(database.engine().admit().code() == StatusCode::kBackpressure);
  const auto points = database.read("m");
  REQUIRE(points);
  EXPECT(points->size() == static_cast<std::size_t>(count - 1000 + 1));
}

TEST("a database opens, reads and flushes when no file mapping is left") {
  Database database;
  REQUIRE(database.open().ok());
  Points expected;
  for (int number = 0; number < 4; ++number) {
    EXPECT(addSegment(database, number).ok());
    expected[number] = number;
  }
  database.close();
  const int descriptor = ::open(database.path("CATALOG").c_str(), O_RDONLY | O_CLOEXEC);
  REQUIRE(descriptor >= 0);
  std::vector<std::unique_ptr<GuardedMapping>> all;
  while (auto mapping = GuardedMapping::make(descriptor, 1)) all.push_back(std::move(mapping));
  ::close(descriptor);
  REQUIRE(database.open().ok());
  EXPECT(addSegment(database, 4).ok());
  expected[4] = 4;
  EXPECT(database.stat("segments") == 5 && database.stat("segments_quarantined") == 0);
  EXPECT(database.read("m") == expected && database.engine().degradedReasons().empty());
}

TEST("a lack of file descriptors refuses a start and quarantines no segment") {
  FaultyFileSystem fs(posixFileSystem());
  Database database(fs);
  REQUIRE(database.open().ok());
  EXPECT(addSegment(database, 1).ok() && addSegment(database, 2).ok());
  database.close();
  fs.failAt(Operation::kOpenRead, 2, StatusCode::kExhausted);
  EXPECT(database.open().code() == StatusCode::kExhausted);
  REQUIRE(database.open().ok());
  EXPECT(database.stat("segments") == 2 && database.read("m") == (Points{{1, 1}, {2, 2}}));
}
