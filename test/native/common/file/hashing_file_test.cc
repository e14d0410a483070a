#include "common/file/hashing_file.h"

#include <random>

#include "faulty_file_system.h"
#include "harness.h"

using namespace seriesdb;
using test::FaultyFileSystem;
using test::Operation;

namespace {

using Random = std::mt19937_64;

ByteBuffer randomPiece(Random& random, std::size_t sizeMax) {
  ByteBuffer bytes(random() % (sizeMax + 1));
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
  return bytes;
}

// A file system with injected failures, and a directory of its own.
struct Disk {
  FaultyFileSystem fs{posixFileSystem()};
  std::string path = test::temporaryDirectory() + "/output";

  HashingFile create() { return HashingFile(fs.create(path).value()); }
  ByteBuffer content() { return fs.readAll(path).value(); }
};

}  // namespace

TEST("a hashing file returns the hash of the bytes on disk, however they were appended") {
  Random random(test::seed());
  for (const std::size_t sizeMax : {0u, 1u, 63u, 64u, 65u, 1000u, 300'000u}) {
    Disk disk;
    HashingFile file = disk.create();
    for (int i = 0; i < 20; ++i) REQUIRE(file.append(randomPiece(random, sizeMax)).ok());
    const auto hash = file.finish();
    REQUIRE(hash.ok());
    EXPECT(hash.value() == sha256(disk.content()));
  }
}

TEST("bytes whose hash was returned survive a power loss") {
  Disk disk;
  HashingFile file = disk.create();
  REQUIRE(file.append(asBytes("abc")).ok());
  const auto hash = file.finish();
  REQUIRE(hash.ok());
  disk.fs.losePower();
  EXPECT(asText(disk.content()) == "abc");
  EXPECT(hash.value() == sha256(disk.content()));
}

TEST("after a failed append a hashing file accepts no bytes and returns no hash") {
  for (const std::size_t kept : {0u, 2u}) {
    for (const StatusCode code : {StatusCode::kIo, StatusCode::kStorageUnavailable}) {
      Disk disk;
      HashingFile file = disk.create();
      REQUIRE(file.append(asBytes("abc")).ok());
      disk.fs.shortenAppendAt(1, kept, code);
      EXPECT(file.append(asBytes("def")).code() == code);
      disk.fs.heal();
      EXPECT(file.append(asBytes("ghi")).code() == code);
      EXPECT(file.finish().status().code() == code);
      EXPECT(disk.content().size() == 3 + kept);
      EXPECT(disk.fs.count(Operation::kSync) == 0);
    }
  }
}

TEST("a hashing file on a full disk reports it and returns no hash") {
  Disk disk;
  HashingFile file = disk.create();
  disk.fs.setSpace(5);
  EXPECT(file.append(asBytes("abc")).ok());
  EXPECT(file.append(asBytes("def")).code() == StatusCode::kStorageUnavailable);
  EXPECT(file.finish().status().code() == StatusCode::kStorageUnavailable);
}

TEST("a hashing file whose sync failed returns no hash, also on a second call") {
  Disk disk;
  HashingFile file = disk.create();
  REQUIRE(file.append(asBytes("abc")).ok());
  disk.fs.failAt(Operation::kSync, 1);
  EXPECT(file.finish().status().code() == StatusCode::kIo);
  EXPECT(file.finish().status().code() == StatusCode::kIo);
  EXPECT(disk.fs.count(Operation::kSync) == 1);
}

TEST("a finished hashing file refuses appends and a second finish") {
  Disk disk;
  HashingFile file = disk.create();
  REQUIRE(file.append(asBytes("abc")).ok());
  REQUIRE(file.finish().ok());
  EXPECT(file.append(asBytes("def")).code() == StatusCode::kInvalidArgument);
  EXPECT(file.finish().status().code() == StatusCode::kInvalidArgument);
  EXPECT(asText(disk.content()) == "abc");
}
