// A start from nothing: what comes back from a bucket, and what is refused.
#include "shipping/fetch.h"

#include <algorithm>
#include <mutex>
#include <set>
#include <string>

#include "bucket/refs_parts.h"
#include "fetch_fixture.h"
#include "maintenance/ending_fixture.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

bool isCorruptIn(const Status& status, std::string_view name) {
  return status.code() == StatusCode::kStorageCorrupt && isIn(name, status);
}

// The names of the files below a folder.
std::set<std::string> filesBelow(const std::string& folder) {
  std::set<std::string> names;
  if (!files::exists(folder)) return names;
  for (const auto& one : files::recursive_directory_iterator(folder)) {
    if (one.is_regular_file()) names.insert(files::relative(one.path(), folder).string());
  }
  return names;
}

// Opens the fetched database as a server does, writes to it and starts it again.
void expectWorks(const std::string& directory, const std::string& content) {
  Database database;
  database.options.directory = directory;
  const Status opened = database.open();
  if (!opened.ok()) fail(__FILE__, __LINE__, opened.message());
  REQUIRE(opened.ok());
  EXPECT(contentOf(database) == content);
  EXPECT(database.engine().degradedReasons().empty());
  addAllKinds(database, 90);
  const std::string more = contentOf(database);
  EXPECT(more != content);
  REQUIRE(database.open().ok());
  EXPECT(contentOf(database) == more);
  REQUIRE(database.flush().ok() && database.compact().ok());
  EXPECT(contentOf(database) == more);
  expectSameInAllModes(database, more);
}

}  // namespace

TEST("a database comes back from a bucket with all samples, series, annotations and deletions") {
  HomeWorld world;
  const std::string directory = freshPath("fetched");
  REQUIRE(world.startIn(directory).ok());
  EXPECT(logFilesIn(directory) == world.log);
  EXPECT(world.log.size() >= 3);
  EXPECT(contentOf(directory + "/REFS") == readRefsParts(world.session, world.claim.parts).value());
  const RootFacts root = readRoot(posixFileSystem(), directory).value();
  EXPECT(root.id == world.root.id && !root.isUnfinished() && !root.isBackup());
  EXPECT(filesBelow(directory + "/objects").size() == world.database.segmentPaths().size());
  expectWorks(directory, world.content);
}

TEST("a state without a log behind it comes back, and its log goes on behind the state") {
  HomeFixture home;
  Database database;
  REQUIRE(database.open().ok());
  fill(database, 0);
  home.publish(database);
  const std::string content = contentOf(database);
  const std::string directory = freshPath("fetched");
  // An empty epoch, and none.
  for (const bool isSealed : {false, true}) {
    if (isSealed) home.ship(freshPath("nothing"), 1);
    REQUIRE(home.startIn(directory).ok());
    EXPECT(logFilesIn(directory).size() == 1);
    expectWorks(directory, content);
  }
}

TEST("every part, group, seal and segment that is missing, cut or changed is refused by name") {
  HomeWorld world;
  const std::string directory = freshPath("fetched");
  const auto objects = world.objects();
  std::size_t count = 0;
  for (const auto& [key, bytes] : objects) {
    if (key == "ROOT" || key.starts_with("spine-")) continue;
    std::string name = key;
    for (const GroupPlace& place : world.places) {
      if (world.keyOf(place) != key) continue;
      name = "group " + std::to_string(place.epoch) + "/" + std::to_string(place.number);
    }
    ++count;
    ByteBuffer cut(bytes.begin(), bytes.end() - 1);
    ByteBuffer longer = bytes;
    longer.push_back(0);
    ByteBuffer flipped = bytes;
    flipped[bytes.size() / 2] ^= 1;
    for (const ByteBuffer& damaged : {cut, longer, flipped, ByteBuffer()}) {
      world.objects()[key] = damaged;
      EXPECT(isCorruptIn(world.startIn(directory), name));
    }
    world.objects().erase(key);
    EXPECT(isCorruptIn(world.startIn(directory), name));
    // Nothing opens what is there.
    Database half;
    half.options.directory = directory;
    EXPECT(!half.open().ok());
    world.objects() = objects;
  }
  EXPECT(count > 10);
  REQUIRE(world.start(directory).ok());
  EXPECT(contentIn(directory) == world.content);
}

TEST("an entry that contradicts its REFS or its log is refused") {
  HomeWorld world;
  const std::string directory = freshPath("fetched");
  const SpineEntry claim = world.claim;
  const std::string name = "entry " + std::to_string(claim.number) + ": REFS: ";
  world.claim.headCommit = sha256(asBytes("another"));
  EXPECT(isCorruptIn(world.startIn(directory), name + "its head is not the commit"));
  world.claim = claim;
  ++world.claim.edit;
  EXPECT(isCorruptIn(world.startIn(directory), name + "its head has another edit"));
  world.claim = claim;
  ++world.claim.floor.sequence;
  EXPECT(isCorruptIn(world.startIn(directory), name + "its segments end with sequence"));
  world.claim = claim;
  world.claim.featuresToRead |= 1u << 30;
  EXPECT(world.startIn(directory).code() == StatusCode::kConfiguration);
  world.claim = claim;
  world.claim.link.database[0] ^= 1;
  EXPECT(world.startIn(directory).code() == StatusCode::kInvalidArgument);
}

TEST("a log that begins with another file than the state's, or leaves one out, is refused") {
  for (const std::size_t from : {0, 1}) {
    HomeWorld world;
    // All groups of the first files, or of the later ones, say another number.
    const auto change = [&](const GroupPlace& place) {
      ByteBuffer& bytes = world.objects()[world.keyOf(place)];
      LogGroup group = decodeGroup(bytes, {*world.root.id, place}).value();
      const bool isLater = group.file > world.log.begin()->first;
      if (group.kind == GroupKind::kRecords && (from == 0 || isLater)) ++group.file;
      return group;
    };
    Sha256 before;
    for (const GroupPlace& place : world.places) {
      LogGroup group = change(place);
      group.link.before = place.number == 1 ? Sha256() : before;
      const ByteBuffer bytes = encodeGroup(group).value();
      before = sha256(bytes);
      world.objects()[world.keyOf(place)] = bytes;
    }
    EXPECT(isCorruptIn(world.startIn(freshPath("fetched")), "it is of the log file"));
  }
}

TEST("a log that ends where it would go on in the next file comes back, and goes on there") {
  Database database;
  REQUIRE(database.open().ok());
  fill(database, 0);
  HomeFixture home;
  home.publish(database);
  addAllKinds(database, 40);
  const std::string content = contentOf(database);
  REQUIRE(database.open().ok());
  addAllKinds(database, 41);
  database.close();
  const auto files = logFilesIn(database.options.directory);
  REQUIRE(files.size() == 2);
  home.ship(database.options.directory, seed(), files.begin()->first);
  const std::string directory = freshPath("fetched");
  REQUIRE(home.startIn(directory).ok());
  EXPECT(logFilesIn(directory).size() == 2);
  expectWorks(directory, content);
}

TEST("a directory with a database, or without a BUCKET that announces the fetch, is left alone") {
  HomeWorld world;
  const std::string directory = world.earlier;
  const auto before = filesBelow(directory);
  EXPECT(world.fetch(directory).code() == StatusCode::kInvalidArgument);
  BucketFile bucket{BucketState::kWhole, *world.root.id, {}};
  REQUIRE(writeBucketFile(posixFileSystem(), directory, bucket).ok());
  EXPECT(world.fetch(directory).code() == StatusCode::kInvalidArgument);
  bucket = {BucketState::kFetching, {9}, {}};
  REQUIRE(writeBucketFile(posixFileSystem(), directory, bucket).ok());
  EXPECT(world.fetch(directory).code() == StatusCode::kInvalidArgument);
  auto after = filesBelow(directory);
  EXPECT(after.erase("BUCKET") == 1 && after == before);
}

TEST("segments of the database that was set aside are not asked of the bucket") {
  HomeWorld world;
  const std::string directory = world.earlier;
  const std::size_t had = filesBelow(directory + "/objects").size();
  REQUIRE(had > 0);
  std::size_t asked = 0;
  world.shared.store.follow([&asked](const StoreRequest& request) {
    asked += request.key.starts_with("objects/") ? 1 : 0;
    return StoreFate::kPlain;
  });
  REQUIRE(world.start(directory).ok());
  const auto kept = filesBelow(directory + "/quarantine/bucket-abcd0123/objects");
  const auto now = filesBelow(directory + "/objects");
  EXPECT(kept.size() == had);
  const auto shared = static_cast<std::size_t>(
      std::ranges::count_if(now, [&kept](const std::string& one) { return kept.contains(one); }));
  EXPECT(shared > 0 && asked == now.size() - shared);
  expectWorks(directory, world.content);
}

TEST("what an interrupted fetch brought is kept if its hash is right, and the rest goes") {
  HomeWorld world;
  const std::string directory = freshPath("fetched");
  std::mutex mutex;
  std::size_t pieces = 0;
  world.watch = [&](const FetchProgress& progress) {
    EXPECT(progress.doneFiles <= progress.files && progress.doneBytes <= progress.bytes);
    const std::lock_guard lock(mutex);
    return ++pieces < 6;
  };
  EXPECT(world.startIn(directory).code() == StatusCode::kClosed);
  const auto brought = filesBelow(directory + "/objects");
  REQUIRE(!brought.empty());
  // One is damaged, and one is of no state.
  const std::string damaged = directory + "/objects/" + *brought.begin();
  ByteBuffer bytes = contentOf(damaged);
  bytes[bytes.size() / 2] ^= 1;
  overwrite(damaged, bytes);
  const std::string strange = directory + "/objects/ab/" + std::string(62, '0');
  writeText(strange, "strange");
  world.watch = nullptr;
  REQUIRE(world.start(directory).ok());
  EXPECT(!files::exists(strange) && !files::exists(directory + "/quarantine"));
  expectWorks(directory, world.content);
}

TEST("history comes along as far as the bucket has its segments") {
  HomeFixture home;
  Database database;
  database.options.historyKeepMs = 1'000'000'000;
  REQUIRE(database.open().ok());
  fill(database, 0);
  replaceAll(database, 10);
  replaceAll(database, 20);
  home.publish(database);
  const std::string content = contentOf(database);
  const std::vector<std::string> all = database.segmentPaths();
  home.ship(freshPath("nothing"), 1);
  const std::string directory = freshPath("fetched");
  const auto fetchedCount = [&] {
    REQUIRE(home.startIn(directory).ok());
    EXPECT(contentIn(directory) == content);
    REQUIRE(home.startIn(directory).ok());
  };
  home.historyKeepMs = std::nullopt;
  fetchedCount();
  const std::size_t without = filesBelow(directory + "/objects").size();
  EXPECT(without < all.size());
  for (const std::string& path : all) {
    const std::string hash = hashIn(path);
    home.objects()["objects/" + hash.substr(0, 2) + "/" + hash.substr(2)] = contentOf(path);
  }
  fetchedCount();
  EXPECT(filesBelow(directory + "/objects").size() == all.size());
  home.historyKeepMs = 0;
  fetchedCount();
  EXPECT(filesBelow(directory + "/objects").size() == without);
}

TEST("a bucket that answers late or seldom only delays a fetch; one that is away ends it") {
  HomeWorld world;
  world.shared.store.follow(MemoryStore::random(
      seed(), 40, {StoreFate::kLoseAnswer, StoreFate::kUnavailable, StoreFate::kLoseRequest}));
  const std::string directory = freshPath("fetched");
  REQUIRE(world.startIn(directory).ok());
  EXPECT(contentIn(directory) == world.content);
  world.shared.store.follow([](const StoreRequest& request) {
    return request.key.starts_with("objects/") ? StoreFate::kUnavailable : StoreFate::kPlain;
  });
  EXPECT(world.startIn(directory).code() == StatusCode::kStorageUnavailable);
}

LONE_TEST(
    "a start that a power cut or the disk ends anywhere loses nothing, and the next is whole") {
  QuickDisk disk;
  HomeWorld world(disk.fs);
  const std::string old = contentIn(world.earlier, disk.fs);
  forEachEnding([&](Ending ending, std::uint64_t nth) {
    const std::string directory = freshPath("started");
    files::copy(world.earlier, directory, files::copy_options::recursive);
    bool isDone = false;
    const bool isMet =
        end(ending, nth, isDone, [&](FileSystem& fs) { return world.start(directory, fs).ok(); });
    const auto bucket = readBucketFile(disk.fs, directory);
    EXPECT(bucket.ok());
    const bool isWhole =
        bucket.ok() && bucket.value() && bucket.value()->state == BucketState::kWhole;
    EXPECT(isWhole || !isDone);
    if (bucket.ok() && !bucket.value()) {
      EXPECT(contentIn(directory, disk.fs) == old);
    }
    if (!isWhole) {
      const Status again = world.start(directory, disk.fs, {0xee});
      if (!again.ok()) fail(__FILE__, __LINE__, again.message());
    }
    EXPECT(contentIn(directory, disk.fs) == world.content);
    EXPECT(!filesBelow(directory + "/quarantine").empty());
    files::remove_all(directory);
    return isMet;
  });
}

LONE_TEST("a start that fails once anywhere and is repeated is whole, also after a power cut") {
  QuickDisk disk;
  HomeWorld world(disk.fs);
  for (const Operation operation :
       {Operation::kCreate, Operation::kAppend, Operation::kSync, Operation::kRename,
        Operation::kLink, Operation::kRemove, Operation::kSyncDirectory}) {
    bool isMet = true;
    for (std::uint64_t nth = 1 + seed() % kStride; isMet; nth += kStride) {
      const std::string directory = freshPath("started");
      files::copy(world.earlier, directory, files::copy_options::recursive);
      const std::string trash = temporaryDirectory();
      FaultyFileSystem fs(posixFileSystem());
      fs.simulatePower(trash);
      fs.failAt(operation, nth);
      static_cast<void>(world.start(directory, fs).ok());
      isMet = fs.count(operation) >= nth;
      fs.heal();
      const auto isWhole = [&] {
        const auto bucket = readBucketFile(fs, directory);
        return bucket.ok() &&
               bucket.value() == BucketFile{BucketState::kWhole, *world.root.id, {kFetchNonce}};
      };
      if (!isWhole()) EXPECT(world.start(directory, fs).ok());
      fs.losePower(PowerLoss::kAll);
      // A failed start may have replaced BUCKET without a sync.
      if (!isWhole()) EXPECT(world.start(directory, fs).ok());
      EXPECT(contentIn(directory, disk.fs) == world.content);
      files::remove_all(directory);
      files::remove_all(trash);
    }
  }
}
