#include "common/file/file_system.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "faulty_file_system.h"
#include "harness.h"

using namespace seriesdb;
using test::FaultyFileSystem;
using test::Operation;

namespace {

FileSystem& disk() { return posixFileSystem(); }

std::string contentOf(const std::string& path) {
  const auto content = disk().readAll(path);
  return content.ok() ? std::string(asText(content.value())) : "<" + content.status().message();
}

}  // namespace

TEST("a created file holds what was appended, and cannot be created twice") {
  const std::string path = test::temporaryDirectory() + "/a";
  auto file = disk().create(path);
  REQUIRE(file.ok());
  EXPECT(file.value()->append(asBytes("hello ")).ok());
  EXPECT(file.value()->append(asBytes("world")).ok());
  EXPECT(file.value()->size() == 11);
  EXPECT(file.value()->sync().ok());
  EXPECT(contentOf(path) == "hello world");
  const auto again = disk().create(path);
  EXPECT(!again.ok() && again.status().code() == StatusCode::kIo);
  EXPECT(again.status().message().find(path) != std::string::npos);
}

TEST("openAppend continues at the end of a file, and truncate moves the end") {
  const std::string path = test::temporaryDirectory() + "/a";
  REQUIRE(disk().create(path).value()->append(asBytes("0123456789")).ok());
  auto file = disk().openAppend(path);
  REQUIRE(file.ok());
  EXPECT(file.value()->size() == 10);
  EXPECT(file.value()->truncate(4).ok());
  EXPECT(file.value()->append(asBytes("x")).ok());
  EXPECT(file.value()->size() == 5);
  EXPECT(contentOf(path) == "0123x");
  EXPECT(!disk().openAppend(path + "-missing").ok());
}

TEST("a file is read by mapping and by calls, and an empty file has no bytes") {
  const std::string directory = test::temporaryDirectory();
  REQUIRE(disk().create(directory + "/a").value()->append(asBytes("abcdef")).ok());
  REQUIRE(disk().create(directory + "/empty").ok());
  auto file = disk().openRead(directory + "/a");
  REQUIRE(file.ok());
  EXPECT(file.value()->size() == 6 && asText(file.value()->mapped()) == "abcdef");
  EXPECT(!file.value()->isMappingLost());
  ByteBuffer part(3);
  EXPECT(file.value()->read(2, part).ok() && asText(part) == "cde");
  EXPECT(file.value()->read(4, part).code() == StatusCode::kStorageCorrupt);
  auto empty = disk().openRead(directory + "/empty");
  REQUIRE(empty.ok());
  EXPECT(empty.value()->size() == 0 && empty.value()->mapped().empty());
  EXPECT(!empty.value()->isMappingLost());
  EXPECT(!disk().openRead(directory).ok());
  EXPECT(!disk().openRead(directory + "/missing").ok());
}

TEST("directories are created with their parents, listed in order, and may be created again") {
  const std::string directory = test::temporaryDirectory() + "/x/y//z/";
  EXPECT(disk().makeDirectory(directory).ok());
  EXPECT(disk().makeDirectory(directory).ok());
  for (const char* name : {"b", "c", "a"}) REQUIRE(disk().create(directory + name).ok());
  const auto names = disk().list(directory);
  REQUIRE(names.ok());
  EXPECT((names.value() == std::vector<std::string>{"a", "b", "c"}));
  EXPECT(disk().rename(directory + "a", directory + "d").ok());
  EXPECT(disk().remove(directory + "b").ok());
  EXPECT(!disk().remove(directory + "b").ok());
  EXPECT((disk().list(directory).value() == std::vector<std::string>{"c", "d"}));
  EXPECT(disk().exists(directory + "d").value());
  EXPECT(!disk().exists(directory + "d/below-a-file").value());
  EXPECT(disk().syncDirectory(directory).ok());
  EXPECT(!disk().makeDirectory(directory + "d").ok());
  EXPECT(disk().freeBytes(directory).value() > 0);
}

TEST("a second lock in the same process is refused with its id until the first is released") {
  const std::string path = test::temporaryDirectory() + "/LOCK";
  {
    const auto first = disk().lock(path);
    REQUIRE(first.ok());
    EXPECT(contentOf(path) == std::to_string(::getpid()) + "\n");
    const auto second = disk().lock(path);
    REQUIRE(!second.ok());
    EXPECT(second.status().code() == StatusCode::kLocked);
    EXPECT(second.status().message().find(std::to_string(::getpid())) != std::string::npos);
  }
  EXPECT(disk().lock(path).ok());
}

TEST("a lock held by another process is refused with its id, and freed when that process dies") {
  const std::string path = test::temporaryDirectory() + "/LOCK";
  int ready[2];
  REQUIRE(::pipe(ready) == 0);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const auto held = disk().lock(path);
    const char mark = held.ok() ? 'y' : 'n';
    if (::write(ready[1], &mark, 1) == 1) ::pause();
    ::_exit(1);
  }
  char mark = 0;
  EXPECT(::read(ready[0], &mark, 1) == 1);
  EXPECT(mark == 'y');
  const auto refused = disk().lock(path);
  EXPECT(!refused.ok() && refused.status().code() == StatusCode::kLocked);
  EXPECT(refused.status().message().ends_with("process " + std::to_string(child)));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ::close(ready[0]);
  ::close(ready[1]);
  EXPECT(disk().lock(path).ok());
}

TEST("only regular files are opened for appending") {
  EXPECT(!disk().openAppend("/dev/null").ok());
}

TEST("an append past the allowed file size fails with io and keeps the logical size") {
  const std::string path = test::temporaryDirectory() + "/a";
  auto file = disk().create(path);
  REQUIRE(file.ok());
  REQUIRE(file.value()->append(asBytes("1234")).ok());
  struct rlimit before {};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  auto* const handler = ::signal(SIGXFSZ, SIG_IGN);
  const struct rlimit small { 6, before.rlim_max };
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  const Status status = file.value()->append(asBytes("abcdef"));
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, handler);
  EXPECT(status.code() == StatusCode::kIo);
  EXPECT(file.value()->size() == 4);
  EXPECT(contentOf(path) == "1234ab");
  EXPECT(file.value()->append(asBytes("xyz")).ok());
  EXPECT(contentOf(path) == "1234xyz");
}

TEST("replaceFile publishes the new content and removes what a crash left behind") {
  const std::string directory = test::temporaryDirectory();
  REQUIRE(disk().create(directory + "/f.tmp").value()->append(asBytes("half")).ok());
  EXPECT(replaceFile(disk(), directory, "f", asBytes("one")).ok());
  EXPECT(contentOf(directory + "/f") == "one");
  EXPECT(replaceFile(disk(), directory, "f", asBytes("two")).ok());
  EXPECT(contentOf(directory + "/f") == "two");
  EXPECT((disk().list(directory).value() == std::vector<std::string>{"f"}));
}

TEST("a replaceFile that fails before its rename leaves the old content and no other file") {
  const std::string directory = test::temporaryDirectory();
  REQUIRE(replaceFile(disk(), directory, "f", asBytes("old")).ok());
  for (const Operation operation :
       {Operation::kCreate, Operation::kAppend, Operation::kSync, Operation::kRename}) {
    FaultyFileSystem fs(disk());
    fs.failAt(operation, 1);
    EXPECT(!replaceFile(fs, directory, "f", asBytes("new")).ok());
    EXPECT(contentOf(directory + "/f") == "old");
    EXPECT((disk().list(directory).value() == std::vector<std::string>{"f"}));
  }
}

TEST("the faulty file system fails the n-th operation, once or for ever, and writes short") {
  FaultyFileSystem fs(disk());
  const std::string path = test::temporaryDirectory() + "/a";
  auto opened = fs.create(path);
  REQUIRE(opened.ok());
  WritableFile& file = *opened.value();
  fs.failAt(Operation::kAppend, 2);
  EXPECT(file.append(asBytes("1")).ok());
  EXPECT(!file.append(asBytes("2")).ok());
  EXPECT(file.append(asBytes("3")).ok());
  EXPECT(contentOf(path) == "13");
  fs.shortenAppendAt(1, 2);
  EXPECT(!file.append(asBytes("4567")).ok());
  EXPECT(contentOf(path) == "1345");
  EXPECT(file.size() == 2);
  EXPECT(file.truncate(2).ok());
  fs.failFrom(Operation::kSync, 1);
  EXPECT(!file.sync().ok() && !file.sync().ok());
  fs.heal();
  EXPECT(file.sync().ok());
  fs.setSpace(3);
  const Status full = file.append(asBytes("abcdef"));
  EXPECT(full.code() == StatusCode::kStorageUnavailable);
  EXPECT(contentOf(path) == "13abc");
  fs.losePower();
  EXPECT(contentOf(path) == "13");
  EXPECT(fs.count(Operation::kAppend) == 5);
}
