// Segments: written samples come back, and damage is found wherever it is.
#include "format/segment/segment.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <random>
#include <thread>

#include "common/types/file_names.h"
#include "faulty_file_system.h"
#include "format/segment/chunk_finder.h"
#include "format/segment/segment_chunks.h"
#include "format/segment/segment_format.h"
#include "format/segment/summary_number.h"
#include "harness.h"

using namespace seriesdb;

namespace {

constexpr Timestamp kFirst = std::numeric_limits<Timestamp>::min();
constexpr Timestamp kLast = std::numeric_limits<Timestamp>::max();

struct Samples {
  std::vector<Timestamp> ts;
  std::vector<double> values;
};
using Model = std::map<SeriesRef, Samples>;

Result<SegmentFacts> writeSegment(FileSystem& fs, const std::string& directory,
                                  std::uint64_t number, const Model& model) {
  auto writer = SegmentWriter::create(fs, directory, number);
  if (!writer.ok()) return writer.status();
  for (const auto& [series, samples] : model) {
    const Status status = writer.value()->addSeries(series, samples.ts, samples.values);
    if (!status.ok()) return status;
  }
  return writer.value()->finish(77);
}

// Series of every shape: dense and sparse references, few and many samples, odd values.
Model randomModel(std::uint64_t seed, std::size_t seriesCount, std::size_t samplesMax) {
  std::mt19937_64 random(seed);
  Model model;
  SeriesRef series = static_cast<SeriesRef>(random() % 3);
  for (std::size_t i = 0; i < seriesCount; ++i) {
    Samples samples;
    const std::size_t count = 1 + random() % samplesMax;
    const std::uint64_t kind = random() % 5;
    Timestamp ts = static_cast<Timestamp>(random() % 1000) - 500;
    double value = 0;
    for (std::size_t j = 0; j < count; ++j) {
      ts += kind == 0 ? 10 : 1 + static_cast<Timestamp>(random() % 100);
      if (kind == 0) value += static_cast<double>(random() % 50);
      if (kind == 1) value = static_cast<double>(random() % 10000) / 100;
      if (kind == 2) value = std::bit_cast<double>(random());
      if (kind == 3) value = -42;
      if (kind == 4) value = std::sin(static_cast<double>(j));
      samples.ts.push_back(ts);
      samples.values.push_back(value);
    }
    model[series] = std::move(samples);
    series += random() % 4 == 0 ? 1 + static_cast<SeriesRef>(random() % 100000) : 1;
  }
  return model;
}

bool sameNumber(double a, double b) {
  return summary_number::sameBits(a, b) || (std::isnan(a) && std::isnan(b));
}

Status readChunk(const Segment& segment, const ChunkEntry& chunk) {
  std::vector<Timestamp> ts(chunk.summary.count);
  std::vector<double> values(chunk.summary.count);
  return segment.read(chunk, ts, values);
}

// All samples of a series as the segment returns them; checks their summaries too.
Samples readSeries(const Segment& segment, SeriesRef series) {
  Samples all;
  for (const ChunkEntry& chunk : test::chunksOf(segment, series)) {
    std::vector<Timestamp> ts(chunk.summary.count);
    std::vector<double> values(chunk.summary.count);
    const bool isRead = segment.read(chunk, ts, values).ok();
    EXPECT(isRead);
    if (!isRead) return all;
    EXPECT(chunk.series == series);
    EXPECT(chunk.summary.tsMin == ts.front() && chunk.summary.tsMax == ts.back());
    EXPECT(sameNumber(chunk.summary.first, values.front()));
    EXPECT(sameNumber(chunk.summary.last, values.back()));
    ByteBuffer again;
    const bool isBare = ts.size() < kBareSamplesEnd;
    const ChunkSummary expected =
        isBare ? encodeBareChunk(ts, values, again) : encodeChunk(ts, values, again);
    EXPECT(again.size() == chunk.size);
    EXPECT(sameNumber(chunk.summary.min, expected.min));
    EXPECT(sameNumber(chunk.summary.max, expected.max));
    EXPECT(sameNumber(chunk.summary.sum, expected.sum));
    EXPECT(chunk.summary.valueCodec == expected.valueCodec);
    EXPECT(chunk.summary.timestampCodec == expected.timestampCodec);
    all.ts.insert(all.ts.end(), ts.begin(), ts.end());
    all.values.insert(all.values.end(), values.begin(), values.end());
  }
  return all;
}

void expectSame(const Segment& segment, const Model& model) {
  for (const auto& [series, samples] : model) {
    const Samples found = readSeries(segment, series);
    EXPECT(found.ts == samples.ts);
    EXPECT(std::equal(found.values.begin(), found.values.end(), samples.values.begin(),
                      samples.values.end(), summary_number::sameBits));
    const bool isBefore = series > 0 && model.contains(series - 1);
    if (series > 0) EXPECT(test::chunksOf(segment, series - 1).empty() == !isBefore);
    EXPECT(test::chunksOf(segment, series + 1).empty() == !model.contains(series + 1));
  }
}

void writeFile(const std::string& path, const ByteBuffer& bytes) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
}

std::string segmentPath(const std::string& directory, const SegmentFacts& facts) {
  return file_names::join(directory, segmentFileOf(facts));
}

// All files below the directory, as relative paths.
std::vector<std::string> filesBelow(const std::string& directory) {
  std::vector<std::string> names;
  for (const auto& one : std::filesystem::recursive_directory_iterator(directory)) {
    if (one.is_regular_file()) {
      names.push_back(std::filesystem::relative(one.path(), directory).string());
    }
  }
  return names;
}

bool refused(const std::string& directory, const SegmentFacts& facts) {
  const auto segment = Segment::open(posixFileSystem(), directory, facts);
  return !segment.ok() && segment.status().code() == StatusCode::kStorageCorrupt &&
         segment.status().message().find(segmentPath(directory, facts)) == 0 &&
         segment.status().message().find("offset") != std::string::npos;
}

}  // namespace

TEST("a segment returns the samples of random series to the bit") {
  for (std::uint64_t round = 0; round < 5; ++round) {
    const std::string directory = test::temporaryDirectory();
    const Model model = randomModel(test::seed() + round, 1 + round * 40, 9000);
    const auto facts = writeSegment(posixFileSystem(), directory, 9, model);
    REQUIRE(facts.ok());
    std::uint64_t count = 0;
    for (const auto& entry : model) count += entry.second.ts.size();
    EXPECT(facts.value().sampleCount == count && facts.value().seriesCount == model.size());
    EXPECT(facts.value().number == 9 && facts.value().sequenceMax == 77);
    const auto segment = Segment::open(posixFileSystem(), directory, facts.value());
    REQUIRE(segment.ok());
    EXPECT(test::allChunks(*segment.value()).size() == facts.value().chunkCount);
    expectSame(*segment.value(), model);
    EXPECT(filesBelow(directory) == std::vector<std::string>{segmentFileOf(facts.value())});
    const auto bytes = posixFileSystem().readAll(segmentPath(directory, facts.value()));
    REQUIRE(bytes.ok());
    EXPECT(facts.value().hash == sha256(bytes.value()));
  }
}

TEST("the chunk count of several series is the sum of their single counts") {
  for (std::uint64_t round = 0; round < 8; ++round) {
    std::mt19937_64 random(test::seed() + round);
    const Model model = randomModel(test::seed() + round, 1 + random() % 60, 9000);
    const std::string directory = test::temporaryDirectory();
    const auto facts = writeSegment(posixFileSystem(), directory, 1, model);
    REQUIRE(facts.ok());
    const auto segment = Segment::open(posixFileSystem(), directory, facts.value());
    REQUIRE(segment.ok());
    for (int i = 0; i < 200; ++i) {
      // Existing and missing series, dense and sparse.
      std::vector<SeriesRef> wanted;
      const std::uint64_t share = 1 + random() % 4;
      for (const auto& [series, samples] : model) {
        if (random() % share == 0) wanted.push_back(series);
        if (random() % 5 == 0) wanted.push_back(series + static_cast<SeriesRef>(random() % 50));
      }
      std::sort(wanted.begin(), wanted.end());
      wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
      std::uint64_t expected = 0;
      for (const SeriesRef ref : wanted) expected += test::chunksOf(*segment.value(), ref).size();
      EXPECT(segment.value()->chunkCountOf(wanted) == expected);
    }
    EXPECT(segment.value()->chunkCountOf({}) == 0);
  }
}

LONE_TEST("a chunk finder over many series finds the same as single lookups, in any order") {
  std::size_t foundTogether = 0;
  for (std::uint64_t round = 0; round < 8; ++round) {
    std::mt19937_64 random(test::seed() + round);
    const std::size_t samplesMax = round % 2 == 0 ? 3 : 40000;
    const Model model = randomModel(test::seed() + round, round % 2 == 0 ? 2000 : 40, samplesMax);
    const std::string directory = test::temporaryDirectory();
    const auto facts = writeSegment(posixFileSystem(), directory, 1, model);
    REQUIRE(facts.ok());
    const auto segment = Segment::open(posixFileSystem(), directory, facts.value());
    REQUIRE(segment.ok());
    ChunkFinder finder;
    for (int walk = 0; walk < 60; ++walk) {
      std::vector<SeriesRef> wanted;
      const std::uint64_t share = 1 + random() % 40;
      for (const auto& [series, samples] : model) {
        if (random() % share == 0) wanted.push_back(series);
        if (random() % 50 == 0) wanted.push_back(series + static_cast<SeriesRef>(random() % 50));
      }
      if (random() % 4 == 0) std::shuffle(wanted.begin(), wanted.end(), random);
      const Timestamp from = random() % 2 == 0 ? kFirst : static_cast<Timestamp>(random() % 3000);
      const TimeRange ranges[] = {{from, kLast}, {from, from < 0 ? from : from + 500}};
      const std::size_t rangeCount = 1 + random() % 8 / 7;
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        const auto series = std::span(wanted).subspan(i);
        for (const TimeRange& range : std::span(ranges).first(rangeCount)) {
          std::vector<ChunkEntry> expected;
          segment.value()->find(series.front(), range, expected);
          const auto found = finder.find(*segment.value(), series, range);
          const auto same = [](const ChunkEntry& a, const ChunkEntry& b) {
            return a.place == b.place && a.series == b.series && a.offset == b.offset;
          };
          REQUIRE(std::equal(found.begin(), found.end(), expected.begin(), expected.end(), same));
          std::vector<ChunkEntry> together;
          foundTogether += segment.value()->findTogether(series, range, together);
        }
        // A caller may skip series or repeat them.
        if (random() % 20 == 0) i += random() % 10;
        if (random() % 100 == 0) i -= std::min<std::size_t>(i, random() % 40);
      }
    }
  }
  EXPECT(foundTogether > 1000);
}

TEST("chunks of a series that fills many pages are found by time range") {
  const std::string directory = test::temporaryDirectory();
  auto writer = SegmentWriter::create(posixFileSystem(), directory, 1);
  REQUIRE(writer.ok());
  constexpr std::size_t kSamples = 700 * kFlushChunkSamples;
  std::vector<Timestamp> ts(kSamples);
  std::vector<double> values(kSamples);
  for (std::size_t i = 0; i < kSamples; ++i) {
    ts[i] = static_cast<Timestamp>(i) * 10;
    values[i] = static_cast<double>(i % 7);
  }
  for (const SeriesRef series : {3, 4, 9}) {
    REQUIRE(writer.value()->addSeries(series, ts, values).ok());
  }
  const auto facts = writer.value()->finish(5);
  REQUIRE(facts.ok());
  const auto segment = Segment::open(posixFileSystem(), directory, facts.value());
  REQUIRE(segment.ok());
  EXPECT(segment.value()->pageCount() == (3 * 700 + 255) / 256);
  const auto all = test::allChunks(*segment.value());
  std::mt19937_64 random(test::seed());
  for (int round = 0; round < 300; ++round) {
    const auto series = static_cast<SeriesRef>(random() % 11);
    TimeRange range{static_cast<Timestamp>(random() % (kSamples * 10)) - 5, 0};
    range.end = range.start + static_cast<Timestamp>(random() % (kSamples * 10 >> random() % 20));
    std::vector<ChunkEntry> found;
    segment.value()->find(series, range, found);
    std::vector<std::uint32_t> places;
    for (const ChunkEntry& entry : found) places.push_back(entry.place);
    std::vector<std::uint32_t> expected;
    for (const ChunkEntry& entry : all) {
      const ChunkSummary& summary = entry.summary;
      const bool isIn = summary.tsMin <= range.end && summary.tsMax >= range.start;
      if (entry.series == series && isIn) expected.push_back(entry.place);
    }
    EXPECT(places == expected);
    const std::uint64_t count = series == 3 || series == 4 || series == 9 ? 700 : 0;
    EXPECT(segment.value()->chunkCountOf(std::vector<SeriesRef>{series}) == count);
  }
  EXPECT(segment.value()->chunkCountOf(std::vector<SeriesRef>{0, 3, 5, 9, 10}) == 1400);
}

TEST("a long series is cut into even chunks of at most kFlushChunkSamples") {
  const std::string directory = test::temporaryDirectory();
  Model model;
  for (std::size_t i = 0; i < 40 * kFlushChunkSamples + 1; ++i) {
    model[5].ts.push_back(static_cast<Timestamp>(i) * 1000);
    model[5].values.push_back(std::sin(static_cast<double>(i)));
  }
  const auto facts = writeSegment(posixFileSystem(), directory, 1, model);
  REQUIRE(facts.ok());
  EXPECT(facts.value().chunkCount == 41 && facts.value().fileSize > (1u << 20));
  const auto segment = Segment::open(posixFileSystem(), directory, facts.value());
  REQUIRE(segment.ok());
  for (const ChunkEntry& chunk : test::chunksOf(*segment.value(), 5)) {
    EXPECT(chunk.summary.count <= kFlushChunkSamples && chunk.summary.count > 3900);
  }
  expectSame(*segment.value(), model);
}

TEST("a segment holds the extreme timestamps and series references") {
  const std::string directory = test::temporaryDirectory();
  Model model;
  model[0] = {{kFirst, kLast}, {1, -0.0}};
  model[1] = {{kLast}, {std::nan("")}};
  model[2] = {{kFirst}, {std::numeric_limits<double>::infinity()}};
  model[0xffffffffu] = {{-1, 0, 1}, {1e300, 5e-324, 9007199254740992.0}};
  const auto facts = writeSegment(posixFileSystem(), directory, 1, model);
  REQUIRE(facts.ok());
  EXPECT(facts.value().tsMin == kFirst && facts.value().tsMax == kLast);
  const auto segment = Segment::open(posixFileSystem(), directory, facts.value());
  REQUIRE(segment.ok());
  for (const auto& [series, samples] : model) {
    const Samples found = readSeries(*segment.value(), series);
    EXPECT(found.ts == samples.ts);
  }
}

TEST("a segment cut at any byte is refused") {
  const std::string directory = test::temporaryDirectory();
  const auto facts = writeSegment(posixFileSystem(), directory, 3, randomModel(4, 20, 40));
  REQUIRE(facts.ok());
  const auto bytes = posixFileSystem().readAll(segmentPath(directory, facts.value()));
  REQUIRE(bytes.ok());
  for (std::size_t size = 0; size < bytes.value().size(); ++size) {
    const auto end = bytes.value().begin() + static_cast<std::ptrdiff_t>(size);
    writeFile(segmentPath(directory, facts.value()), ByteBuffer(bytes.value().begin(), end));
    SegmentFacts lying = facts.value();
    EXPECT(refused(directory, lying));
    lying.fileSize = size;
    EXPECT(refused(directory, lying));
  }
}

LONE_TEST("a flipped byte of header, directory or footer is refused; of a chunk, on its read") {
  const std::string directory = test::temporaryDirectory();
  const auto facts = writeSegment(posixFileSystem(), directory, 3, randomModel(8, 12, 200));
  REQUIRE(facts.ok());
  const std::string path = segmentPath(directory, facts.value());
  const auto bytes = posixFileSystem().readAll(path);
  REQUIRE(bytes.ok());
  const std::uint64_t chunksEnd = loadLe<std::uint64_t>(
      bytes.value().data() + bytes.value().size() - segment_format::kFooterSize);
  for (std::size_t at = 0; at < bytes.value().size(); ++at) {
    ByteBuffer damaged = bytes.value();
    damaged[at] = static_cast<std::uint8_t>(damaged[at] ^ (1u << (at % 8)));
    writeFile(path, damaged);
    if (at < segment_format::kHeaderSize || at >= chunksEnd) {
      EXPECT(refused(directory, facts.value()));
      continue;
    }
    const auto segment = Segment::open(posixFileSystem(), directory, facts.value());
    REQUIRE(segment.ok());
    const auto isBare = [](const ChunkEntry& chunk) {
      return chunk.summary.count < kBareSamplesEnd;
    };
    const auto chunks = test::allChunks(*segment.value());
    const auto hitChunk = std::find_if(chunks.begin(), chunks.end(), [at](const auto& chunk) {
      return at >= chunk.offset && at < chunk.offset + chunk.size;
    });
    for (const ChunkEntry& chunk : chunks) {
      // The bare chunks of a page share one checksum.
      const bool hit =
          chunk.place == hitChunk->place || (isBare(chunk) && isBare(*hitChunk) && chunk.size > 0);
      const Status found = readChunk(*segment.value(), chunk);
      EXPECT(found.ok() == !hit);
      if (found.ok()) continue;
      EXPECT(found.code() == StatusCode::kStorageCorrupt);
      const std::string place =
          facts.value().hash->text() + " at offset " + std::to_string(chunk.offset);
      EXPECT(found.message().find(place) != std::string::npos);
    }
  }
}

TEST("each fact of the manifest that differs from the file is refused") {
  const std::string directory = test::temporaryDirectory();
  const auto written = writeSegment(posixFileSystem(), directory, 3, randomModel(8, 12, 60));
  REQUIRE(written.ok());
  const SegmentFacts& facts = written.value();
  EXPECT(!refused(directory, facts));
  const auto with = [&](auto change) {
    SegmentFacts other = facts;
    change(other);
    return refused(directory, other);
  };
  EXPECT(with([](SegmentFacts& f) { ++f.fileSize; }));
  EXPECT(with([](SegmentFacts& f) { ++f.fileCrc; }));
  EXPECT(with([](SegmentFacts& f) { ++f.sampleCount; }));
  EXPECT(with([](SegmentFacts& f) { ++f.chunkCount; }));
  EXPECT(with([](SegmentFacts& f) { ++f.seriesCount; }));
  EXPECT(with([](SegmentFacts& f) { --f.tsMin; }));
  EXPECT(with([](SegmentFacts& f) { ++f.tsMax; }));
  EXPECT(with([](SegmentFacts& f) { ++f.sequenceMax; }));
  EXPECT(with([](SegmentFacts& f) { f.number = 4; }));
}

TEST("an entry that lies outside its segment is refused") {
  const std::string directory = test::temporaryDirectory();
  const auto facts = writeSegment(posixFileSystem(), directory, 3, randomModel(8, 12, 60));
  REQUIRE(facts.ok());
  const auto segment = Segment::open(posixFileSystem(), directory, facts.value());
  REQUIRE(segment.ok());
  const ChunkEntry last = test::allChunks(*segment.value()).back();
  EXPECT(readChunk(*segment.value(), last).ok());
  const auto isRefused = [&](auto change) {
    ChunkEntry other = last;
    change(other);
    return readChunk(*segment.value(), other).code() == StatusCode::kInvalidArgument;
  };
  EXPECT(isRefused([](ChunkEntry& entry) { entry.offset += 1; }));
  EXPECT(isRefused([](ChunkEntry& entry) { entry.offset = 23; }));
  EXPECT(isRefused([](ChunkEntry& entry) { entry.size += 1; }));
  EXPECT(isRefused([](ChunkEntry& entry) { entry.place += 1; }));
}

TEST("threads that read the same chunks for the first time all get them") {
  const std::string directory = test::temporaryDirectory();
  const auto facts = writeSegment(posixFileSystem(), directory, 3, randomModel(9, 300, 60));
  REQUIRE(facts.ok());
  const auto segment = Segment::open(posixFileSystem(), directory, facts.value());
  REQUIRE(segment.ok());
  std::atomic<std::uint64_t> good = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (const ChunkEntry& chunk : test::allChunks(*segment.value())) {
        if (readChunk(*segment.value(), chunk).ok()) ++good;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT(good == 4 * test::allChunks(*segment.value()).size());
}

TEST("a segment is published whole or not at all, whichever disk operation fails") {
  const Model model = randomModel(5, 6, 5000);
  using test::Operation;
  for (const Operation operation : {Operation::kCreate, Operation::kAppend, Operation::kSync,
                                    Operation::kRename, Operation::kSyncDirectory}) {
    for (std::uint64_t nth = 1;; ++nth) {
      const std::string directory = test::temporaryDirectory();
      test::FaultyFileSystem fs(posixFileSystem());
      fs.failFrom(Operation::kRemove, 1);
      if (operation == Operation::kAppend)
        fs.shortenAppendAt(nth, 100);
      else
        fs.failAt(operation, nth);
      const auto facts = writeSegment(fs, directory, 2, model);
      if (facts.ok()) {
        EXPECT(nth > 1);
        break;
      }
      EXPECT(facts.status().code() == StatusCode::kIo);
      // Leftovers do not disturb the next attempt with the same number.
      fs.heal();
      const auto again = writeSegment(fs, directory, 2, model);
      REQUIRE(again.ok());
      fs.losePower();
      EXPECT(Segment::open(fs, directory, again.value()).ok());
      EXPECT(filesBelow(directory).size() == 1);
    }
  }
}

TEST("a failed or dropped writer leaves no temporary file and keeps failing") {
  const std::string directory = test::temporaryDirectory();
  const Samples samples = {{1, 2, 3}, {4, 5, 6}};
  test::FaultyFileSystem fs(posixFileSystem());
  {
    auto writer = SegmentWriter::create(fs, directory, 2);
    REQUIRE(writer.ok());
    REQUIRE(writer.value()->addSeries(1, samples.ts, samples.values).ok());
    fs.failAt(test::Operation::kAppend, 1);
    EXPECT(!writer.value()->finish(1).ok());
    EXPECT(!writer.value()->addSeries(2, samples.ts, samples.values).ok());
    EXPECT(!writer.value()->finish(1).ok());
  }
  { EXPECT(SegmentWriter::create(fs, directory, 3).ok()); }
  EXPECT(filesBelow(directory).empty());
}

TEST("a segment without samples is not published") {
  auto writer = SegmentWriter::create(posixFileSystem(), test::temporaryDirectory(), 2);
  REQUIRE(writer.ok());
  const auto facts = writer.value()->finish(1);
  EXPECT(!facts.ok() && facts.status().code() == StatusCode::kInvalidArgument);
}
