// The engine's memory by part: each part grows with its content, and returns to its old size when
// the content is gone.
#include "storage/state/memory_use.h"

#include <algorithm>
#include <future>
#include <thread>

#include "common/file/read_only_file_system.h"
#include "storage/engine/engine_fixture.h"
#include "storage/engine/engine_open.h"
#include "storage/write/index_renewal.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

MemoryUse useOf(Database& database) { return database.engine().memoryUse(); }

// A background thread frees memtables, and no call waits for it.
std::uint64_t settledMemtables(Database& database, std::uint64_t expected) {
  for (int tries = 0; tries < 10'000 && useOf(database).memtables() != expected; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return useOf(database).memtables();
}

// `count` series with one sample each.
std::string fleet(int count, Timestamp ts, int from = 0) {
  std::string text;
  for (int i = from; i < from + count; ++i) {
    text += R"({"metric":"fleet","labels":{"host":"h)" + std::to_string(i) + R"("},"ts":)" +
            std::to_string(ts) + ",\"value\":1}\n";
  }
  return text;
}

}  // namespace

TEST("ingest and queries get the memory that is left, and at least an eighth of the limit") {
  MemoryUse use;
  EXPECT(use.roomToIngest(800) == 800 && use.roomToQuery(800) == 800);
  use.unflushed = 300;
  use.requests = 100;
  EXPECT(use.roomToIngest(800) == 800 && use.roomToQuery(800) == 400);
  use.flushed = 10;
  use.index = 20;
  use.annotations = 30;
  use.tombstones = 40;
  use.segments = 50;
  use.commits = 60;
  use.lines = 70;
  use.queries = 80;
  EXPECT(use.total() == 760 && use.memtables() == 310);
  EXPECT(use.roomToIngest(800) == 440 && use.roomToQuery(800) == 120);
  use.index = 5000;
  EXPECT(use.roomToIngest(800) == 100 && use.roomToQuery(800) == 100);
}

TEST("a memory account is the sum of its holds, which end with their holders") {
  const auto account = std::make_shared<MemoryAccount>();
  {
    MemoryHold first(account);
    first.set(100);
    MemoryHold moved(std::move(first));
    MemoryHold other(account);
    other.set(50);
    EXPECT(account->bytes() == 150);
    moved.set(30);
    EXPECT(account->bytes() == 80 && moved.bytes() == 30);
    other = std::move(moved);
    EXPECT(other.bytes() == 30);
    MemoryHold nowhere;
    nowhere.set(1000);
  }
  EXPECT(account->bytes() == 0);
}

TEST("a memtable counts while it is written, frozen or read, and not after its flush") {
  for (const Allocator allocator : {Allocator::kSystem, Allocator::kSmallPool}) {
    Database database;
    database.options.allocator = allocator;
    REQUIRE(database.open().ok());
    EXPECT(useOf(database).memtables() == 0);
    EXPECT(database.ingest(lines("m", 10'000)).ok());
    const MemoryUse full = useOf(database);
    EXPECT(full.unflushed >= 10'000 * sizeof(Sample) && full.flushed == 0);
    {
      const auto pinned = database.engine().pinFiles();
      EXPECT(database.flush().ok());
      const MemoryUse read = useOf(database);
      EXPECT(read.unflushed == 0 && read.flushed == full.unflushed);
    }
    EXPECT(settledMemtables(database, 0) == 0);
  }
}

TEST("a segment counts from its flush until it is merged and no reader uses it") {
  Database database;
  REQUIRE(database.open().ok());
  EXPECT(useOf(database).segments == 0);
  std::uint64_t one = 0;
  for (int number = 0; number < 8; ++number) {
    EXPECT(database.ingest(line("m", number, number)).ok() && database.flush().ok());
    if (number == 0) one = useOf(database).segments;
  }
  EXPECT(one > 0 && useOf(database).segments == 8 * one);
  {
    const auto pinned = database.engine().pinFiles();
    EXPECT(database.compact().ok());
    EXPECT(useOf(database).segments == 9 * one);
  }
  EXPECT(useOf(database).segments == one);
  // The same after a restart.
  REQUIRE(database.open().ok());
  EXPECT(useOf(database).segments == one);
}

TEST("memory of index, annotations and commits grows with them, and is equal after a restart") {
  Database database;
  REQUIRE(database.open().ok());
  const MemoryUse before = useOf(database);
  EXPECT(before.annotations == 0);
  EXPECT(database.ingest(fleet(2000, 1)).ok());
  const MemoryUse grown = useOf(database);
  EXPECT(grown.index > before.index + 2000 * 32);
  EXPECT(database.ingest(fleet(2000, 2)).ok());
  EXPECT(useOf(database).index == grown.index);

  std::promise<Status> annotated;
  Annotation annotation;
  annotation.title = std::string(1000, 'x');
  database.engine().annotate(
      annotation, [&annotated](Result<Annotation> done) { annotated.set_value(done.status()); });
  EXPECT(annotated.get_future().get().ok());
  EXPECT(useOf(database).annotations >= 1000);

  EXPECT(database.flush().ok());
  const MemoryUse flushed = useOf(database);
  EXPECT(flushed.commits > before.commits);
  REQUIRE(database.open().ok());
  EXPECT(useOf(database).index == flushed.index);
  EXPECT(useOf(database).annotations == flushed.annotations);
  EXPECT(useOf(database).commits > before.commits);
}

TEST("a past state counts with the database beside which it is open, until it is closed") {
  Database database;
  REQUIRE(database.open().ok());
  EXPECT(database.ingest(fleet(2000, 1)).ok());
  std::promise<Status> named;
  database.engine().createSnapshot("a", [&named](Status done) { named.set_value(done); });
  REQUIRE(named.get_future().get().ok());
  const MemoryUse before = useOf(database);
  EXPECT(before.past == 0);
  {
    Database past(readOnlyFileSystem());
    past.options = database.options;
    past.options.isReadOnly = true;
    past.options.isLockHeld = true;
    past.options.snapshot = "a";
    past.options.counted = database.engine().memory();
    REQUIRE(past.open().ok());
    EXPECT(useOf(database).past >= before.index);
    EXPECT(useOf(database).segments == 2 * before.segments);
    EXPECT(useOf(past).past == 0 && useOf(past).index > 0);
  }
  EXPECT(useOf(database).past == 0 && useOf(database).segments == before.segments);
}

TEST("deletions count by their series until they are applied everywhere") {
  Database database;
  REQUIRE(database.open().ok());
  EXPECT(database.ingest(fleet(100, 1)).ok() && database.flush().ok());
  EXPECT(useOf(database).tombstones == 0);
  std::vector<SeriesId> ids;
  const auto index = database.engine().index();
  for (SeriesRef ref = 0; ref < 100; ++ref) ids.push_back(index->idOf(ref));
  EXPECT(database.remove(ids, {0, 10}).ok());
  EXPECT(useOf(database).tombstones >= 100 * sizeof(SeriesRef));
  EXPECT(database.flush().ok() && database.compact().ok());
  EXPECT(useOf(database).tombstones == 0);
}

TEST("cached lines of a parser count until the parser is destroyed") {
  Database database;
  REQUIRE(database.open().ok());
  Engine& engine = database.engine();
  EXPECT(useOf(database).lines == 0);
  auto state = ParserState::make(engine.indexes(), kMiB, engine.memory().lines);
  const std::uint64_t empty = useOf(database).lines;
  for (int turn = 0; turn < 2; ++turn) {
    const auto parser = makeNdjsonParser(*state, {});
    EXPECT(parser->write(asBytes(fleet(500, turn))).ok() && parser->finish().ok());
    std::promise<void> done;
    engine.commit(parser->take(), 0, [&done](const auto&) { done.set_value(); });
    done.get_future().wait();
  }
  EXPECT(useOf(database).lines > empty && useOf(database).lines <= kMiB);
  state.reset();
  EXPECT(useOf(database).lines == 0);
}

TEST("a memtable is flushed before ingest runs out of memory, and ingest always has some") {
  Database database;
  REQUIRE(database.open().ok());
  EXPECT(database.ingest(fleet(1000, 0)).ok() && database.ingest(lines("m", 1)).ok());
  EXPECT(database.flush().ok() && settledMemtables(database, 0) == 0);
  // Far less than the index, which cannot be freed; ingest still has an eighth of the limit.
  EngineLimits limits = database.engine().limits();
  limits.memoryLimitBytes = kMiB;
  REQUIRE(useOf(database).index > limits.memoryLimitBytes);
  database.engine().configure(limits);
  EXPECT(database.engine().admit().ok());
  database.engine().holdBytes(kMiB / MemoryUse::kShares);
  EXPECT(database.engine().admit().code() == StatusCode::kBackpressure);
  EXPECT(database.stat("ingest_rejected_mem_limit_total") == 1);
  database.engine().holdBytes(-static_cast<std::int64_t>(kMiB / MemoryUse::kShares));
  // At most half of it waits for a flush.
  const double flushes = database.stat("flush_total");
  EXPECT(database.ingest(lines("m", 10'000)).ok());
  EXPECT(settledMemtables(database, 0) == 0);
  EXPECT(database.stat("flush_total") == flushes + 1);
  EXPECT(database.engine().admit().ok());
  EXPECT(database.read("m")->size() == 10'000);
}

TEST("new series that would pass seven eighths of the memory limit are refused at commit") {
  Database database;
  REQUIRE(database.open().ok());
  EXPECT(database.ingest(fleet(1000, 0)).ok() && database.ingest(lines("m", 1)).ok());
  // The request was parsed while there was room.
  auto state = ParserState::make(database.engine().indexes(), kMiB, nullptr);
  const auto parser = makeNdjsonParser(*state, {});
  EXPECT(parser->write(asBytes(fleet(20'000, 1))).ok() && parser->finish().ok());
  EngineLimits limits = database.engine().limits();
  limits.memoryLimitBytes = useOf(database).index / 7 * 8;
  database.engine().configure(limits);
  std::promise<Status> done;
  database.engine().commit(parser->take(), 0,
                           [&done](const auto& report) { done.set_value(report.status()); });
  EXPECT(done.get_future().get().code() == StatusCode::kSeriesLimit);
  EXPECT(database.ingest(lines("m", 2)).ok());
}

TEST("a new index generation counts while it is built, and the replaced one stops counting") {
  constexpr int kFleet = 8000;
  Database database;
  REQUIRE(database.open().ok());
  REQUIRE(database.ingest(fleet(kFleet, 1)).ok());
  std::vector<SeriesId> ids;
  {
    const auto index = database.engine().index();
    for (SeriesRef ref = 0; ref < kFleet / 2; ++ref) ids.push_back(index->idOf(ref));
  }
  REQUIRE(database.remove(ids, kAllTime).ok() && database.compact().ok());
  database.close();
  const auto opened = openDatabase(posixFileSystem(), database.options);
  REQUIRE(opened.ok());
  EngineOwners& owners = *opened.value();
  const auto indexBytes = [&owners] {
    return memoryUseOf(owners.sources, owners.writes.activeDescriptors, owners.figures).index;
  };
  const std::uint64_t before = indexBytes();
  std::vector<std::uint64_t> seen;
  bool isEnded = true;
  const auto otherWork = [&] {
    seen.push_back(indexBytes());
    return isEnded ? IndexRenewal::Work::kEnd : IndexRenewal::Work::kNone;
  };
  IndexRenewal renewal(owners.settings, owners.sources, owners.description.manifest,
                       owners.figures.counters, otherWork);
  const auto atOnce = [](const Committer::Turn& turn) {
    while (turn()) continue;
    return true;
  };
  EXPECT(!renewal.run(atOnce) && indexBytes() == before);
  isEnded = false;
  seen.clear();
  EXPECT(renewal.run(atOnce));
  REQUIRE(seen.size() >= 4);
  EXPECT(std::ranges::is_sorted(seen) && seen.back() > before + kFleet / 4 * 32);
  EXPECT(indexBytes() < before);
}

LONE_TEST("segment directories take at most a byte of memory per chunk, also after a restart") {
  constexpr int kFleet = 50'000;
  Database database;
  REQUIRE(database.open().ok());
  for (const Timestamp ts : {1, 2}) {
    for (int from = 0; from < kFleet; from += kFleet / 5) {
      REQUIRE(database.ingest(fleet(kFleet / 5, ts, from)).ok());
    }
    REQUIRE(database.flush().ok());
  }
  double chunks = 0;
  for (const SegmentFacts& facts : database.engine().segmentsNow().first) {
    chunks += static_cast<double>(facts.chunkCount);
  }
  EXPECT(chunks >= 2 * kFleet);
  EXPECT(static_cast<double>(useOf(database).segments) <= chunks);
  // A start reads the chunk directories.
  REQUIRE(database.open().ok());
  EXPECT(static_cast<double>(useOf(database).segments) <= chunks);
}

TEST("memory figures list every part and their sum") {
  Database database;
  REQUIRE(database.open().ok());
  EXPECT(database.ingest(fleet(100, 1)).ok() && database.flush().ok());
  database.engine().holdBytes(1234);
  std::map<std::string, double> told;
  for (auto& [name, value] : database.engine().stats()) told[name] = value;
  database.engine().holdBytes(-1234);
  double sum = 0;
  for (const char* part : {"memtable", "request", "index", "annotation", "tombstone", "segment",
                           "commit", "line", "query"}) {
    sum += told.at("memory_" + std::string(part) + "_bytes");
  }
  EXPECT(told["memory_request_bytes"] == 1234 && told["memory_index_bytes"] > 0);
  EXPECT(told["memory_used_bytes"] == sum);
  double ofIndex = 0;
  for (const char* part : {"table", "series", "bounds", "posting", "text", "label"}) {
    EXPECT(told.at("index_" + std::string(part) + "_bytes") > 0);
    ofIndex += told["index_" + std::string(part) + "_bytes"];
  }
  EXPECT(told["memory_index_bytes"] == ofIndex);
  EXPECT(told["memory_limit_bytes"] == static_cast<double>(std::uint64_t{1} << 30));
}
