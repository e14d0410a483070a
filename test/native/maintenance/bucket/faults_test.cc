// Backups to a bucket that are interrupted, cancelled, doubled, and beset by faults.
#include <array>
#include <memory>
#include <random>
#include <vector>

#include "maintenance/bucket/bucket_fixture.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

// Runs the backup without a flush, whose files could be others.
Result<std::string> runBackup(BucketFixture& bucket, Database& database) {
  const auto backup = bucket.backupOf(database);
  return run(*backup);
}

}  // namespace

TEST("a backup that is interrupted at any request is completed by the next one") {
  Database database;
  REQUIRE(database.open().ok());
  fill(database, 0);
  BucketFixture first;
  first.sizes = {200, 100};
  REQUIRE(first.backUp(database).ok());
  const std::string before = contentOf(database);
  const auto earlier = first.objects();
  replaceAll(database, 20);
  REQUIRE(database.flush().ok());
  const std::string content = contentOf(database);
  for (const bool isNew : {false, true}) {
    bool isDone = false;
    for (int nth = 0; !isDone; ++nth) {
      REQUIRE(nth < 500);
      BucketFixture bucket;
      bucket.sizes = first.sizes;
      if (!isNew) bucket.store.objects() = earlier;
      int at = 0;
      // From this request on nothing reaches the store; the request itself may.
      bucket.store.follow([&](const StoreRequest&) {
        const int one = at++;
        if (one == nth) return nth % 2 == 0 ? StoreFate::kLoseAnswer : StoreFate::kLoseRequest;
        return one < nth ? StoreFate::kPlain : StoreFate::kUnavailable;
      });
      const auto told = runBackup(bucket, database);
      isDone = told.ok();
      EXPECT(isDone || told.status().code() == StatusCode::kStorageUnavailable);
      bucket.store.follow({});
      const auto kept = bucket.content();
      if (kept.ok()) {
        EXPECT(kept.value() == content || (!isNew && kept.value() == before));
      } else {
        EXPECT(isNew && !isDone);
      }
      if (nth % 4 != 0) continue;
      REQUIRE(runBackup(bucket, database).ok());
      EXPECT(bucket.content().value() == content);
    }
  }
}

TEST("after random faults a failure is told, or the backup restores") {
  Database database;
  REQUIRE(database.open().ok());
  fill(database, 0);
  std::map<std::uint64_t, std::string> contents;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    std::mt19937_64 random(seed);
    BucketFixture bucket;
    bucket.sizes = {300, 200};
    bucket.keep = 1 + seed % 2;
    std::string published;
    for (int round = 0; round < 4; ++round) {
      if (round % 2 == 1) replaceAll(database, static_cast<int>(10 * (4 * seed) + 10) + round);
      bucket.store.follow(
          MemoryStore::random(random(), seed % 3 == 0 ? 60 : 25,
                              {StoreFate::kLoseAnswer, StoreFate::kLoseRequest, StoreFate::kDelay,
                               StoreFate::kConflict, StoreFate::kUnavailable}));
      const auto told = bucket.backUp(database);
      while (bucket.store.delayedCount() > 0 && random() % 3 != 0) {
        bucket.store.land(random() % bucket.store.delayedCount());
      }
      bucket.store.follow({});
      if (told.ok()) published = contentOf(database);
      const auto kept = bucket.content();
      if (told.ok()) EXPECT(kept.ok() && kept.value() == published);
      if (!told.ok()) EXPECT(kept.ok() || published.empty());
    }
    while (bucket.store.delayedCount() > 0) bucket.store.land(0);
    REQUIRE(bucket.backUp(database).ok());
    EXPECT(bucket.content().value() == contentOf(database));
  }
}

TEST("of two backups at once one ends with a failure, and nothing is lost") {
  Database database;
  REQUIRE(database.open().ok());
  fill(database, 0);
  for (const bool isNew : {true, false}) {
    // The second one runs while the first one has made so many steps.
    for (int steps = 1; steps < 12; ++steps) {
      BucketFixture bucket;
      if (!isNew) REQUIRE(bucket.backUp(database).ok());
      replaceAll(database, 1000 + 20 * steps + (isNew ? 0 : 500));
      REQUIRE(database.flush().ok());
      const auto first = bucket.backupOf(database);
      std::string piece;
      for (int i = 0; i < steps; ++i) REQUIRE(first->next(piece).ok());
      const bool isOver = piece.empty() || piece.find(R"("kind":"end")") != std::string::npos;
      fill(database, 5000 + 20 * steps);
      REQUIRE(bucket.backUp(database).ok());
      const std::string content = contentOf(database);
      const auto told = run(*first);
      EXPECT(isOver ? told.ok() : told.status().code() == StatusCode::kLocked);
      EXPECT(bucket.content().value() == content);
      REQUIRE(bucket.backUp(database).ok());
      EXPECT(bucket.content().value() == content);
    }
  }
}

TEST("a backup is cancelled between steps, in an upload and in a pause") {
  Database database;
  REQUIRE(database.open().ok());
  fill(database, 0);
  const std::string content = contentOf(database);
  for (int steps = 0; steps < 12; ++steps) {
    BucketFixture bucket;
    bucket.sizes = {100, 64};
    REQUIRE(database.flush().ok());
    const auto backup = bucket.backupOf(database);
    std::string piece;
    for (int i = 0; i < steps; ++i) REQUIRE(backup->next(piece).ok());
    backup->cancel();
    EXPECT(backup->next(piece).code() == StatusCode::kClosed && piece.empty());
    EXPECT(backup->next(piece).code() == StatusCode::kClosed);
    EXPECT(bucket.store.uploadCount() == 0);
    REQUIRE(bucket.backUp(database).ok());
    EXPECT(bucket.content().value() == content);
  }
  BucketFixture away;
  const auto backup = away.backupOf(database);
  int asked = 0;
  away.store.follow([&](const StoreRequest&) {
    if (++asked == 3) backup->cancel();
    return StoreFate::kUnavailable;
  });
  std::string piece;
  EXPECT(backup->next(piece).code() == StatusCode::kClosed);
  EXPECT(asked == 3);
}

TEST("a backup whose state was taken twice names what it uploaded") {
  Database database;
  REQUIRE(database.open().ok());
  fill(database, 0);
  BucketFixture bucket;
  const std::string path = database.path("REFS");
  const ByteBuffer whole = test::contentOf(path);
  int asked = 0;
  const auto backup =
      backUpToBucket({&posixFileSystem(), database.options.directory, database.engine().root(),
                      [&]() -> Result<CommittedFiles> {
                        overwrite(path, whole);
                        auto held = database.engine().holdFiles();
                        if (asked++ == 0) overwrite(path, Bytes(whole).first(whole.size() / 2));
                        return held;
                      }},
                     {&bucket.store, &bucket.pauser, std::string(kUrl), "node-a", 1, {}});
  EXPECT(run(*backup).ok() && asked == 2);
  EXPECT(bucket.content().value() == contentOf(database));
  ByteBuffer damaged = whole;
  damaged[damaged.size() / 3] ^= 1;
  overwrite(path, damaged);
  const auto told = runBackup(bucket, database);
  EXPECT(told.status().code() == StatusCode::kStorageCorrupt && isIn("REFS", told));
  overwrite(path, whole);
  EXPECT(bucket.content().value() == contentOf(database));
}

namespace {

// Backups of one database whose requests interleave at random, with lost and late requests. Each
// request of one may be preceded by steps of the others, and by changes of the database.
class Interleaving {
 public:
  Interleaving(BucketFixture& bucket, Database& database, std::uint64_t seed)
      : bucket_(bucket), database_(database), random_(seed) {
    bucket_.store.follow([this](const StoreRequest&) { return fate(); });
  }
  ~Interleaving() { bucket_.store.follow({}); }

  void run(int steps) {
    for (int i = 0; i < steps; ++i) act();
  }
  std::size_t endedCount() const { return ended_; }
  std::size_t lockedCount() const { return locked_; }

 private:
  StoreFate fate() {
    // Seldom, but then many, so that another backup may run as a whole in between.
    if (depth_ < 3 && random_() % 12 == 0) run(static_cast<int>(random_() % 30));
    constexpr std::array kFates = {StoreFate::kLoseAnswer, StoreFate::kLoseRequest,
                                   StoreFate::kDelay, StoreFate::kUnavailable};
    return random_() % 100 < 15 ? kFates[random_() % kFates.size()] : StoreFate::kPlain;
  }

  void act() {
    ++depth_;
    const std::uint64_t choice = random_() % 20;
    if (choice < 2 && !isChanging_ && changes_ < 4) {
      isChanging_ = true;
      random_() % 2 == 0 ? replaceAll(database_, next_) : fill(database_, next_);
      next_ += 10;
      ++changes_;
      isChanging_ = false;
    } else if (choice == 2 && bucket_.store.delayedCount() > 0) {
      bucket_.store.land(random_() % bucket_.store.delayedCount());
    } else if (choice < 5 || jobs_.empty()) {
      if (jobs_.size() < 4) jobs_.push_back({bucket_.backupOf(database_), false});
    } else {
      step(random_() % jobs_.size());
    }
    --depth_;
  }

  void step(std::size_t index) {
    if (jobs_[index].isRunning) return;
    jobs_[index].isRunning = true;
    const std::shared_ptr<JsonReader> job = jobs_[index].job;
    std::string piece;
    const Status told = job->next(piece);
    const auto isIt = [&](const Job& one) { return one.job == job; };
    const auto found = std::ranges::find_if(jobs_, isIt);
    found->isRunning = false;
    if (told.ok() && !piece.empty()) return;
    ended_ += told.ok() ? 1 : 0;
    locked_ += told.code() == StatusCode::kLocked ? 1 : 0;
    EXPECT(told.ok() || told.code() == StatusCode::kLocked ||
           told.code() == StatusCode::kStorageUnavailable);
    jobs_.erase(found);
  }

  struct Job {
    std::shared_ptr<JsonReader> job;
    bool isRunning;
  };

  BucketFixture& bucket_;
  Database& database_;
  std::mt19937_64 random_;
  std::vector<Job> jobs_;
  int depth_ = 0;
  int next_ = 10;
  int changes_ = 0;
  bool isChanging_ = false;
  std::size_t ended_ = 0;
  std::size_t locked_ = 0;
};

}  // namespace

TEST("backups whose requests interleave never leave an entry that lacks a file") {
  std::size_t ended = 0;
  std::size_t locked = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Database database;
    REQUIRE(database.open().ok());
    fill(database, 0);
    REQUIRE(database.flush().ok());
    BucketFixture bucket;
    bucket.keep = 1 + seed % 3;
    for (int round = 0; round < 3; ++round) {
      {
        Interleaving backups(bucket, database, 100 * seed + static_cast<std::uint64_t>(round));
        backups.run(40);
        ended += backups.endedCount();
        locked += backups.lockedCount();
      }
      while (round % 2 == 1 && bucket.store.delayedCount() > 0) bucket.store.land(0);
      const auto found = bucket.content();
      REQUIRE(found.ok() || isIn("no backup yet", found) || isIn("no database", found));
    }
    REQUIRE(bucket.backUp(database).ok());
    EXPECT(bucket.content().value() == contentOf(database));
  }
  EXPECT(ended > 5 && locked > 0);
}
