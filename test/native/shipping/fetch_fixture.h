// A database in a bucket: its state as a backup publishes it, and its log as groups.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "bucket/spine.h"
#include "common/types/file_names.h"
#include "format/log/log_frame.h"
#include "log_fixture.h"
#include "maintenance/bucket/bucket_fixture.h"
#include "bucket/bucket_file.h"
#include "shipping/database_aside.h"
#include "shipping/fetch.h"

namespace seriesdb::test {

inline constexpr ProcessNonce kFetchNonce = {0xab, 0xcd, 0x01, 0x23};

// Makes a file, and its folder.
inline void writeText(const std::string& path, std::string_view text) {
  files::create_directories(files::path(path).parent_path());
  auto file = posixFileSystem().create(path);
  REQUIRE(file.ok() && file.value()->append(asBytes(text)).ok());
}

inline void addAllKinds(Database& database, int from) {
  const std::string name = "n" + std::to_string(from);
  REQUIRE(database.ingest(described(name, from, from) + line("same", from, from)).ok());
  REQUIRE(annotate(database, name.c_str()).ok());
}

// The log files of a closed database from the number on, by number.
inline std::map<std::uint64_t, ByteBuffer> logFilesIn(const std::string& directory,
                                                      std::uint64_t from = 0) {
  std::map<std::uint64_t, ByteBuffer> found;
  const std::string folder = directory + "/wal";
  const auto names = posixFileSystem().list(folder);
  if (!names.ok()) return found;
  for (const std::string& name : names.value()) {
    const auto number = file_names::walNumber(name);
    if (number && *number >= from) found[*number] = contentOf(folder + "/" + name);
  }
  return found;
}

// Everything that a start from nothing reads.
struct HomeFixture : SharedSession {
  // Takes the state of an open database, which is flushed.
  void publish(Database& database) {
    BucketFixture backup;
    backup.store.objects() = objects();
    const auto told = backup.backUp(database);
    REQUIRE(told.ok());
    objects() = backup.store.objects();
    root = database.engine().root();
    Spine spine(session, *root.id);
    claim = spine.newest(0).value()->entry;
  }
  // Adds the log behind the state as groups of some records, in two epochs, and seals it; then the
  // newest entry is a claim. The database is closed. Files beyond `fileMax` are not shipped.
  void ship(const std::string& directory, std::uint64_t seedOfGroups,
            std::uint64_t fileMax = UINT64_MAX) {
    std::mt19937_64 random(seedOfGroups);
    LogGroup group;
    group.link.database = *root.id;
    group.place = claim.floor.place;
    group.lastSequence = claim.floor.sequence;
    std::vector<LogGroup> groups;
    for (const auto& [number, bytes] : logFilesIn(directory)) {
      if (number > fileMax) break;
      const std::vector<std::size_t> bounds = recordBounds(bytes);
      for (std::size_t at = 0; at + 1 < bounds.size();) {
        const std::size_t end = std::min<std::size_t>(bounds.size() - 1, at + 1 + random() % 4);
        const auto first = log_frame::recordAt(bytes, bounds[at]);
        group.file = number;
        group.firstSequence = first->sequence;
        group.lastSequence = first->sequence + (end - at) - 1;
        group.records.assign(bytes.begin() + static_cast<std::ptrdiff_t>(bounds[at]),
                             bytes.begin() + static_cast<std::ptrdiff_t>(bounds[end]));
        at = end;
        if (group.firstSequence > claim.floor.sequence) groups.push_back(group);
      }
    }
    putGroups(groups, groups.empty() ? 0 : random() % groups.size());
  }
  std::string keyOf(const GroupPlace& place) const { return BucketLayout(*root.id).keyOf(place); }

  // A start whose directory lost against the bucket, up to the opening of the engine.
  Status start(const std::string& directory, FileSystem& fs = posixFileSystem(),
               ProcessNonce nonce = kFetchNonce) {
    const auto there = readBucketFile(fs, directory);
    if (!there.ok()) return there.status();
    BucketFile bucket = there.value().value_or(BucketFile{BucketState::kAside, *root.id, {nonce}});
    Status done = there.value() ? Status() : writeBucketFile(fs, directory, bucket);
    if (done.ok() && bucket.state == BucketState::kAside) {
      done = setDatabaseAside(fs, directory, bucket.nonces.back());
      bucket.state = BucketState::kFetching;
      if (done.ok()) done = writeBucketFile(fs, directory, bucket);
    }
    if (done.ok()) done = fetch(directory, fs);
    bucket = {BucketState::kWhole, *root.id, {nonce}};
    return done.ok() ? writeBucketFile(fs, directory, bucket) : done;
  }
  Status fetch(const std::string& directory, FileSystem& fs = posixFileSystem()) {
    return fetchDatabase({session, claim, root, historyKeepMs, watch}, fs, directory);
  }
  // A start in an empty directory.
  Status startIn(const std::string& directory) {
    files::remove_all(directory);
    files::create_directories(directory);
    return start(directory);
  }

  RootFacts root;
  SpineEntry claim;
  std::optional<std::uint64_t> historyKeepMs = 0;
  FetchWatch watch;
  std::vector<GroupPlace> places;  // Of all groups and seals.

 private:
  void putObject(LogGroup group, Sha256& before) {
    group.link.before = before;
    const ByteBuffer bytes = encodeGroup(group).value();
    before = sha256(bytes);
    objects()[keyOf(group.place)] = bytes;
    places.push_back(group.place);
  }
  void seal(GroupPlace& place, std::uint64_t sequence, Sha256& before) {
    LogGroup seal;
    seal.kind = GroupKind::kSeal;
    seal.link.database = *root.id;
    seal.place = place;
    putObject(seal, before);
    claim.ends.push_back({place.number, sequence, sequence});
    claim.epoch = ++place.epoch;
    place.number = 1;
    before = {};
  }
  // Groups from `second` on are of the next epoch.
  void putGroups(const std::vector<LogGroup>& groups, std::size_t second) {
    GroupPlace place = claim.floor.place;
    std::uint64_t last = claim.floor.sequence;
    Sha256 before;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      if (i == second) seal(place, last, before);
      LogGroup one = groups[i];
      one.place = place;
      putObject(one, before);
      last = one.lastSequence;
      ++place.number;
    }
    seal(place, last, before);
    claim.kind = EntryKind::kClaim;
    claim.number = claim.lastClaim = claim.number + 2;
  }
};

// A database whose state and log are in a bucket.
struct HomeWorld : HomeFixture {
  explicit HomeWorld(FileSystem& fs = posixFileSystem()) : database(fs) {
    REQUIRE(database.open().ok());
    fill(database, 0);
    earlier = freshPath("earlier");
    database.close();
    files::copy(database.options.directory, earlier, files::copy_options::recursive);
    REQUIRE(database.open().ok());
    fill(database, 10);
    REQUIRE(snapshot(database, "first").ok());
    fill(database, 20);
    publish(database);
    // Records of three files behind the state: samples, series, annotations and a deletion.
    addAllKinds(database, 40);
    addAllKinds(database, 41);
    REQUIRE(database.open().ok());
    addAllKinds(database, 42);
    REQUIRE(database.open().ok());
    addAllKinds(database, 43);
    REQUIRE(database.remove({database.index()->idOf(1)}, kAllTime).ok());
    addAllKinds(database, 44);
    content = contentOf(database);
    database.close();
    log = logFilesIn(database.options.directory);
    ship(database.options.directory, seed());
  }

  Database database;
  std::string earlier;  // A copy of the closed database, long before.
  std::string content;
  std::map<std::uint64_t, ByteBuffer> log;
};

}  // namespace seriesdb::test
