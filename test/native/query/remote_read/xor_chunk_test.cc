// Prometheus chunks: an independent reader of the format reads them back. A few are compared with
// chunks that Prometheus (2.42, by promtool) made of the same samples.
#include "query/remote_read/xor_chunk.h"

#include <algorithm>
#include <limits>
#include <string>

#include "common/base/check.h"
#include "format/codec/series.h"
#include "query/remote_read/chunk_reader.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

ByteBuffer chunkOfSamples(const std::vector<std::int64_t>& ms, const std::vector<double>& values) {
  ByteBuffer bytes(kXorChunkSizeMax + kXorChunkSlack, 0xff);
  const std::uint8_t* end = writeXorChunk(bytes.data(), ms, values);
  bytes.resize(static_cast<std::size_t>(end - bytes.data()));
  CHECK(bytes.size() <= kXorChunkSizeMax);
  return bytes;
}

bool comesBack(const std::vector<std::int64_t>& ms, const std::vector<double>& values) {
  ChunkSamples expected;
  for (std::size_t i = 0; i < ms.size(); ++i) {
    expected.emplace_back(ms[i], std::bit_cast<std::uint64_t>(values[i]));
  }
  return ChunkReader(chunkOfSamples(ms, values)).read() == expected;
}

// Differences of deltas around the limits of each encoding.
std::vector<std::int64_t> edgesOfDifferences() {
  std::vector<std::int64_t> edges;
  for (const unsigned size : {14u, 17u, 20u, 40u, 62u}) {
    const std::int64_t half = std::int64_t{1} << (size - 1);
    for (const std::int64_t off : {-2, -1, 0, 1, 2}) {
      edges.push_back(half + off);
      edges.push_back(-half + off);
    }
  }
  return edges;
}

double randomValue(Random& random, double before) {
  constexpr std::uint64_t kStale = 0x7ff0000000000002;
  switch (random() % 7) {
    case 0:
      return before;
    case 1:
      return std::bit_cast<double>(kStale);
    case 2:  // A NaN with any payload and sign.
      return std::bit_cast<double>(random() | 0x7ff0000000000001);
    case 3:
      return special(random);
    case 4:
      return anyBits(random);
    case 5: {  // A few bits differ, anywhere.
      const auto bits = std::bit_cast<std::uint64_t>(before);
      return std::bit_cast<double>(bits ^ (random() >> random() % 64 << random() % 64));
    }
    default:
      return std::floor(before) + 1;
  }
}

std::uint64_t randomGap(Random& random) {
  switch (random() % 4) {
    case 0:
      return 15'000;
    case 1:
      return 15'000 + random() % 5;
    case 2:
      return 1 + (random() >> (20 + random() % 43));
    default:
      return 1 + random() % 2'000'000;
  }
}

}  // namespace

TEST("a chunk has the bits that Prometheus writes for the same samples") {
  const auto hex = [](const ByteBuffer& bytes) {
    std::string text;
    for (const std::uint8_t byte : bytes) {
      text += "0123456789abcdef"[byte >> 4];
      text += "0123456789abcdef"[byte & 15];
    }
    return text;
  };
  // A byte of zeros follows these two.
  EXPECT(hex(chunkOfSamples({0}, {0})) == "0001000000000000000000");
  EXPECT(hex(chunkOfSamples({-1}, {1})) == "0001013ff0000000000000");
  // 128 as varint; 1 and 2 differ in eleven bits behind one that is the same.
  EXPECT(hex(chunkOfSamples({0, 128}, {1, 2})) == "0002003ff00000000000008001c25fff");
  // The same delta and value; then one more in 14 bits, and the same value.
  EXPECT(hex(chunkOfSamples({0, 128, 256, 385}, {1, 2, 2, 2})) ==
         "0004003ff00000000000008001c25fff200040");
  EXPECT(hex(chunkOfSamples({1000, 2000, 3000, 11191, 19383}, {1.5, 2.5, 3.5, -3.5, -3.5})) ==
         "0005d00f3ff8000000000000e807c26fffd000a705f003800100");
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  const double nan = std::bit_cast<double>(std::uint64_t{0x7ff8000000000001});
  EXPECT(hex(chunkOfSamples({0, 14, 8220, 108235}, {1, nan, kInfinite, -kInfinite})) ==
         "0004003ff00000000000000ec3fc008000000000001a0008004000000000000f0b350e0060");
}

TEST("chunks of every sample count round-trip") {
  Random random(seed());
  std::vector<std::int64_t> ms;
  std::vector<double> values;
  for (std::size_t count = 1; count <= kXorChunkSamplesMax; ++count) {
    ms.push_back(static_cast<std::int64_t>(count) * 15'000);
    values.push_back(normal(random));
    EXPECT(comesBack(ms, values));
  }
}

TEST("time deltas at the limits of each bit width round-trip") {
  for (const std::int64_t edge : edgesOfDifferences()) {
    // The first delta makes room for a smaller one.
    const std::int64_t delta = edge < 0 ? 1 - edge : 1;
    EXPECT(comesBack({0, delta, 2 * delta + edge, 3 * delta + edge}, {1, 2, 3, 3}));
  }
}

TEST("the extreme timestamps, and deltas that overflow, round-trip") {
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT(comesBack({kLeast}, {1}));
  EXPECT(comesBack({kLeast, kMost}, {1, 2}));
  EXPECT(comesBack({kLeast, kLeast + 1, kMost - 1, kMost}, {1, 2, 3, 4}));
  EXPECT(comesBack({kLeast, 0, kMost}, {1, 1, 1}));
  EXPECT(comesBack({-2, kMost - 1, kMost}, {1, -1, 1}));
}

TEST("the largest possible chunk fits the buffer") {
  constexpr std::int64_t kFar = std::int64_t{1} << 40;
  std::vector<std::int64_t> ms = {std::numeric_limits<std::int64_t>::min()};
  std::vector<double> values = {1};
  while (ms.size() < kXorChunkSamplesMax) {
    ms.push_back(ms.back() + (ms.size() % 2 == 0 ? 2 * kFar : kFar));
    // The lowest and the highest bit change, then a bit in the middle.
    const auto bits = std::bit_cast<std::uint64_t>(values.back());
    values.push_back(std::bit_cast<double>(bits ^ (std::uint64_t{1} << 63 | 1)));
  }
  EXPECT(comesBack(ms, values));
}

TEST("random samples round-trip bit for bit") {
  Random random(seed() + 1);
  for (int round = 0; round < 3'000; ++round) {
    std::vector<std::int64_t> ms = {static_cast<std::int64_t>(random()) >> random() % 64};
    std::vector<double> values = {randomValue(random, 1)};
    for (std::size_t left = random() % kXorChunkSamplesMax; left > 0; --left) {
      const std::uint64_t room = difference(std::numeric_limits<std::int64_t>::max(), ms.back());
      if (room == 0) break;
      const std::uint64_t gap = std::min(randomGap(random), room);
      ms.push_back(static_cast<std::int64_t>(static_cast<std::uint64_t>(ms.back()) + gap));
      values.push_back(randomValue(random, values.back()));
    }
    EXPECT(comesBack(ms, values));
  }
}
