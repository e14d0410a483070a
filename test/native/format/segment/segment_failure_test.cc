// Segments that fail while open: truncated, rotten, unmapped, without a descriptor. Every answer
// has only written samples; all else is reported with its place.
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <random>
#include <thread>

#include "common/types/file_names.h"
#include "format/segment/segment.h"
#include "format/segment/segment_chunks.h"
#include "format/segment/segment_format.h"
#include "harness.h"
#include "storage/view/file_spans.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

constexpr SeriesRef kSeriesCount = 60;
constexpr std::size_t kSamples = 3000;

// Values of full precision, so that the file has many pages.
double valueAt(SeriesRef series, std::size_t i) {
  return static_cast<double>(series + 1) / (static_cast<double>(i) + 3);
}

// Forwards all calls, but maps nothing, and fails to read on request.
class UnmappedFileSystem final : public FileSystem {
 public:
  bool isBroken = false;

  class File final : public ReadableFile {
   public:
    File(const bool& isBroken, std::unique_ptr<ReadableFile> below)
        : isBroken_(isBroken), below_(std::move(below)) {}
    std::uint64_t size() const override { return below_->size(); }
    Bytes mapped() const override { return {}; }
    bool isMappingLost() const override { return false; }
    Status read(std::uint64_t offset, std::span<std::uint8_t> to) const override {
      return isBroken_ ? Status::io("Input/output error") : below_->read(offset, to);
    }

   private:
    const bool& isBroken_;
    std::unique_ptr<ReadableFile> below_;
  };
  Result<std::unique_ptr<WritableFile>> create(const std::string& path) override {
    return disk_.create(path);
  }
  Result<std::unique_ptr<WritableFile>> openAppend(const std::string& path) override {
    return disk_.openAppend(path);
  }
  Result<std::unique_ptr<ReadableFile>> openRead(const std::string& path) override {
    auto file = disk_.openRead(path);
    if (!file.ok()) return file;
    return std::unique_ptr<ReadableFile>(std::make_unique<File>(isBroken, std::move(file).value()));
  }
  Result<ByteBuffer> readAll(const std::string& path) override { return disk_.readAll(path); }
  Result<bool> exists(const std::string& path) override { return disk_.exists(path); }
  Result<std::vector<std::string>> list(const std::string& directory) override {
    return disk_.list(directory);
  }
  Status makeDirectory(const std::string& path) override { return disk_.makeDirectory(path); }
  Status rename(const std::string& from, const std::string& to) override {
    return disk_.rename(from, to);
  }
  Status link(const std::string& from, const std::string& to) override {
    return disk_.link(from, to);
  }
  Status remove(const std::string& path) override { return disk_.remove(path); }
  Status syncDirectory(const std::string& path) override { return disk_.syncDirectory(path); }
  Result<std::unique_ptr<DirectoryLock>> lock(const std::string& path) override {
    return disk_.lock(path);
  }
  Status preallocate(const std::string& path, std::uint64_t size) override {
    return disk_.preallocate(path, size);
  }
  Result<std::uint64_t> freeBytes(const std::string& path) override {
    return disk_.freeBytes(path);
  }

 private:
  FileSystem& disk_ = posixFileSystem();
};

// A segment of kSeriesCount series with one chunk each, on disk and open.
struct Fixture {
  explicit Fixture(FileSystem& fileSystem = posixFileSystem()) : fs(fileSystem) {
    auto writer = SegmentWriter::create(fs, directory, 3);
    CHECK(writer.ok());
    for (SeriesRef series = 0; series < kSeriesCount; ++series) {
      std::vector<Timestamp> ts;
      std::vector<double> values;
      for (std::size_t i = 0; i < kSamples; ++i) {
        ts.push_back(static_cast<Timestamp>(series * 10 + i * 1000));
        values.push_back(valueAt(series, i));
      }
      CHECK(writer.value()->addSeries(series, ts, values).ok());
    }
    auto finished = writer.value()->finish(1);
    CHECK(finished.ok());
    facts = finished.value();
    path = file_names::join(directory, segmentFileOf(facts));
    reopen();
  }
  void reopen() {
    auto opened = Segment::open(fs, directory, facts);
    CHECK(opened.ok());
    segment = std::move(opened).value();
  }
  void cut(std::uint64_t size) {
    auto file = fs.openAppend(path);
    CHECK(file.ok() && file.value()->truncate(size).ok());
  }
  // Overwrites in place, as on a rotting disk.
  void overwrite(std::uint64_t offset, Bytes bytes) {
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(offset));
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    CHECK(file.good());
  }
  ChunkEntry chunk(SeriesRef series) const { return chunksOf(*segment, series).front(); }

  FileSystem& fs;
  std::string directory = temporaryDirectory();
  std::string path;
  SegmentFacts facts;
  std::unique_ptr<Segment> segment;
};

// Reads a chunk. If the read succeeds, its samples must be the written ones.
Status readChunk(const Segment& segment, const ChunkEntry& chunk) {
  std::vector<Timestamp> ts(chunk.summary.count);
  std::vector<double> values(chunk.summary.count);
  Status read = segment.read(chunk, ts, values);
  if (!read.ok()) return read;
  for (std::size_t i = 0; i < ts.size(); ++i) {
    const bool isWritten = ts[i] == static_cast<Timestamp>(chunk.series * 10 + i * 1000) &&
                           values[i] == valueAt(chunk.series, i);
    if (!isWritten) fail(__FILE__, __LINE__, "a sample that nobody wrote");
    if (!isWritten) break;
  }
  return read;
}

// True if the message names the file, the chunk's offset, and its time range.
bool isToldFully(const std::string& sentence, const ChunkEntry& chunk) {
  // A name is a hash: 64 digits.
  const std::size_t name = sentence.find(" at offset ");
  if (name == std::string::npos || name < 64) return false;
  const auto has = [&](const std::string& part) {
    return sentence.find(part) != std::string::npos;
  };
  return Sha256::parse(sentence.substr(name - 64, 64)).has_value() &&
         has(" at offset " + std::to_string(chunk.offset)) &&
         has("samples from " + std::to_string(chunk.summary.tsMin) + " to " +
             std::to_string(chunk.summary.tsMax));
}

bool isDamage(const Status& status, const ChunkEntry& chunk) {
  return status.code() == StatusCode::kStorageCorrupt && isToldFully(status.message(), chunk);
}

}  // namespace

LONE_TEST("in a truncated open segment, chunks before the cut are read and later ones are damage") {
  std::mt19937_64 random(seed());
  for (int round = 0; round < 30; ++round) {
    Fixture on;
    const auto chunks = allChunks(*on.segment);
    // Some chunks are verified before the damage.
    for (const ChunkEntry& chunk : chunks) {
      if (random() % 2 == 0) EXPECT(readChunk(*on.segment, chunk).ok());
    }
    EXPECT(on.segment->damageMet().empty());
    const std::uint64_t size = random() % on.chunk(kSeriesCount - 1).offset;
    on.cut(size);
    const ChunkEntry* first = nullptr;
    for (int again = 0; again < 2; ++again) {
      for (const ChunkEntry& chunk : chunks) {
        const Status read = readChunk(*on.segment, chunk);
        // Behind the cut, the mapped page continues with zeros, which may equal the old bytes.
        if (chunk.offset + chunk.size <= size) EXPECT(read.ok());
        if (chunk.offset >= size) EXPECT(isDamage(read, chunk));
        EXPECT(read.ok() || isDamage(read, chunk));
        if (first == nullptr && !read.ok()) first = &chunk;
      }
    }
    REQUIRE(first != nullptr);
    EXPECT(isToldFully(on.segment->damageMet(), *first));
  }
}

// Chunks of 1, 2, few, and many samples.
struct ShortChunks {
  explicit ShortChunks(FileSystem& fileSystem = posixFileSystem()) : fs(fileSystem) {
    auto writer = SegmentWriter::create(fs, directory, 3);
    CHECK(writer.ok());
    for (SeriesRef series = 0; series < 1000; ++series) {
      constexpr std::array<std::size_t, 4> kCounts{1, 2, 20, 200};
      std::vector<Timestamp> ts;
      std::vector<double> values;
      for (std::size_t i = 0; i < kCounts[series % kCounts.size()]; ++i) {
        ts.push_back(static_cast<Timestamp>(series * 10 + i * 1000));
        values.push_back(valueAt(series, i));
      }
      CHECK(writer.value()->addSeries(series, ts, values).ok());
    }
    const auto facts = writer.value()->finish(1);
    CHECK(facts.ok());
    auto opened = Segment::open(fs, directory, facts.value());
    CHECK(opened.ok());
    segment = std::move(opened).value();
    chunks = allChunks(*segment);
  }
  void cut(std::uint64_t size) {
    auto file = fs.openAppend(file_names::join(directory, segmentFileOf(segment->facts())));
    CHECK(file.ok() && file.value()->truncate(size).ok());
  }

  FileSystem& fs;
  std::string directory = temporaryDirectory();
  std::unique_ptr<Segment> segment;
  std::vector<ChunkEntry> chunks;
};

TEST("short chunks of a truncated segment give the written samples or are damage") {
  std::mt19937_64 random(seed());
  for (int round = 0; round < 30; ++round) {
    ShortChunks on;
    for (const ChunkEntry& chunk : on.chunks) {
      if (random() % 2 == 0) EXPECT(readChunk(*on.segment, chunk).ok());
    }
    const std::uint64_t size = random() % on.chunks.back().offset;
    on.cut(size);
    for (const ChunkEntry& chunk : on.chunks) {
      const Status read = readChunk(*on.segment, chunk);
      EXPECT(read.ok() || read.code() == StatusCode::kStorageCorrupt);
      // The directory entries of the shortest chunks hold all their samples.
      if (chunk.summary.count <= kSummarySamples) EXPECT(chunk.size == 0 && read.ok());
      if (chunk.size > 0 && chunk.offset >= size) EXPECT(!read.ok());
    }
    EXPECT(!on.segment->damageMet().empty());
  }
}

TEST("a segment that lost its last bytes is reported as damaged and still read") {
  ShortChunks on;
  EXPECT(on.segment->damageMet().empty());
  on.cut(on.segment->facts().fileSize - 10);
  for (const ChunkEntry& chunk : on.chunks) EXPECT(readChunk(*on.segment, chunk).ok());
  EXPECT(!on.segment->damageMet().empty());
  EXPECT(!on.segment->isInMemory(on.chunks[2].offset, on.chunks[2].size));
}

TEST("chunks without bytes need no disk read") {
  UnmappedFileSystem fs;
  const ShortChunks on(fs);
  for (const ChunkEntry& chunk : on.chunks) {
    FileSpans spans;
    spans.add(*on.segment, chunk);
    EXPECT(spans.areInMemory() == (chunk.size == 0));
  }
}

TEST("short chunks of an unmapped segment are read, and a flipped byte damages their whole group") {
  UnmappedFileSystem fs;
  ShortChunks on(fs);
  for (const ChunkEntry& chunk : on.chunks) EXPECT(readChunk(*on.segment, chunk).ok());
  const ChunkEntry& hit = on.chunks[2];
  REQUIRE(hit.summary.count == 20);
  std::fstream file(file_names::join(on.directory, segmentFileOf(on.segment->facts())),
                    std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(static_cast<std::streamoff>(hit.offset));
  file.put('\xff');
  file.close();
  for (const ChunkEntry& chunk : on.chunks) {
    const bool isHit = chunk.place < 256 && chunk.summary.count == 20;
    const Status read = readChunk(*on.segment, chunk);
    EXPECT(isHit ? isDamage(read, chunk) : read.ok());
  }
}

TEST("a segment with a lost mapping is read again as soon as its file is whole") {
  Fixture on;
  const auto whole = on.fs.readAll(on.path);
  REQUIRE(whole.ok());
  const ChunkEntry chunk = on.chunk(kSeriesCount - 1);
  on.cut(100);
  EXPECT(isDamage(readChunk(*on.segment, chunk), chunk));
  on.overwrite(0, whole.value());
  for (const ChunkEntry& one : allChunks(*on.segment)) EXPECT(readChunk(*on.segment, one).ok());
  EXPECT(!on.segment->damageMet().empty());
}

TEST("a truncated directory damages its whole time range until the file is whole again") {
  Fixture on;
  const auto whole = on.fs.readAll(on.path);
  REQUIRE(whole.ok());
  const auto before = chunksOf(*on.segment, 7);
  REQUIRE(before.size() == 1 && on.segment->chunkCountOf(std::vector<SeriesRef>{7}) == 1);
  on.cut(whole.value().size() - segment_format::kFooterSize - 40);
  const auto cut = chunksOf(*on.segment, 7);
  REQUIRE(cut.size() == 1 && !cut[0].isKnown());
  EXPECT(cut[0].summary.tsMin == on.facts.tsMin && cut[0].summary.tsMax == on.facts.tsMax);
  const Status read = readChunk(*on.segment, cut[0]);
  EXPECT(read.code() == StatusCode::kStorageCorrupt);
  const std::string range = "samples from " + std::to_string(on.facts.tsMin) + " to " +
                            std::to_string(on.facts.tsMax) + " are in a damaged directory";
  EXPECT(read.message().find(range) != std::string::npos);
  EXPECT(on.segment->damageMet() == read.message());
  std::vector<ChunkEntry> page;
  EXPECT(on.segment->readPage(0, page).code() == StatusCode::kStorageCorrupt);
  EXPECT(on.segment->chunkCountOf(std::vector<SeriesRef>{7}) == 0);
  // Entries found before are still readable.
  EXPECT(readChunk(*on.segment, before[0]).ok());
  on.overwrite(0, whole.value());
  EXPECT(readChunk(*on.segment, cut[0]).code() == StatusCode::kExhausted);
  const auto again = chunksOf(*on.segment, 7);
  REQUIRE(again.size() == 1 && again[0].isKnown());
  EXPECT(readChunk(*on.segment, again[0]).ok());
}

TEST("threads that read a segment during its truncation get written samples or damage") {
  for (int round = 0; round < 10; ++round) {
    Fixture on;
    const auto chunks = allChunks(*on.segment);
    std::atomic<int> passes{0};
    std::atomic<bool> isCut{false};
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&] {
        for (bool isLast = false; !isLast;) {
          isLast = isCut;
          for (const ChunkEntry& chunk : chunks) {
            const Status read = readChunk(*on.segment, chunk);
            EXPECT(read.ok() || isDamage(read, chunk));
          }
          ++passes;
        }
      });
    }
    while (passes < 3) std::this_thread::yield();
    on.cut(chunks[kSeriesCount / 2].offset);
    isCut = true;
    for (std::thread& thread : threads) thread.join();
    EXPECT(readChunk(*on.segment, chunks.front()).ok());
    EXPECT(!readChunk(*on.segment, chunks.back()).ok());
  }
}

TEST("damage after a chunk was verified is reported like damage before") {
  for (const std::uint64_t at : {0, 1, 5}) {
    Fixture on;
    for (const ChunkEntry& chunk : allChunks(*on.segment)) {
      EXPECT(readChunk(*on.segment, chunk).ok());
    }
    const ChunkEntry chunk = on.chunk(7);
    on.overwrite(chunk.offset + at, ByteBuffer(2, 0xff));
    EXPECT(isDamage(readChunk(*on.segment, chunk), chunk));
    EXPECT(isToldFully(on.segment->damageMet(), chunk));
    EXPECT(readChunk(*on.segment, on.chunk(8)).ok());
  }
}

TEST("an unmapped segment is opened and read by calls, and its damage is reported") {
  UnmappedFileSystem fs;
  Fixture on(fs);
  for (const ChunkEntry& chunk : allChunks(*on.segment)) EXPECT(readChunk(*on.segment, chunk).ok());
  const ChunkEntry chunk = on.chunk(9);
  // Every use of a bare chunk is verified, so a value that changes later is found too.
  on.overwrite(chunk.offset + chunk.size / 2, ByteBuffer(1, 0xff));
  EXPECT(isDamage(readChunk(*on.segment, chunk), chunk));
  EXPECT(isToldFully(on.segment->damageMet(), chunk));
  on.cut(on.facts.fileSize - 1);
  const auto again = Segment::open(fs, on.directory, on.facts);
  EXPECT(again.status().code() == StatusCode::kStorageCorrupt);
}

TEST("an unreadable sector is reported as damage with its place, on open and on read") {
  UnmappedFileSystem fs;
  Fixture on(fs);
  fs.isBroken = true;
  EXPECT(isDamage(readChunk(*on.segment, on.chunk(5)), on.chunk(5)));
  const auto opened = Segment::open(fs, on.directory, on.facts);
  REQUIRE(!opened.ok());
  EXPECT(opened.status().code() == StatusCode::kStorageCorrupt);
  EXPECT(opened.status().message() == on.path + " at offset 0: Input/output error");
  fs.isBroken = false;
  EXPECT(readChunk(*on.segment, on.chunk(5)).ok());
}

TEST("a lack of file descriptors is not damage, when opening or when reading") {
  UnmappedFileSystem fs;
  Fixture on(fs);
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  rlimit none = before;
  none.rlim_cur = 0;
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
  const Status read = readChunk(*on.segment, on.chunk(1));
  const auto opened = Segment::open(posixFileSystem(), on.directory, on.facts);
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
  for (const Status& failed : {read, opened.status()}) {
    EXPECT(failed.code() == StatusCode::kExhausted);
    EXPECT(failed.message().ends_with("Too many open files; raise the limit with ulimit -n"));
  }
  EXPECT(on.segment->damageMet().empty() && readChunk(*on.segment, on.chunk(1)).ok());
}

TEST("a chunk whose bounds differ from the directory's is damage, even with valid checksums") {
  Fixture on;
  // A different chunk of the same size and count: only the values differ.
  const ChunkEntry& chunk = on.chunk(0);
  ByteBuffer forged;
  std::vector<Timestamp> ts(kSamples);
  std::vector<double> values(kSamples);
  REQUIRE(on.segment->read(chunk, ts, values).ok());
  on.reopen();
  for (Timestamp& one : ts) one += 1;
  encodeChunk(ts, values, forged);
  REQUIRE(forged.size() == on.chunk(0).size);
  on.overwrite(on.chunk(0).offset, forged);
  EXPECT(isDamage(readChunk(*on.segment, on.chunk(0)), on.chunk(0)));
}
