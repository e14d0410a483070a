// An undelete restores everything that a snapshot has and the database lacks, and nothing else.
#include "maintenance/undelete.h"

#include <array>
#include <random>

#include "backup_fixture.h"
#include "faulty_file_system.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

Result<std::string> undelete(Database& database, UndeleteRequest request) {
  Undelete reader(database.engine(), readOnlyFileSystem(), std::move(request));
  return run(reader);
}

UndeleteRequest everythingOf(std::string name) {
  return {{std::move(name), {}, {}}, {}, kAllTime, false};
}

Status removeAll(Database& database, const std::string& metric, TimeRange range) {
  Removal removal;
  removal.series.name = NameFilter::exact(metric);
  removal.ranges = {range};
  return database.remove(std::move(removal)).status();
}

// A database whose samples of `m` at 1 to 4 were in a snapshot "a"; all except 2 are gone.
void lose(Database& database) {
  REQUIRE(database.open().ok());
  REQUIRE(database.ingest(line("m", 1, 1) + line("m", 2, 2) + line("m", 3, 3)).ok());
  REQUIRE(database.ingest(line("m", 4, 4) + line("other", 1, 1)).ok());
  REQUIRE(snapshot(database, "a").ok());
  REQUIRE(removeAll(database, "m", kAllTime).ok());
  REQUIRE(database.ingest(line("m", 2, 20) + line("m", 9, 9)).ok());
}

}  // namespace

TEST("an undelete restores samples of the snapshot and keeps existing ones") {
  Database database;
  lose(database);
  UndeleteRequest counting = everythingOf("a");
  counting.isDryRun = true;
  const auto counted = undelete(database, counting);
  EXPECT(isIn(R"({"kind":"plan","dry_run":true,"series":2})", counted));
  EXPECT(
      isIn(R"("dry_run":true,"series":2,"restored_series":1,"samples":3,"present":2})", counted));
  EXPECT(database.read("m") == (Points{{2, 20}, {9, 9}}));

  UndeleteRequest some = everythingOf("a");
  some.range = {3, 3};
  EXPECT(isIn(R"("samples":1,"present":0})", undelete(database, some)));
  EXPECT(database.read("m") == (Points{{2, 20}, {3, 3}, {9, 9}}));
  UndeleteRequest others = everythingOf("a");
  others.series.name = NameFilter::exact("other");
  EXPECT(isIn(R"("restored_series":0,"samples":0,"present":1})", undelete(database, others)));

  EXPECT(isIn(R"("restored_series":1,"samples":2,"present":3})",
              undelete(database, everythingOf("a"))));
  const Points all{{1, 1}, {2, 20}, {3, 3}, {4, 4}, {9, 9}};
  EXPECT(database.read("m") == all);
  EXPECT(isIn(R"("samples":0,"present":5})", undelete(database, everythingOf("a"))));
  REQUIRE(database.compact().ok());
  for (const MetadataReadMode mode : kReadModes) {
    database.options.metadataReadMode = mode;
    REQUIRE(database.open().ok());
    EXPECT(database.read("m") == all);
  }
}

TEST("an undelete restores a series that the database no longer has") {
  Database database;
  REQUIRE(database.open().ok());
  fill(database, 0);
  REQUIRE(snapshot(database, "a").ok());
  const std::string content = contentOf(database);
  // A copy of another state, as if CATALOG had been written without these series.
  Database other;
  other.options.directory = freshPath("other");
  const std::string backup = freshPath("backup");
  REQUIRE(backUp(database, backup).ok());
  REQUIRE(restored(backup, other.options.directory).ok());
  REQUIRE(other.open().ok());
  for (const char* metric : {"m0", "m1", "m2", "same", "late"}) {
    REQUIRE(removeAll(other, metric, kAllTime).ok());
  }
  REQUIRE(other.compact().ok());
  EXPECT(other.index()->visibleCount() == 0);
  REQUIRE(undelete(other, everythingOf("a")).ok());
  EXPECT(contentOf(other) == content);
}

TEST("an undelete refuses unknown snapshots and invalid ranges, and ends if cancelled") {
  Database database;
  lose(database);
  const auto codeOf = [&](UndeleteRequest request) {
    return undelete(database, std::move(request)).status().code();
  };
  EXPECT(codeOf(everythingOf("b")) == StatusCode::kSnapshotNotFound);
  UndeleteRequest backwards = everythingOf("a");
  backwards.range = {2, 1};
  EXPECT(codeOf(backwards) == StatusCode::kInvalidArgument);
  Undelete cancelled(database.engine(), readOnlyFileSystem(), everythingOf("a"));
  std::string piece;
  REQUIRE(cancelled.next(piece).ok());
  cancelled.cancel();
  EXPECT(cancelled.next(piece).code() == StatusCode::kClosed);
  Undelete late(database.engine(), readOnlyFileSystem(), everythingOf("a"));
  REQUIRE(late.next(piece).ok());
  REQUIRE(database.engine().close().ok());
  EXPECT(late.next(piece).code() == StatusCode::kClosed);
}

TEST("samples that arrive during an undelete keep their arrived values") {
  Database database;
  lose(database);
  for (const bool isFirst : {true, false}) {
    StagedSamples samples;
    const Timestamp ts = isFirst ? 3 : 4;
    samples.pendingSeries = {{"m", {}}};
    samples.refs = {kPendingBit, kPendingBit};
    samples.ts = {ts, ts + 10};
    samples.values = {-1, -1};
    std::future<Status> written;
    std::promise<Result<IngestReport>> restored;
    if (isFirst) written = database.beginIngest(line("m", ts, 30));
    database.engine().commitMissing(std::move(samples), 0,
                                    [&](auto report) { restored.set_value(std::move(report)); });
    if (!isFirst) written = database.beginIngest(line("m", ts, 30));
    REQUIRE(written.get().ok());
    const auto report = restored.get_future().get();
    REQUIRE(report.ok());
    EXPECT(report.value().ingested == (isFirst ? 1 : 2));
  }
  EXPECT(database.read("m") == (Points{{2, 20}, {3, 30}, {4, 30}, {9, 9}, {13, -1}, {14, -1}}));
}

TEST("pending series are restored whole if they are new, else only their missing samples") {
  Database database;
  REQUIRE(database.open().ok());
  REQUIRE(database.ingest(line("known", 1, 10)).ok());
  StagedSamples samples;
  samples.pendingSeries = {{"new", {{"host", "a"}}}, {"known", {}}};
  samples.refs = {kPendingBit, kPendingBit, kPendingBit | 1, kPendingBit | 1};
  samples.ts = {1, 2, 1, 2};
  samples.values = {1, 2, 1, 2};
  std::promise<Result<IngestReport>> stored;
  database.engine().commitMissing(std::move(samples), 0,
                                  [&](auto report) { stored.set_value(std::move(report)); });
  const auto report = stored.get_future().get();
  REQUIRE(report.ok());
  EXPECT(report.value().ingested == 3);
  EXPECT(database.read("new") == (Points{{1, 1}, {2, 2}}));
  EXPECT(database.read("known") == (Points{{1, 10}, {2, 2}}));
}

TEST("all samples of a series that the state never had count as missing") {
  Database database;
  REQUIRE(database.open().ok());
  REQUIRE(database.ingest(line("m", 1, 1)).ok());
  REQUIRE(snapshot(database, "early").ok());
  REQUIRE(database.ingest(line("m", 2, 2) + line("new", 1, 1) + line("new", 2, 2)).ok());
  REQUIRE(snapshot(database, "late").ok());
  Database early(readOnlyFileSystem());
  early.options.directory = database.options.directory;
  early.options.isReadOnly = true;
  early.options.isLockHeld = true;
  early.options.snapshot = "early";
  REQUIRE(early.open().ok());
  UndeleteRequest counting = everythingOf("late");
  counting.isDryRun = true;
  EXPECT(isIn(R"("restored_series":2,"samples":3,"present":1})", undelete(early, counting)));
  EXPECT(undelete(early, everythingOf("late")).status().code() == StatusCode::kStorageUnavailable);
}

TEST("an undelete of many batches restores all samples") {
  Database database;
  REQUIRE(database.open().ok());
  constexpr Timestamp kLong = 150'000;
  constexpr int kSeries = 2500;
  std::string body;
  for (Timestamp ts = 0; ts < kLong; ++ts) body += line("long", ts, static_cast<double>(ts % 7));
  for (int i = 0; i < kSeries; ++i) body += line("s" + std::to_string(i), i, i);
  REQUIRE(database.ingest(body).ok());
  REQUIRE(snapshot(database, "a").ok());
  const std::string content = contentOf(database);
  Removal all;
  all.ranges = {kAllTime};
  REQUIRE(database.remove(std::move(all)).ok());
  // Two of the deleted samples lie among more samples than one batch reads.
  REQUIRE(database.ingest(line("long", -1, 1)).ok());
  const auto told = undelete(database, everythingOf("a"));
  EXPECT(isIn(R"("restored_series":2501,"samples":152500,"present":0})", told));
  EXPECT(told.ok() && countOf("progress", told.value()) > 4);
  REQUIRE(removeAll(database, "long", {-1, -1}).ok());
  EXPECT(contentOf(database) == content);
}

LONE_TEST("an undelete that must read many existing samples works in several batches") {
  Database database;
  REQUIRE(database.open().ok());
  const auto ingest = [&](Timestamp from, Timestamp to, Timestamp step) {
    std::string body;
    for (Timestamp ts = from; ts < to; ts += step) body += line("m", ts, 1);
    REQUIRE(database.ingest(body).ok());
  };
  constexpr Timestamp kEnd = 4'000'000;
  ingest(0, kEnd, 500'000);
  REQUIRE(snapshot(database, "a").ok());
  REQUIRE(removeAll(database, "m", kAllTime).ok());
  for (Timestamp from = 0; from < kEnd; from += kEnd / 4) ingest(from + 1, from + kEnd / 4, 1);
  REQUIRE(removeAll(database, "m", {500'000, 500'000}).ok());
  const auto told = undelete(database, everythingOf("a"));
  // The first of each quarter; and the half of the first that was deleted again.
  EXPECT(isIn(R"("samples":5,"present":3})", told));
  EXPECT(told.ok() && countOf("progress", told.value()) > 2);
  EXPECT(isIn(R"("samples":0,"present":8})", undelete(database, everythingOf("a"))));
}

TEST("an undelete waits for memory without counting as a rejected request") {
  Database database;
  database.options.memoryLimitBytes = std::uint64_t{4} << 20;
  database.options.memtableMaxBytes = std::uint64_t{64} << 20;
  REQUIRE(database.open().ok());
  constexpr Timestamp kCount = 400'000;
  for (Timestamp from = 0; from < kCount; from += 20'000) {
    std::string body;
    for (Timestamp ts = from; ts < from + 20'000; ++ts) body += line("m", ts, 1);
    REQUIRE(database.ingest(body).ok() && database.flush().ok());
  }
  REQUIRE(snapshot(database, "a").ok());
  REQUIRE(removeAll(database, "m", kAllTime).ok());
  const double before = database.stat("ingest_rejected_mem_limit_total");
  EXPECT(isIn(R"("samples":400000,"present":0})", undelete(database, everythingOf("a"))));
  EXPECT(database.stat("ingest_rejected_mem_limit_total") == before);
}

TEST("an undelete reports whether the snapshot or the current state is damaged") {
  for (const bool isInSnapshot : {false, true}) {
    Database database;
    REQUIRE(database.open().ok());
    REQUIRE(database.ingest(line("m", 1, 1) + line("m", 2, 2)).ok() && database.flush().ok());
    const std::vector<std::string> first = database.segmentPaths();
    REQUIRE(database.ingest(line("m", 9, 9)).ok());
    REQUIRE(snapshot(database, "a").ok());
    REQUIRE(removeAll(database, "m", isInSnapshot ? kAllTime : TimeRange{1, 2}).ok());
    REQUIRE(database.compact().ok());
    if (!isInSnapshot) {
      REQUIRE(database.ingest(line("other", 1, 1)).ok() && database.flush().ok());
    }
    std::vector<std::string> damaged = first;
    if (!isInSnapshot) {
      damaged = database.segmentPaths();
      std::erase_if(damaged, [&](const std::string& path) { return path == first.front(); });
    }
    database.close();
    for (const std::string& path : damaged) {
      if (isInSnapshot || path == damaged.back()) posixFileSystem().remove(path).ok();
    }
    REQUIRE(database.open().ok());
    const auto told = undelete(database, everythingOf("a"));
    EXPECT(told.status().code() == StatusCode::kStorageCorrupt);
    EXPECT(isIn("reading the past state: samples from", told) == isInSnapshot);
  }
}

namespace {

// A database, and its expected content.
class Model {
 public:
  explicit Model(std::uint64_t seed) : random_(seed) { REQUIRE(database_.open().ok()); }

  void change() {
    const auto metric = static_cast<std::size_t>(random_() % kMetrics);
    const auto start = static_cast<Timestamp>(random_() % kTimes);
    if (random_() % 4 == 0) {
      const TimeRange range{start, start + static_cast<Timestamp>(random_() % kTimes)};
      REQUIRE(removeAll(database_, nameOf(metric), range).ok());
      std::erase_if(now_[metric], [&](const auto& one) { return range.contains(one.first); });
    } else {
      std::string body;
      const Timestamp end = start + static_cast<Timestamp>(random_() % 60);
      for (Timestamp ts = start; ts < end; ++ts) {
        const auto value = static_cast<double>(random_() % 1000);
        body += line(nameOf(metric), ts, value);
        now_[metric][ts] = value;
      }
      REQUIRE(database_.ingest(body).ok());
    }
    if (random_() % 5 == 0) REQUIRE(database_.flush().ok());
    if (random_() % 15 == 0) REQUIRE(database_.compact().ok());
    if (random_() % 20 == 0) REQUIRE(database_.open().ok());
  }
  void keep() {
    REQUIRE(snapshot(database_, "kept").ok());
    kept_ = now_;
  }
  void undeleteSome() {
    UndeleteRequest request = everythingOf("kept");
    const auto metric = static_cast<std::size_t>(random_() % kMetrics);
    const bool isOne = random_() % 2 == 0;
    if (isOne) request.series.name = NameFilter::exact(nameOf(metric));
    if (random_() % 2 == 0) {
      const auto start = static_cast<Timestamp>(random_() % kTimes);
      request.range = {start, start + static_cast<Timestamp>(random_() % kTimes)};
    }
    std::uint64_t missing = 0;
    for (std::size_t i = 0; i < kMetrics; ++i) {
      if (isOne && i != metric) continue;
      for (const auto& [ts, value] : kept_[i]) {
        if (request.range.contains(ts)) missing += now_[i].try_emplace(ts, value).second ? 1 : 0;
      }
    }
    const std::string samples = R"("samples":)" + std::to_string(missing) + R"(,"present":)";
    EXPECT(isIn(samples, undelete(database_, request)));
  }
  void check() {
    for (std::size_t i = 0; i < kMetrics; ++i) {
      EXPECT(database_.read(nameOf(i)).value_or(Points{}) == now_[i]);
    }
  }

 private:
  static constexpr std::size_t kMetrics = 4;
  static constexpr std::uint64_t kTimes = 300;
  static std::string nameOf(std::size_t number) { return "m" + std::to_string(number); }

  std::mt19937_64 random_;
  Database database_;
  using Content = std::array<Points, kMetrics>;
  Content now_;
  Content kept_;
};

}  // namespace

TEST("after random changes an undelete restores exactly the samples that are missing") {
  for (std::uint64_t round = 0; round < rounds(std::uint64_t{20}); ++round) {
    Model model(seed() + round);
    for (int i = 0; i < 20; ++i) model.change();
    model.keep();
    for (int i = 0; i < 20; ++i) model.change();
    model.undeleteSome();
    model.check();
    for (int i = 0; i < 5; ++i) model.change();
    model.undeleteSome();
    model.check();
  }
}

TEST("after a failure or power loss at any operation a second undelete restores everything") {
  for (const Operation operation : {Operation::kAppend, Operation::kSync, Operation::kCreate}) {
    for (std::uint64_t nth = 1;; ++nth) {
      FaultyFileSystem fs(posixFileSystem());
      Database database(fs);
      lose(database);
      fs.failAt(operation, nth);
      const std::uint64_t before = fs.count(operation);
      const bool isDone = undelete(database, everythingOf("a")).ok() && database.flush().ok();
      const bool wasAsked = fs.count(operation) >= before + nth;
      fs.heal();
      database.close();
      fs.losePower();
      REQUIRE(database.open().ok());
      REQUIRE(undelete(database, everythingOf("a")).ok());
      EXPECT(database.read("m") == (Points{{1, 1}, {2, 20}, {3, 3}, {4, 4}, {9, 9}}));
      if (isDone && !wasAsked) break;
      REQUIRE(nth < 100);
    }
  }
}
