// A database on a bucket whose store fails, or whose owner does something rare.
#include <future>
#include <string>
#include <utility>
#include <vector>

#include "common/file/read_only_file_system.h"
#include "maintenance/backup_fixture.h"
#include "maintenance/undelete.h"
#include "shipping/home_fixture.h"

namespace seriesdb::test {
namespace {

bool isEntry(const StoreRequest& request) {
  return request.isCreate() && request.key.starts_with("spine-");
}
bool isGroup(const StoreRequest& request) {
  return request.isCreate() && request.key.starts_with("log-");
}
bool isGroupDelete(const StoreRequest& request) {
  return request.op == StoreOp::kDelete && request.key.starts_with("log-");
}

bool isToldOf(Home& home, const std::string& text) {
  for (const std::string& reason : home.database.engine().degradedReasons()) {
    if (reason.find(text) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

TEST("An undelete does not end the copy of the log in the bucket") {
  Home home;
  home.bucket.ack = AckMode::kBucket;
  EXPECT(home.start().ok());
  EXPECT(home.database.ingest(lines("cpu", 3)).ok());
  EXPECT(snapshot(home.database, "a").ok());
  {
    Undelete undelete(home.database.engine(), readOnlyFileSystem(), {{"a", {}, {}}, {}, kAllTime});
    std::string piece;
    do EXPECT(undelete.next(piece).ok());
    while (!piece.empty());
  }
  EXPECT(home.database.ingest(line("cpu", 9, 9)).ok());
  EXPECT(posixFileSystem().lock(home.database.path("LOCK")).status().code() ==
         StatusCode::kLocked);
  const auto other = copyOf(home);
  EXPECT(other->start().ok());
  EXPECT(other->database.read("cpu")->size() == 4);
}

TEST("A directory whose REFS was shortened behind the last publication goes on") {
  Home home;
  EXPECT(home.start().ok());
  for (int i = 0; i < 4; ++i) {
    EXPECT(home.database.ingest(line("cpu", i, i)).ok());
    EXPECT(home.publish());
  }
  EXPECT(home.isShipped());
  std::promise<Status> answer;
  home.database.engine().collect({}, [&](auto done) { answer.set_value(done.status()); });
  EXPECT(answer.get_future().get().ok());
  EXPECT(home.start().ok());
  EXPECT(home.note.empty());
}

TEST("A directory that was rolled back behind a snapshot alone is replaced by the bucket") {
  Home home;
  home.bucket.finishMs = 0;
  EXPECT(home.start().ok());
  EXPECT(home.database.ingest(line("cpu", 1, 1)).ok());
  EXPECT(home.publish());
  EXPECT(home.isShipped());
  const std::string directory = home.database.options.directory;
  files::copy(directory, directory + ".copy", files::copy_options::recursive);
  const double before = home.database.stat("bucket_entry");
  EXPECT(snapshot(home.database, "one").ok());
  EXPECT(Home::within([&] { return home.database.stat("bucket_entry") > before; }));
  // The marks of the end stay unshipped, so that the copy has the whole log of the bucket.
  home.store->setAway(true);
  home.database.close();
  home.store->setAway(false);
  files::remove_all(directory);
  files::rename(directory + ".copy", directory);
  EXPECT(home.start().ok());
  EXPECT(!home.note.empty());
  EXPECT(isIn("one", listed(home.database)));
}

TEST("An entry whose create was refused once is published later") {
  Home home;
  EXPECT(home.start().ok());
  EXPECT(home.database.ingest(line("cpu", 1, 1)).ok());
  EXPECT(home.isShipped());
  home.store->refuse(isEntry, 1);
  const double before = home.database.stat("bucket_entry");
  EXPECT(home.database.flush().ok());
  EXPECT(Home::within([&] { return home.database.stat("bucket_entry") > before; }));
  EXPECT(home.store->meantCount() > 1);
  EXPECT(home.database.ingest(line("cpu", 2, 2)).ok());
  EXPECT(home.publish());
  EXPECT(home.start().ok());
  EXPECT(home.note.empty());
  EXPECT(home.database.read("cpu")->size() == 2);
}

TEST("The first entry, too, is created after a refusal, and the log follows it") {
  Home home;
  home.store->refuse(isEntry, 1);
  EXPECT(home.start().ok());
  EXPECT(home.database.ingest(line("cpu", 1, 1)).ok());
  EXPECT(home.database.flush().ok());
  EXPECT(home.database.ingest(line("cpu", 2, 2)).ok());
  EXPECT(home.isShipped());
  const auto other = copyOf(home);
  EXPECT(other->start().ok());
  EXPECT(other->database.read("cpu")->size() == 2);
}

TEST("The lag is that of the oldest record, also while a backlog is shipped") {
  Home home;
  home.bucket.lagMaxMs = 400;
  EXPECT(home.start().ok());
  EXPECT(home.isShipped());
  home.store->setAway(true);
  // A file of the log is a group at least.
  for (int i = 0; i < 20; ++i) {
    EXPECT(home.database.ingest(line("cpu", i, i)).ok());
    EXPECT(home.database.flush().ok());
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  EXPECT(home.database.engine().admit().code() == StatusCode::kBucketUnavailable);
  const double before = home.database.stat("bucket_groups_total");
  home.store->delay(isGroup, 30);
  home.store->setAway(false);
  EXPECT(Home::within([&] { return home.database.stat("bucket_groups_total") > before + 2; }));
  EXPECT(home.database.stat("bucket_unshipped_bytes") > 0);
  EXPECT(home.database.stat("bucket_lag_seconds") > 0.4);
  EXPECT(home.database.engine().admit().code() == StatusCode::kBucketUnavailable);
  EXPECT(home.isShipped());
  EXPECT(home.database.engine().admit().ok());
}

TEST("An object that could not be deleted goes later, and its entry counts as published") {
  Home home;
  EXPECT(home.start().ok());
  for (int i = 0; i < 3; ++i) EXPECT(home.database.ingest(line("cpu", i, i)).ok());
  EXPECT(home.isShipped());
  home.store->refuse(isGroupDelete, 1);
  EXPECT(home.publish());
  EXPECT(Home::within([&] { return home.store->meantCount() > 1; }));
  EXPECT(Home::within([&] { return home.database.engine().degradedReasons().empty(); }));
  EXPECT(!isToldOf(home, "no newer state"));
}

TEST("A record of a database that was there before may be larger than a bucket takes") {
  Home home;
  home.database.options.memtableMaxBytes = std::uint64_t{1} << 30;
  EXPECT(home.database.open().ok());
  EXPECT(home.database.ingest(line("cpu", 1, 1)).ok());
  StagedSamples many;
  for (Timestamp ts = 0; many.refs.size() < 4'000'000; ++ts) {
    // Neither the times nor the values become small.
    many.refs.add(0);
    many.ts.add(ts % 2 == 0 ? ts : (Timestamp{1} << 61) + ts);
    many.values.add(static_cast<double>(ts) + 0.5);
  }
  std::promise<Status> answer;
  home.database.engine().commit(std::move(many), 0,
                                [&](auto report) { answer.set_value(report.status()); });
  EXPECT(answer.get_future().get().ok());
  EXPECT(home.start().ok());
  EXPECT(home.database.ingest(line("mem", 1, 1)).ok());
  EXPECT(home.isShipped());
  EXPECT(home.database.engine().degradedReasons().empty());
  const auto other = copyOf(home);
  EXPECT(other->start().ok());
  EXPECT(other->database.read("mem")->size() == 1);
  EXPECT(other->database.stat("segment_samples") == 4'000'001);
}

TEST("A database that is started very often without a write can still be claimed") {
  Home home;
  EXPECT(home.start().ok());
  EXPECT(home.database.ingest(line("cpu", 1, 1)).ok());
  for (int i = 0; i < 270; ++i) {
    const Status started = home.start();
    if (!started.ok()) std::printf("start %d: %s\n", i, started.message().c_str());
    REQUIRE(started.ok());
    EXPECT(home.note.empty());
  }
  EXPECT(home.database.read("cpu")->size() == 1);
}

TEST("What was acknowledged is in the bucket, whatever the store does until the close") {
  Home home;
  home.bucket.ack = AckMode::kBucket;
  std::size_t sent = 0;
  std::vector<std::pair<std::size_t, std::future<Status>>> answers;
  for (std::uint64_t round = 0; round < 5; ++round) {
    home.store->follow(MemoryStore::random(
        seed() + round, 20,
        {StoreFate::kLoseAnswer, StoreFate::kLoseRequest, StoreFate::kUnavailable}));
    REQUIRE(home.start().ok());
    EXPECT(home.note.empty());
    for (std::uint64_t i = 0; i < 20; ++i, ++sent) {
      const auto ts = static_cast<Timestamp>(sent);
      answers.emplace_back(sent, home.database.beginIngest(line("cpu", ts, 1)));
      if (i % 7 == round % 7) static_cast<void>(home.database.beginFlush());
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    // Answers are still on their way.
    home.database.close();
    home.store->follow(nullptr);
    const auto other = copyOf(home);
    REQUIRE(other->start().ok());
    const auto points = other->database.read("cpu");
    REQUIRE(points.has_value());
    for (auto& [at, answer] : answers) {
      REQUIRE(answer.wait_for(std::chrono::seconds(0)) == std::future_status::ready);
      if (answer.get().ok()) EXPECT(points->contains(static_cast<Timestamp>(at)));
    }
    answers.clear();
  }
}

}  // namespace seriesdb::test
