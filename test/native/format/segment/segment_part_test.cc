// Parts of chunks as a segment reads them, against the whole chunk.
#include <algorithm>
#include <bit>
#include <numeric>
#include <random>

#include "format/segment/segment.h"
#include "format/segment/segment_chunks.h"
#include "format/segment/summary_number.h"
#include "harness.h"

using namespace seriesdb;

namespace {

struct Samples {
  std::vector<Timestamp> ts;
  std::vector<double> values;
};

bool isSame(const Samples& a, const Samples& b) {
  return a.ts == b.ts && std::equal(a.values.begin(), a.values.end(), b.values.begin(),
                                    b.values.end(), summary_number::sameBits);
}

// Regular and irregular steps; integers, decimals and random bits.
Samples randomSamples(std::mt19937_64& random, std::size_t count) {
  Samples samples;
  const std::uint64_t kind = random() % 6;
  Timestamp ts = static_cast<Timestamp>(random() % 1000) - 500;
  double value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    ts += kind % 2 == 0 ? 10 : 1 + static_cast<Timestamp>(random() % 100);
    if (kind < 2) value += static_cast<double>(random() % 7) - 3;
    if (kind == 2 || kind == 3) value = static_cast<double>(random() % 10000) / 100;
    if (kind > 3) value = static_cast<double>(random()) * 1e-3;
    samples.ts.push_back(ts);
    samples.values.push_back(value);
  }
  return samples;
}

Samples partOf(const Segment& segment, const ChunkEntry& chunk, TimeRange range) {
  const std::size_t count = chunk.summary.count;
  Samples part{std::vector<Timestamp>(count), std::vector<double>(count)};
  const auto found = segment.readIn(chunk, range, part.ts, part.values);
  if (!found.ok()) return {};
  const auto begin = static_cast<std::ptrdiff_t>(found.value().begin);
  const auto cut = [&](auto& column) {
    column.resize(found.value().end);
    column.erase(column.begin(), column.begin() + begin);
  };
  cut(part.ts);
  cut(part.values);
  return part;
}

bool givesParts(const Segment& segment, const ChunkEntry& chunk) {
  const std::size_t count = chunk.summary.count;
  const Timestamp middle = std::midpoint(chunk.summary.tsMin, chunk.summary.tsMax);
  const Samples first = partOf(segment, chunk, {middle, chunk.summary.tsMax});
  const Samples again = partOf(segment, chunk, {middle, chunk.summary.tsMax});
  Samples joined = partOf(segment, chunk, {chunk.summary.tsMin, middle - 1});
  joined.ts.insert(joined.ts.end(), again.ts.begin(), again.ts.end());
  joined.values.insert(joined.values.end(), again.values.begin(), again.values.end());
  Samples whole{std::vector<Timestamp>(count), std::vector<double>(count)};
  if (!segment.read(chunk, whole.ts, whole.values).ok()) return false;
  return isSame(first, again) && isSame(joined, whole) &&
         partOf(segment, chunk, {middle, middle - 1}).ts.empty();
}

}  // namespace

TEST("part of a chunk equals the same part of the whole chunk, on the first read and later") {
  std::mt19937_64 random(test::seed() + 50);
  for (int round = 0; round < 3; ++round) {
    const std::string directory = test::temporaryDirectory();
    auto writer = SegmentWriter::create(posixFileSystem(), directory, 9);
    REQUIRE(writer.ok());
    for (SeriesRef series = 0; series < 40; ++series) {
      const Samples samples = randomSamples(random, 1 + random() % 9000);
      REQUIRE(writer.value()->addSeries(series, samples.ts, samples.values).ok());
    }
    const auto facts = writer.value()->finish(77);
    REQUIRE(facts.ok());
    const auto segment = Segment::open(posixFileSystem(), directory, facts.value());
    REQUIRE(segment.ok());
    for (const ChunkEntry& chunk : test::allChunks(*segment.value())) {
      EXPECT(!segment.value()->wasRead(chunk));
      EXPECT(givesParts(*segment.value(), chunk));
      EXPECT(segment.value()->wasRead(chunk) == (chunk.summary.count >= kBareSamplesEnd));
    }
  }
}
