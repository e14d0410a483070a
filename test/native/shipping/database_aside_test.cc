// Setting a database aside.
#include "shipping/database_aside.h"

#include <string>

#include "fetch_fixture.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

const std::string kAside = "/quarantine/bucket-abcd0123/";

std::string textAt(const std::string& path) {
  return files::exists(path) ? std::string(asText(contentOf(path))) : std::string("-");
}

constexpr std::array kMoved = {"ROOT",
                               "MANIFEST",
                               "CATALOG",
                               "ANNOTATIONS",
                               "REFS",
                               "refs/tags/one",
                               "wal/0000000001.wal",
                               "segments/0000000001.seg",
                               "objects/ab/cd"};
constexpr std::array kStaying = {"LOCK", "RESERVE", "tokens", "BUCKET.old",
                                 "quarantine/ndjson.log"};

std::string makeFiles() {
  const std::string directory = temporaryDirectory();
  for (const char* name : kMoved) writeText(directory + "/" + name, name);
  for (const char* name : kStaying) writeText(directory + "/" + name, name);
  return directory;
}

}  // namespace

TEST("everything of a database is moved aside, and nothing else") {
  FileSystem& fs = posixFileSystem();
  const std::string directory = makeFiles();
  REQUIRE(setDatabaseAside(fs, directory, kFetchNonce).ok());
  for (const char* name : kMoved) EXPECT(textAt(directory + kAside + name) == name);
  for (const char* name : kStaying) EXPECT(textAt(directory + "/" + name) == name);
  REQUIRE(setDatabaseAside(fs, directory, kFetchNonce).ok());
  EXPECT(objectFoldersAside(fs, directory).value() ==
         std::vector<std::string>{directory + kAside + "objects"});
}

TEST("a directory without a database stays as it is") {
  FileSystem& fs = posixFileSystem();
  const std::string directory = temporaryDirectory();
  REQUIRE(setDatabaseAside(fs, directory, kFetchNonce).ok());
  EXPECT(fs.list(directory).value().empty());
  EXPECT(objectFoldersAside(fs, directory).value().empty());
}

TEST("what was set aside is never replaced") {
  FileSystem& fs = posixFileSystem();
  const std::string directory = makeFiles();
  REQUIRE(setDatabaseAside(fs, directory, kFetchNonce).ok());
  for (const char* round : {"second", "third"}) {
    writeText(directory + "/ROOT", round);
    writeText(directory + "/objects/ab/cd", round);
    REQUIRE(setDatabaseAside(fs, directory, kFetchNonce).ok());
  }
  EXPECT(textAt(directory + kAside + "ROOT") == "ROOT");
  EXPECT(textAt(directory + kAside + "ROOT.1") == "second");
  EXPECT(textAt(directory + kAside + "ROOT.2") == "third");
  EXPECT(textAt(directory + kAside + "objects.2/ab/cd") == "third");
  EXPECT(objectFoldersAside(fs, directory).value().size() == 3);
}

TEST("an interrupted setting aside goes on, and every file is in one of both places") {
  for (std::uint64_t nth = 1; nth < 40; ++nth) {
    for (const PowerLoss loss : {PowerLoss::kAll, PowerLoss::kSome}) {
      const std::string directory = makeFiles();
      FaultyFileSystem fs(posixFileSystem());
      fs.simulatePower(temporaryDirectory());
      fs.cutPowerAt(nth);
      const bool isDone = setDatabaseAside(fs, directory, kFetchNonce).ok();
      fs.heal();
      fs.losePower(loss, seed() + nth);
      for (const char* name : kMoved) {
        const bool isAside = textAt(directory + kAside + name) == name;
        EXPECT(isAside != (textAt(directory + "/" + name) == name));
        EXPECT(isAside || !isDone);
      }
      REQUIRE(setDatabaseAside(posixFileSystem(), directory, kFetchNonce).ok());
      for (const char* name : kMoved) EXPECT(textAt(directory + kAside + name) == name);
    }
  }
}
