// Segments from a bucket, from a database that was set aside, and from an earlier try.
#include "shipping/segment_fetch.h"

#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "bucket/session_fixture.h"
#include "fetch_fixture.h"
#include "format/segment/object_files.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

constexpr std::size_t kRange = std::size_t{8} << 20;

struct SegmentWorld : SharedSession {
  void add(std::size_t size, std::uint8_t seed) {
    bytes.push_back(patternOf(size, seed));
    const Sha256 hash = sha256(bytes.back());
    wanted.push_back({hash, size, false});
    objects()[keyOf(wanted.back())] = bytes.back();
  }
  static std::string keyOf(const WantedSegment& one) {
    return BucketLayout(DatabaseId{}).keyOf(SegmentPlace{one.hash});
  }
  Status fetch(FileSystem& fs = posixFileSystem(), const FetchWatch& watch = nullptr) {
    return SegmentFetch(session, {fs, directory, aside}, watch).run(wanted);
  }
  std::size_t gets() const { return shared.store.count(StoreOp::kGet); }
  void expectAll(const std::string& in) const {
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      EXPECT(contentOf(in + "/" + keyOf(wanted[i])) == bytes[i]);
    }
  }

  const std::string directory = temporaryDirectory();
  std::vector<std::string> aside;
  std::vector<WantedSegment> wanted;
  std::vector<ByteBuffer> bytes;
};

}  // namespace

TEST("segments of any size are read by ranges, and one that is there is not read again") {
  SegmentWorld world;
  for (const std::size_t size : {std::size_t{1}, kRange - 1, kRange, kRange + 1, 2 * kRange + 5}) {
    world.add(size, static_cast<std::uint8_t>(size));
  }
  std::mutex mutex;
  FetchProgress last;
  const auto watch = [&](const FetchProgress& now) {
    const std::lock_guard lock(mutex);
    if (now.doneBytes >= last.doneBytes) last = now;
    return true;
  };
  REQUIRE(world.fetch(posixFileSystem(), watch).ok());
  world.expectAll(world.directory);
  EXPECT(world.gets() == 1 + 1 + 1 + 2 + 3);
  EXPECT(last.bytes == 5 * kRange + 6 && last.doneBytes == last.bytes);
  REQUIRE(world.fetch().ok());
  EXPECT(world.gets() == 8);
  world.expectAll(world.directory);
}

TEST("a segment of another size, at any end of a range, is refused and does not get its name") {
  for (const std::size_t size : {std::size_t{3}, kRange, kRange + 1}) {
    for (const bool isLonger : {false, true}) {
      SegmentWorld world;
      world.add(size, 1);
      const std::string key = SegmentWorld::keyOf(world.wanted[0]);
      world.objects()[key].resize(isLonger ? size + 1 : size - 1);
      const Status fetched = world.fetch();
      EXPECT(fetched.message() == key + ": it has another size in the bucket");
      world.wanted[0].size = isLonger ? size + 1 : size - 1;
      EXPECT(world.fetch().message() == key + ": its bytes in the bucket have another hash");
      world.wanted[0].size = std::uint64_t{1} << 63;
      EXPECT(world.fetch().code() == StatusCode::kStorageCorrupt);
      EXPECT(!files::exists(world.directory + "/" + key));
    }
  }
}

TEST("a segment of history that is missing or damaged ends nothing, and leaves no file") {
  SegmentWorld world;
  for (const std::uint8_t seed : {1, 2, 3}) world.add(1000, seed);
  world.objects().erase(SegmentWorld::keyOf(world.wanted[1]));
  world.objects()[SegmentWorld::keyOf(world.wanted[2])][500] ^= 1;
  EXPECT(world.fetch().code() == StatusCode::kStorageCorrupt);
  for (const std::size_t at : {1, 2}) world.wanted[at].isOptional = true;
  REQUIRE(world.fetch().ok());
  world.wanted.resize(1);
  world.expectAll(world.directory);
  EXPECT(objectFilesIn(posixFileSystem(), world.directory).value().size() == 1);
}

TEST("a segment aside is linked, or copied if that fails; a damaged one is read from the bucket") {
  for (const bool isLinked : {true, false}) {
    SegmentWorld world;
    for (const std::uint8_t seed : {1, 2, 3}) world.add(5000, seed);
    const std::string old = temporaryDirectory();
    for (const std::size_t at : {0, 1}) {
      const ByteBuffer& bytes = world.bytes[at];
      writeText(old + "/" + SegmentWorld::keyOf(world.wanted[at]), asText(bytes));
    }
    ByteBuffer damaged = world.bytes[1];
    damaged[77] ^= 1;
    overwrite(old + "/" + SegmentWorld::keyOf(world.wanted[1]), damaged);
    world.aside = {old + "/nothing", old + "/objects"};
    FaultyFileSystem fs(posixFileSystem());
    if (!isLinked) fs.failFrom(Operation::kLink, 1);
    REQUIRE(world.fetch(fs).ok());
    world.expectAll(world.directory);
    EXPECT(world.gets() == 2);
    const std::string first = SegmentWorld::keyOf(world.wanted[0]);
    EXPECT(files::hard_link_count(old + "/" + first) == (isLinked ? 2 : 1));
    EXPECT(contentOf(old + "/" + SegmentWorld::keyOf(world.wanted[1])) == damaged);
  }
}
