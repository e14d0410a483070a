#include "shipping/shipping.h"

#include <future>
#include <random>
#include <string>
#include <vector>

#include "bucket/bucket_fixture.h"
#include "shipping/home_fixture.h"

namespace seriesdb::test {

TEST("An empty directory with the bucket of a database becomes that database") {
  Home home;
  EXPECT(home.start().ok());
  EXPECT(home.database.ingest(lines("cpu", 100)).ok());
  EXPECT(home.publish());
  EXPECT(home.database.ingest(line("cpu", 1000, 7) + line("mem", 5, 6)).ok());
  EXPECT(home.isShipped());
  const std::string content = home.content();
  const auto other = copyOf(home);
  EXPECT(other->start().ok());
  EXPECT(other->content() == content);
  EXPECT(other->note.empty());
  // Its own writes go on there.
  EXPECT(other->database.ingest(line("cpu", 2000, 8)).ok());
  EXPECT(other->publish());
  const std::string next = other->content();
  const auto third = copyOf(*other);
  EXPECT(third->start().ok());
  EXPECT(third->content() == next);
}

TEST("A database that was there before goes to an empty bucket with all it has") {
  Home home;
  EXPECT(home.database.open().ok());
  EXPECT(home.database.ingest(lines("old", 50)).ok());
  EXPECT(home.database.flush().ok());
  EXPECT(home.database.ingest(line("old", 700, 1)).ok());
  EXPECT(home.start().ok());
  EXPECT(home.isShipped());
  const auto other = copyOf(home);
  EXPECT(other->start().ok());
  EXPECT(other->content() == home.content());
}

TEST("A directory that is started again goes on, and nothing is set aside") {
  Home home;
  EXPECT(home.start().ok());
  for (int i = 0; i < 6; ++i) {
    EXPECT(home.database.ingest(line("cpu", i, i)).ok());
    if (i % 2 == 1) EXPECT(home.publish());
    if (i == 3) EXPECT(home.isShipped());
    EXPECT(home.start().ok());
    EXPECT(home.note.empty());
  }
  EXPECT(home.database.read("cpu")->size() == 6);
  EXPECT(!files::exists(home.quarantine() + "/bucket"));
  EXPECT(home.isShipped());
  const auto other = copyOf(home);
  EXPECT(other->start().ok());
  EXPECT(other->content() == home.content());
}

TEST("With ack = bucket, what was acknowledged is in the bucket at once") {
  Home home;
  home.bucket.ack = AckMode::kBucket;
  EXPECT(home.start().ok());
  std::mt19937 random(static_cast<unsigned>(seed()));
  for (int i = 0; i < 12; ++i) {
    EXPECT(home.database.ingest(line("cpu", i, i * 2) + line("m" + std::to_string(i), 1, i)).ok());
    if (random() % 3 == 0) EXPECT(home.database.flush().ok());
    const auto other = copyOf(home);
    EXPECT(other->start().ok());
    const auto points = other->database.read("cpu");
    EXPECT(points && points->size() == static_cast<std::size_t>(i + 1));
    EXPECT(other->database.read("m" + std::to_string(i))->size() == 1);
  }
}

TEST("With ack = bucket, a store that is away ends a write as not known, and it is stored later") {
  Home home;
  home.bucket.ack = AckMode::kBucket;
  home.bucket.waitMs = 100;
  EXPECT(home.start().ok());
  EXPECT(Home::within([&] { return home.database.ingest(line("cpu", 1, 1)).ok(); }));
  home.store->setAway(true);
  const Status away = home.database.ingest(line("cpu", 2, 2));
  EXPECT(away.code() == StatusCode::kBucketUnavailable);
  EXPECT(away.message().find("send it again") != std::string::npos);
  home.store->setAway(false);
  EXPECT(home.isShipped());
  const auto other = copyOf(home);
  EXPECT(other->start().ok());
  EXPECT(other->database.read("cpu")->size() == 2);
}

TEST("With ack = local, writes go on while the store is away, and it catches up") {
  Home home;
  EXPECT(home.start().ok());
  EXPECT(home.publish() || true);
  home.store->setAway(true);
  for (int i = 0; i < 20; ++i) {
    EXPECT(home.database.ingest(line("cpu", i, i)).ok());
    if (i % 5 == 4) EXPECT(home.database.flush().ok());
  }
  EXPECT(home.database.stat("bucket_unshipped_bytes") > 0);
  home.store->setAway(false);
  EXPECT(home.isShipped());
  EXPECT(home.publish() || true);
  const auto other = copyOf(home);
  EXPECT(other->start().ok());
  EXPECT(other->database.read("cpu")->size() == 20);
}

TEST("A second owner fences the first, which then takes no writes") {
  Home first;
  first.bucket.ack = AckMode::kBucket;
  EXPECT(first.start().ok());
  EXPECT(first.database.ingest(line("cpu", 1, 1)).ok());
  Home second(first.store);
  second.bucket.ack = AckMode::kBucket;
  EXPECT(second.start().ok());
  EXPECT(second.database.read("cpu")->size() == 1);
  EXPECT(first.database.ingest(line("cpu", 2, 2)).code() == StatusCode::kFenced);
  EXPECT(first.database.engine().admit().code() == StatusCode::kFenced);
  EXPECT(first.database.stat("bucket_fenced") == 1);
  EXPECT(second.database.ingest(line("cpu", 3, 3)).ok());
  // What the first one took and could not ship is set aside.
  EXPECT(first.start().ok());
  EXPECT(!first.note.empty());
  const auto points = first.database.read("cpu");
  EXPECT(points && points->size() == 2 && points->count(2) == 0);
  EXPECT(files::exists(first.quarantine()));
  EXPECT(second.database.ingest(line("cpu", 4, 4)).code() == StatusCode::kFenced);
}

TEST("A directory that was rolled back to a copy is replaced by the bucket") {
  Home home;
  EXPECT(home.start().ok());
  EXPECT(home.database.ingest(line("cpu", 1, 1)).ok());
  EXPECT(home.isShipped());
  home.database.close();
  const std::string directory = home.database.options.directory;
  for (const bool isFlushed : {false, true}) {
    const std::string copy = directory + ".copy";
    files::copy(directory, copy, files::copy_options::recursive);
    EXPECT(home.start().ok());
    EXPECT(home.note.empty());
    EXPECT(home.database.ingest(line("cpu", isFlushed ? 3 : 2, 2)).ok());
    if (isFlushed) EXPECT(home.publish());
    EXPECT(home.isShipped());
    const std::string content = home.content();
    home.database.close();
    files::remove_all(directory);
    files::rename(copy, directory);
    EXPECT(home.start().ok());
    EXPECT(!home.note.empty());
    EXPECT(home.content() == content);
    home.database.close();
  }
}

TEST("A directory that was used without its bucket is refused, and so is that of another database") {
  Home home;
  EXPECT(home.start().ok());
  EXPECT(home.database.ingest(line("cpu", 1, 1)).ok());
  EXPECT(home.isShipped());
  home.database.close();
  EXPECT(home.database.open().ok());
  home.database.close();
  const Status used = home.start();
  EXPECT(used.code() == StatusCode::kConfiguration);
  EXPECT(used.message().find("empty directory") != std::string::npos);
  Home other(home.store);
  EXPECT(other.database.open().ok());
  other.database.close();
  EXPECT(other.start().code() == StatusCode::kConfiguration);
}

TEST("A publication deletes the groups that segments cover, and objects that nobody names") {
  Home home;
  EXPECT(home.start().ok());
  for (int i = 0; i < 5; ++i) {
    EXPECT(home.database.ingest(line("cpu", i, i)).ok());
    EXPECT(home.isShipped());
  }
  const std::size_t before = home.store->countOf("log-");
  EXPECT(home.publish());
  EXPECT(Home::within([&] { return home.store->countOf("log-") < before; }));
  EXPECT(home.database.ingest(line("cpu", 9, 9)).ok());
  EXPECT(home.publish());
  const std::size_t segments = home.store->countOf("objects/");
  EXPECT(home.database.compact().ok());
  EXPECT(Home::within([&] { return home.store->countOf("objects/") < segments; }));
  const auto other = copyOf(home);
  EXPECT(other->start().ok());
  EXPECT(other->content() == home.content());
}

}  // namespace seriesdb::test
