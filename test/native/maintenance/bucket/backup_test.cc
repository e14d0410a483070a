// Backups in a bucket: they restore what they said, whatever fails between.
#include "maintenance/bucket/backup.h"

#include "maintenance/bucket/bucket_fixture.h"
#include "maintenance/bucket/root.h"
#include "maintenance/inspection.h"

using namespace seriesdb;
using namespace seriesdb::test;

TEST("a database restored from a bucket has the content of its source") {
  Database database;
  REQUIRE(database.open().ok());
  fill(database, 0);
  REQUIRE(snapshot(database, "first").ok());
  const std::string first = contentOf(database);
  fill(database, 10);
  const std::string content = contentOf(database);
  BucketFixture bucket;
  const auto told = bucket.backUp(database);
  REQUIRE(told.ok());
  EXPECT(isIn(R"("kind":"plan","files":)", told) && isIn(R"("present":0})", told));
  EXPECT(isIn(R"("status":"ok","files":)", told) && entryIn(told) == 1);
  EXPECT(isIn(R"("removed":0,"entry":1,"database_id":")", told));
  EXPECT(bucket.content().value() == content);
  EXPECT(bucket.content({}, "first").value() == first);
  EXPECT(bucket.content({}, "unknown").status().code() == StatusCode::kSnapshotNotFound);
  Database copy;
  copy.options.directory = freshPath("restored");
  REQUIRE(bucket.restore(copy.options.directory).ok());
  REQUIRE(copy.open().ok());
  fill(copy, 30);
  expectSameInAllModes(copy, contentOf(copy));
}

TEST("a second backup uploads only what is new, and removes what is not needed") {
  Database database;
  REQUIRE(database.open().ok());
  fill(database, 0);
  BucketFixture bucket;
  REQUIRE(bucket.backUp(database).ok());
  const auto again = bucket.backUp(database);
  EXPECT(isIn(R"("kind":"plan","files":0,"bytes":0)", again) && entryIn(again) == 3);
  EXPECT(bucket.countIn("parts/") == 1);
  fill(database, 10);
  const auto more = bucket.backUp(database);
  EXPECT(isIn(R"("removed":0)", more) && !isIn(R"("present":0)", more));
  EXPECT(bucket.countIn("parts/") == 2);
  EXPECT(bucket.content().value() == contentOf(database));
  replaceAll(database, 20);
  const auto other = bucket.backUp(database);
  EXPECT(other.ok() && !isIn(R"("removed":0)", other));
  EXPECT(bucket.content().value() == contentOf(database));
  EXPECT(bucket.countIn("objects/") == database.segmentPaths().size());
  // All that was published is there: segments, parts, entries, seals, ROOT.
  EXPECT(bucket.countIn("spine-") == 7 && bucket.countIn("log-") == 3);
}

TEST("so many of the newest backups can be restored, and an older one says what is gone") {
  Database database;
  REQUIRE(database.open().ok());
  BucketFixture bucket;
  bucket.keep = 3;
  std::map<std::uint64_t, std::string> contents;
  for (int from = 0; from < 50; from += 10) {
    replaceAll(database, from);
    const auto told = bucket.backUp(database);
    REQUIRE(told.ok());
    contents[entryIn(told)] = contentOf(database);
  }
  std::size_t restorable = 0;
  for (const auto& [entry, content] : contents) {
    const auto found = bucket.content(entry);
    if (found.ok()) EXPECT(found.value() == content);
    if (!found.ok()) EXPECT(isIn("not in the bucket", found));
    restorable += found.ok() ? 1 : 0;
    EXPECT(found.ok() || restorable == 0);
  }
  EXPECT(restorable == 3);
  EXPECT(bucket.content(4711).status().code() == StatusCode::kConfiguration);
  EXPECT(isIn("has no entry 4711", bucket.content(4711)));
}

TEST("a bucket with something else is refused before anything is written") {
  Database database;
  REQUIRE(database.open().ok());
  fill(database, 0);
  Database other;
  REQUIRE(other.open().ok());
  fill(other, 5);
  BucketFixture bucket;
  EXPECT(isIn("there is no database in s3://name/prefix", bucket.content()));
  REQUIRE(bucket.backUp(other).ok());
  const auto before = bucket.objects();
  const auto told = bucket.backUp(database);
  EXPECT(told.status().code() == StatusCode::kConfiguration && isIn("another database", told));
  EXPECT(bucket.objects() == before);
  BucketFixture foreign;
  foreign.store.objects()["notes"] = bytesOf("text");
  EXPECT(isIn("notes", foreign.backUp(database)) && foreign.objects().size() == 1);
  BucketFixture probed;
  probed.store.objects()["nodes/probe-0a/create-1"] = bytesOf("what a killed probe left");
  EXPECT(probed.backUp(database).ok());
  BucketFixture owned;
  RootFacts root = database.engine().root();
  owned.store.objects()["ROOT"] = encodeRoot(root);
  EXPECT(isIn("not a backup of one", owned.backUp(database)) && owned.objects().size() == 1);
  EXPECT(isIn("not a backup of one", owned.content()));
  root.toWrite = kRootBackup | 2;
  owned.store.objects()["ROOT"] = encodeRoot(root);
  EXPECT(isIn("newer seriesdb", owned.backUp(database)) && owned.objects().size() == 1);
  BucketFixture bad;
  bad.keep = 0;
  EXPECT(bad.backUp(database).status().code() == StatusCode::kInvalidArgument);
  EXPECT(bad.objects().empty());
}

TEST("a damaged file of the source is reported, and the newest backup stays") {
  Database database;
  REQUIRE(database.open().ok());
  fill(database, 0);
  BucketFixture bucket;
  REQUIRE(bucket.backUp(database).ok());
  const std::string content = contentOf(database);
  const std::size_t there = bucket.countIn("objects/");
  fill(database, 10);
  const std::vector<std::string> paths = database.segmentPaths();
  std::size_t damaged = 0;
  for (const std::string& path : paths) {
    const std::string key = path.substr(path.find("objects/"));
    if (bucket.objects().contains(key) || damaged == 2) continue;
    ByteBuffer bytes = test::contentOf(path);
    bytes[bytes.size() / 2] ^= 1;
    overwrite(path, bytes);
    if (damaged++ == 1) files::remove(path);
  }
  REQUIRE(damaged == 2);
  const auto told = bucket.backUp(database);
  EXPECT(isIn(R"("kind":"end","status":"damaged")", told) && entryIn(told) == 0);
  EXPECT(isIn(R"("damaged":2,"removed":0,"database_id")", told));
  EXPECT(isIn("does not match the hash", told));
  EXPECT(bucket.countIn("objects/") > there);
  EXPECT(bucket.content().value() == content);
}

TEST("a damaged or missing object of the bucket is found by verification and by restore") {
  Database database;
  REQUIRE(database.open().ok());
  fill(database, 0);
  BucketFixture bucket;
  REQUIRE(bucket.backUp(database).ok());
  const auto whole = bucket.verify();
  EXPECT(isIn(R"("kind":"end","status":"ok")", whole));
  EXPECT(isIn(R"("kind":"recovery","status":"ok")", whole));
  const auto good = bucket.objects();
  for (const std::string_view prefix : {"objects/", "parts/"}) {
    const std::string key = good.lower_bound(prefix)->first;
    for (const bool isGone : {false, true}) {
      bucket.store.objects() = good;
      ByteBuffer& bytes = bucket.store.objects()[key];
      bytes[bytes.size() / 2] ^= 1;
      if (isGone) bucket.store.objects().erase(key);
      const auto verified = bucket.verify();
      const bool isTold = verified.ok() ? isIn(R"("kind":"end","status":"damaged")", verified)
                                        : verified.status().code() == StatusCode::kStorageCorrupt;
      EXPECT(isTold && isIn(key, verified));
      const auto told = bucket.content();
      EXPECT(told.status().code() == StatusCode::kStorageCorrupt && isIn(key, told));
    }
  }
}

TEST("a store that is away during a restore or a verification is no damage") {
  Database database;
  REQUIRE(database.open().ok());
  fill(database, 0);
  BucketFixture bucket;
  REQUIRE(bucket.backUp(database).ok());
  bool isWhole = false;
  for (int nth = 0; !isWhole; ++nth) {
    REQUIRE(nth < 200);
    for (const bool isRestore : {false, true}) {
      int at = 0;
      bucket.store.follow([&](const StoreRequest&) {
        return at++ < nth ? StoreFate::kPlain : StoreFate::kUnavailable;
      });
      const auto told = isRestore ? bucket.restore(freshPath("restored")) : bucket.verify();
      isWhole = told.ok();
      EXPECT(told.ok() || told.status().code() == StatusCode::kStorageUnavailable);
      EXPECT(!isIn(R"("status":"damaged")", told));
    }
  }
}

TEST("an entry can be inspected") {
  Database database;
  REQUIRE(database.open().ok());
  fill(database, 0);
  BucketFixture bucket;
  REQUIRE(bucket.backUp(database).ok());
  const auto opened = openBucket(bucket.session, {std::string(kUrl), 1});
  REQUIRE(opened.ok() && opened.value().entry == 1);
  for (const InspectionPart part : {InspectionPart::kManifest, InspectionPart::kRefs}) {
    Inspection inspection(*opened.value().files, std::string(kUrl), {part, {}});
    const auto told = run(inspection);
    EXPECT(told.ok() && !told.value().empty() && !isIn("damage", told));
  }
}

TEST("large segments are sent in parts, with progress") {
  Database database;
  REQUIRE(database.open().ok());
  fill(database, 0);
  BucketFixture bucket;
  bucket.sizes = {100, 64};
  const auto told = bucket.backUp(database);
  EXPECT(isIn(R"({"kind":"progress","file":"objects/)", told));
  EXPECT(bucket.store.count(StoreOp::kEndUpload) == database.segmentPaths().size());
  EXPECT(bucket.content().value() == contentOf(database));
}

TEST("an entry whose parts are of another state, or of a newer program, is refused") {
  Database database;
  REQUIRE(database.open().ok());
  fill(database, 0);
  BucketFixture bucket;
  REQUIRE(bucket.backUp(database).ok());
  const auto good = bucket.objects();
  SpineOwner owner = spineReader(*database.engine().root().id);
  owner.node = "node-b";
  for (const bool isNewer : {false, true}) {
    bucket.store.objects() = good;
    CreateChains chains(bucket.store, bucket.pauser, 1);
    Claim claim(bucket.session, chains, owner);
    REQUIRE(claim.take().ok() && claim.known() != nullptr);
    const SpineEntry& entry = claim.known()->entry();
    PublishedState state;
    state.featuresToRead = isNewer ? std::uint32_t{1} << 20 : entry.featuresToRead;
    state.edit = entry.edit;
    state.headCommit = isNewer ? entry.headCommit : sha256(asBytes("other"));
    state.parts = entry.parts;
    REQUIRE(claim.publish(state).ok());
    const auto told = bucket.content();
    EXPECT(told.status().code() ==
           (isNewer ? StatusCode::kConfiguration : StatusCode::kStorageCorrupt));
    EXPECT(isIn(isNewer ? "newer seriesdb" : "another head commit", told));
    const auto again = bucket.backUp(database);
    EXPECT(isNewer ? isIn("newer seriesdb", again) : again.ok());
  }
}

TEST("the state is taken after the claim and the listing, which deletions rely on") {
  Database database;
  REQUIRE(database.open().ok());
  fill(database, 0);
  BucketFixture bucket;
  REQUIRE(bucket.backUp(database).ok());
  const std::size_t lists = bucket.store.count(StoreOp::kList);
  int asked = 0;
  const auto backup =
      backUpToBucket({&posixFileSystem(), database.options.directory, database.engine().root(),
                      [&] {
                        ++asked;
                        EXPECT(bucket.countIn("spine-") == 2 && bucket.countIn("log-") == 1);
                        EXPECT(bucket.store.count(StoreOp::kList) == lists + 2);
                        return database.engine().holdFiles();
                      }},
                     {&bucket.store, &bucket.pauser, std::string(kUrl), "node-a", 1, {}});
  EXPECT(run(*backup).ok() && asked == 1);
}

TEST("a slash at the end of the directory or of the url makes no difference") {
  Database database;
  REQUIRE(database.open().ok());
  fill(database, 0);
  CHECK(database.flush().ok());
  BucketFixture bucket;
  const auto backup = backUpToBucket(
      BucketBackupSource{&posixFileSystem(), database.options.directory + "/",
                         database.engine().root(),
                         [&database] { return database.engine().holdFiles(); }},
      BucketBackupTarget{&bucket.store, &bucket.pauser, std::string(kUrl), "node-a", 1, {}});
  REQUIRE(run(*backup).ok());
  auto opened = openBucket(bucket.session, {std::string(kUrl) + "/", {}});
  REQUIRE(opened.ok());
  const std::string target = freshPath("restored");
  Restore restore(*opened.value().files, std::string(kUrl) + "/", {}, posixFileSystem(), target);
  REQUIRE(run(restore).ok());
  EXPECT(contentIn(target) == contentOf(database));
}

TEST("a directory that was rolled back behind the last backup is refused") {
  Database database;
  REQUIRE(database.open().ok());
  fill(database, 0);
  CHECK(database.flush().ok());
  const std::string older = freshPath("older");
  database.close();
  files::copy(database.options.directory, older, files::copy_options::recursive);
  REQUIRE(database.open().ok());
  replaceAll(database, 10);
  BucketFixture bucket;
  REQUIRE(bucket.backUp(database).ok());
  const auto content = bucket.content();
  Database rolledBack;
  rolledBack.options.directory = older;
  REQUIRE(rolledBack.open().ok());
  const auto told = bucket.backUp(rolledBack);
  EXPECT(told.status().code() == StatusCode::kConfiguration);
  EXPECT(isIn("is older than what was backed up last", told));
  EXPECT(bucket.content().value() == content.value());
}

TEST("a backup is complete though what nobody needs could not be removed") {
  Database database;
  REQUIRE(database.open().ok());
  fill(database, 0);
  BucketFixture bucket;
  REQUIRE(bucket.backUp(database).ok());
  replaceAll(database, 10);
  bucket.store.follow([](const StoreRequest& request) {
    return request.op == StoreOp::kDelete ? StoreFate::kUnavailable : StoreFate::kPlain;
  });
  const auto told = bucket.backUp(database);
  EXPECT(isIn(R"("status":"ok")", told) && isIn(R"("not_removed":")", told) && entryIn(told) == 3);
  bucket.store.follow({});
  EXPECT(bucket.content().value() == contentOf(database));
  const auto next = bucket.backUp(database);
  EXPECT(!isIn("not_removed", next) && !isIn(R"("removed":0)", next));
}

TEST("nothing is removed while a kept backup cannot be read") {
  Database database;
  REQUIRE(database.open().ok());
  BucketFixture bucket;
  for (int from = 0; from < 30; from += 10) {
    replaceAll(database, from);
    bucket.keep = 4;
    REQUIRE(bucket.backUp(database).ok());
  }
  for (auto& [key, bytes] : bucket.store.objects()) {
    if (key.ends_with("/000000000001") && key.starts_with("spine-")) bytes.back() ^= 1;
  }
  replaceAll(database, 30);
  const auto told = bucket.backUp(database);
  EXPECT(isIn(R"("status":"ok")", told) && isIn(R"("removed":0)", told));
  // Once it is not kept any more, its objects go.
  bucket.keep = 2;
  replaceAll(database, 40);
  EXPECT(!isIn(R"("removed":0)", bucket.backUp(database)));
  EXPECT(bucket.content().value() == contentOf(database));
}
