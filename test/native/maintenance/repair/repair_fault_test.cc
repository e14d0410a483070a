// Repairs that fail, or that a power loss ends, at every operation: the next repair finishes.
#include "maintenance/ending_fixture.h"
#include "maintenance/repair/repair_fixture.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

RepairWishes everything() { return {false, true, TimestampUnit::kMilliseconds}; }

// All damage that one repair can fix together.
void damageAll(Database& database, const std::string& description) {
  const std::string& in = database.options.directory;
  files::remove(in + "/ROOT");
  flip(in + "/" + description, 30);
  const std::string log = database.path("wal/" + database.files("wal").back());
  flip(log, recordBounds(seriesdb::test::contentOf(log))[2] + log_frame::kPayloadOffset);
  flip(database.segmentPaths().front(), 25);
  files::remove(database.segmentPaths().back());
}

}  // namespace

LONE_TEST("a repair that fails or loses power at any operation is finished by the next one") {
  const std::uint64_t first = 1 + seed() % kOddStride;
  for (const char* description : {"MANIFEST", "REFS"}) {
    Database database;
    fillForRepair(database);
    database.close();
    const std::string& in = database.options.directory;
    damageAll(database, description);
    const Tree damaged = treeOf(in);
    EXPECT(isIn(R"("kind":"end","status":"ok")", repaired(in, everything())));
    const std::string expected = contentIn(in);
    EXPECT(!expected.empty());
    for (const Operation operation : kOperations) {
      bool isDone = false;
      for (std::uint64_t nth = first; !isDone; nth += kOddStride) {
        putTree(in, damaged);
        FaultyFileSystem fs(posixFileSystem());
        fs.failAt(operation, nth);
        const auto failed = repaired(in, everything(), fs);
        isDone = fs.count(operation) < nth;
        fs.heal();
        if (nth % 2 == 0) fs.losePower();
        const auto again = repaired(in, everything());
        EXPECT(isIn(R"("kind":"end","status":"ok")", again));
        EXPECT(isWhole(in));
        EXPECT(contentIn(in) == expected);
        EXPECT(isIn(R"("mended":0,"planned":0,"left":0)", repaired(in)));
      }
    }
    expectSameInAllModes(database, expected);
  }
}

LONE_TEST("a repair ended by a power cut or full disk at any change is finished by the next") {
  QuickDisk disk;
  for (const char* description : {"MANIFEST", "REFS"}) {
    Database database(disk.fs);
    fillForRepair(database);
    database.close();
    const std::string& in = database.options.directory;
    damageAll(database, description);
    const Tree damaged = treeOf(in);
    EXPECT(isIn(R"("kind":"end","status":"ok")", repaired(in, everything(), disk.fs)));
    const std::string expected = contentIn(in, disk.fs);
    forEachEnding([&](Ending ending, std::uint64_t nth) {
      putTree(in, damaged);
      bool isDone = false;
      const bool isMet = end(ending, nth, isDone, [&](FileSystem& fs) {
        return isIn(R"("kind":"end","status":"ok")", repaired(in, everything(), fs));
      });
      if (isDone) EXPECT(isWhole(in));
      EXPECT(isIn(R"("kind":"end","status":"ok")", repaired(in, everything(), disk.fs)));
      EXPECT(isWhole(in) && contentIn(in, disk.fs) == expected);
      EXPECT(isIn(R"("mended":0,"planned":0,"left":0)", repaired(in, {}, disk.fs)));
      return isMet;
    });
    expectSameInAllModes(database, expected);
  }
}
