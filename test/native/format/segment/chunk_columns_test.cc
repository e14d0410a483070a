// The chunk directory: small for integer data, lossless, and safe against any bytes.
#include "format/segment/chunk_columns.h"

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "format/segment/old_directory.h"
#include "format/segment/summary_number.h"
#include "harness.h"

using namespace seriesdb;

namespace {

using segment_format::Footer;

std::vector<ChunkEntry> someChunks(std::uint64_t seed, std::size_t count, bool counters) {
  std::mt19937_64 random(seed);
  std::vector<ChunkEntry> chunks;
  std::uint64_t offset = segment_format::kHeaderSize;
  SeriesRef series = 0;
  for (std::size_t i = 0; i < count; ++i) {
    ChunkEntry chunk = {};
    series += i % 3 == 0 ? 1 : 0;
    chunk.series = series;
    chunk.offset = offset;
    chunk.size = 1 + static_cast<std::uint32_t>(random() % 8000);
    offset += chunk.size;
    ChunkSummary& summary = chunk.summary;
    summary.count = 1 + static_cast<std::uint32_t>(random() % 4096);
    const auto start = static_cast<Timestamp>(1'700'000'000'000 + (i % 3) * 50'000'000);
    summary.tsMin = start + static_cast<Timestamp>(random() % 10'000);
    summary.tsMax = summary.tsMin + 10'000 * (summary.count - 1);
    const double scale = counters ? 1 : 1.0 / 3;
    summary.first = static_cast<double>(random() % 4'000'000'000) * scale;
    summary.last = summary.first + static_cast<double>(random() % 1'000'000) * scale;
    summary.min = summary.first - (counters ? 0 : 1);
    summary.max = summary.last + (counters ? 0 : 1);
    summary.sum = (summary.first + summary.last) * summary.count;
    const auto units = static_cast<std::int64_t>(random() % (std::uint64_t{1} << 39));
    const auto zeros = random() % 40;
    if (!counters) summary.setRest((random() % 2 == 0 ? units : -units) >> zeros << zeros);
    summary.valueCodec = ValueCodec::kDecimalDelta;
    summary.timestampCodec = TimestampCodec::kStepResidual;
    chunks.push_back(chunk);
  }
  return chunks;
}

Footer footerOf(const std::vector<ChunkEntry>& chunks, std::size_t directorySize) {
  Footer footer;
  footer.version = segment_format::kRestsVersion;
  footer.directoryOffset = chunks.back().offset + chunks.back().size;
  footer.directorySize = directorySize;
  footer.chunkCount = chunks.size();
  footer.tsMin = chunks.front().summary.tsMin;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    footer.sampleCount += chunks[i].summary.count;
    footer.tsMin = std::min(footer.tsMin, chunks[i].summary.tsMin);
    footer.tsMax = std::max(footer.tsMax, chunks[i].summary.tsMax);
    if (i == 0 || chunks[i].series != chunks[i - 1].series) ++footer.seriesCount;
  }
  return footer;
}

bool sameChunk(const ChunkEntry& a, const ChunkEntry& b) {
  const ChunkSummary& s = a.summary;
  const ChunkSummary& t = b.summary;
  using summary_number::sameBits;
  return a.series == b.series && a.offset == b.offset && a.size == b.size && s.count == t.count &&
         s.tsMin == t.tsMin && s.tsMax == t.tsMax && sameBits(s.first, t.first) &&
         sameBits(s.last, t.last) && sameBits(s.min, t.min) && sameBits(s.max, t.max) &&
         sameBits(s.sum, t.sum) && s.rest() == t.rest() && s.valueCodec == t.valueCodec &&
         s.timestampCodec == t.timestampCodec;
}

}  // namespace

TEST("a chunk directory round-trips and takes at most 40 bytes a chunk on integers") {
  for (const bool counters : {true, false}) {
    const auto chunks = someChunks(test::seed(), 3000, counters);
    const Timestamp tsMin = footerOf(chunks, 0).tsMin;
    ByteBuffer bytes;
    test::appendOldDirectory(bytes, chunks, tsMin);
    if (counters) EXPECT(bytes.size() <= 40 * chunks.size());
    const auto decoded = decodeColumns(bytes, footerOf(chunks, bytes.size()), "x");
    REQUIRE(decoded.ok());
    REQUIRE(decoded.value().size() == chunks.size());
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      EXPECT(sameChunk(chunks[i], decoded.value()[i]));
    }
  }
}

TEST("a chunk directory of version 1 has no exact sums") {
  const auto chunks = someChunks(test::seed(), 100, true);
  ByteBuffer bytes;
  test::appendOldDirectory(bytes, chunks, footerOf(chunks, 0).tsMin);
  // Each remainder of a counter is 0 and takes one byte.
  bytes.resize(bytes.size() - chunks.size());
  Footer footer = footerOf(chunks, bytes.size());
  EXPECT(!decodeColumns(bytes, footer, "x").ok());
  footer.version = 1;
  const auto decoded = decodeColumns(bytes, footer, "x");
  REQUIRE(decoded.ok());
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    ChunkEntry entry = decoded.value()[i];
    EXPECT(!entry.summary.hasExactSum());
    entry.summary.setRest(0);
    EXPECT(sameChunk(chunks[i], entry));
  }
}

TEST("a sum's remainder has one encoding, and impossible remainders are refused") {
  for (const std::int64_t rest :
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{-1}, ChunkSummary::kNoRest,
        ChunkSummary::kNoRest + 1, -(ChunkSummary::kNoRest + 1), std::int64_t{3} << 20}) {
    ByteBuffer bytes;
    test::appendRest(bytes, rest);
    ByteReader reader(bytes);
    std::int64_t back = 7;
    EXPECT(summary_number::readRest(reader, 1.5, back) && back == rest && reader.atEnd());
    ByteReader again(bytes);
    const bool isPlain = rest == 0 || rest == ChunkSummary::kNoRest;
    EXPECT(summary_number::readRest(again, 1e-300, back) == isPlain);
  }
  for (const std::uint64_t word : {zigzag(2) << 6, zigzag(1) << 6 | 40, std::uint64_t{2},
                                   zigzag(std::int64_t{1} << 39) << 6 | 1, UINT64_MAX}) {
    ByteBuffer bytes;
    appendVarint(bytes, word);
    ByteReader reader(bytes);
    std::int64_t back = 0;
    EXPECT(!summary_number::readRest(reader, 1.5, back));
  }
}

// No checksum applies here: a bug or an attacker may have written these bytes.
TEST("a randomly damaged chunk directory is refused or stays inside its bounds") {
  std::mt19937_64 random(test::seed());
  const auto chunks = someChunks(test::seed(), 30, false);
  ByteBuffer bytes;
  test::appendOldDirectory(bytes, chunks, footerOf(chunks, 0).tsMin);
  const Footer footer = footerOf(chunks, bytes.size());
  for (int round = 0; round < 20000; ++round) {
    ByteBuffer damaged = bytes;
    for (std::uint64_t i = 0, flips = 1 + random() % 3; i < flips; ++i) {
      damaged[random() % damaged.size()] = static_cast<std::uint8_t>(random());
    }
    if (random() % 4 == 0) damaged.resize(random() % damaged.size());
    Footer lying = footer;
    if (random() % 4 == 0) lying.chunkCount = random() % 4 == 0 ? random() : random() % 40;
    if (random() % 4 == 0) lying.seriesCount = static_cast<std::uint32_t>(random() % 40);
    if (random() % 8 == 0) lying.tsMin = static_cast<Timestamp>(random());
    const auto decoded = decodeColumns(damaged, lying, "x");
    if (!decoded.ok()) {
      EXPECT(decoded.status().code() == StatusCode::kStorageCorrupt);
      continue;
    }
    std::uint64_t offset = segment_format::kHeaderSize;
    for (const ChunkEntry& chunk : decoded.value()) {
      EXPECT(chunk.offset == offset && chunk.summary.tsMin <= chunk.summary.tsMax);
      offset += chunk.size;
    }
    EXPECT(offset == lying.directoryOffset);
  }
}

TEST("a truncated chunk directory is refused at every length") {
  const auto chunks = someChunks(1, 30, true);
  ByteBuffer bytes;
  test::appendOldDirectory(bytes, chunks, footerOf(chunks, 0).tsMin);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT(!decodeColumns(Bytes(bytes).first(size), footerOf(chunks, size), "x").ok());
  }
  bytes.push_back(0);
  EXPECT(!decodeColumns(bytes, footerOf(chunks, bytes.size()), "x").ok());
}

TEST("every double round-trips bit for bit through its compact form") {
  std::mt19937_64 random(test::seed());
  std::vector<double> values = {0.0,
                                -0.0,
                                1,
                                -1,
                                0.1,
                                -0.01,
                                99.99,
                                1e-4,
                                9007199254740991.0,
                                9007199254740992.0,
                                9007199254740994.0,
                                5e-324,
                                1e300,
                                std::numeric_limits<double>::infinity(),
                                -std::numeric_limits<double>::infinity(),
                                std::nan("")};
  for (int i = 0; i < 20000; ++i) {
    values.push_back(std::bit_cast<double>(random()));
    values.push_back(static_cast<double>(random() % 100000) / 100);
  }
  for (const double value : values) {
    ByteBuffer bytes;
    test::appendNumber(bytes, value, 1.5);
    EXPECT(bytes.size() <= 9);
    ByteReader reader(bytes);
    double back = 0;
    EXPECT(summary_number::read(reader, 1.5, back) && reader.atEnd());
    EXPECT(summary_number::sameBits(back, value));
  }
}
