#include "format/codec/chunk.h"

#include <algorithm>
#include <functional>

#include "common/base/check.h"
#include "common/digest/checksum.h"
#include "format/codec/series.h"
#include "format/codec/timestamp_codecs.h"
#include "format/codec/value_codecs.h"
#include "log_bytes.h"
#include "target.h"

using namespace seriesdb;
using namespace seriesdb::fuzz;

namespace {

std::vector<ByteBuffer> makeChunks(Random& random) {
  std::vector<ByteBuffer> chunks;
  unsigned clock = 0;
  // More than two packed blocks, so that the vector kernels run.
  for (const std::size_t count : {1, 2, 3, 20, 130, 300, 700}) {
    for (const test::Generator& generator : test::generators()) {
      const auto ts = test::makeTimestamps(clock++ % test::kClockKinds, count, random);
      const auto values = test::makeValues(generator, count, random);
      encodeChunk(ts, values, chunks.emplace_back());
      encodeChunk(ts, values, chunks.emplace_back(), CodecChoice::kCold);
    }
  }
  return chunks;
}

struct Columns {
  std::vector<Timestamp> ts;
  std::vector<double> values;
};

bool sameBits(const std::vector<double>& a, const std::vector<double>& b) {
  return std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

// Every kernel reads the same values, or refuses with the same status.
void compareKernels(Bytes chunk, std::size_t count) {
  ByteReader in(chunk.first(chunk.size() - sizeof(std::uint32_t)));
  static_cast<void>(in.readLe<std::uint8_t>());
  const auto codecs = in.readLe<std::uint8_t>();
  static_cast<void>(in.readVarint());
  const auto first = unzigzag(in.readVarint());
  const Bytes timestamps = in.readBytes(in.readVarint());
  if (!in.ok()) return;
  const auto read = [&](const Kernels& kernels, Columns& columns) {
    columns = {std::vector<Timestamp>(count), std::vector<double>(count)};
    columns.ts[0] = first;
    const auto codec = static_cast<TimestampCodec>(codecs >> 4);
    return decodeTimestamps(codec, timestamps, columns.ts, kernels) &&
           decodeValues(static_cast<ValueCodec>(codecs & 15), in.rest(), columns.values, kernels);
  };
  Columns expected;
  Columns found;
  const bool isRead = read(scalarKernels(), expected);
  for (const Kernels* one : {avx2Kernels(), avx512Kernels()}) {
    if (one == nullptr) continue;
    CHECK(read(*one, found) == isRead);
    CHECK(!isRead || (found.ts == expected.ts && sameBits(found.values, expected.values)));
  }
}

// The sample count of the header, at least one. Readers take it from the directory.
std::size_t countOf(Bytes chunk) {
  ByteReader in(chunk);
  static_cast<void>(in.readLe<std::uint16_t>());
  return std::clamp<std::uint64_t>(in.readVarint(), 1, kChunkSamplesMax);
}

// A partial read equals that part of a whole read.
void comparePart(Bytes chunk, const Columns& whole, TimeRange range) {
  const std::size_t count = whole.ts.size();
  Columns part{std::vector<Timestamp>(count), std::vector<double>(count)};
  const auto found = decodeChunkIn(chunk, range, part.ts, part.values);
  CHECK(found.ok());
  const SamplePlaces expected = placesOf(whole.ts, range);
  CHECK(found.value().size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const std::size_t at = found.value().begin + i;
    CHECK(part.ts[at] == whole.ts[expected.begin + i]);
    CHECK(std::memcmp(&part.values[at], &whole.values[expected.begin + i], sizeof(double)) == 0);
  }
}

bool readChunk(Bytes input) {
  const bool isVerified = verifyChunk(input).ok();
  const std::size_t count = countOf(input);
  Columns columns{std::vector<Timestamp>(count), std::vector<double>(count)};
  const Status decoded = decodeChunk(input, columns.ts, columns.values);
  if (input.size() >= sizeof(std::uint32_t)) compareKernels(input, count);
  if (!decoded.ok()) {
    Columns part = columns;
    const TimeRange range{columns.ts[count / 2], INT64_MAX};
    static_cast<void>(decodeChunkIn(input, range, part.ts, part.values));
    CHECK(isRefusal(decoded));
    return false;
  }
  const bool ascends = std::adjacent_find(columns.ts.begin(), columns.ts.end(),
                                          std::greater_equal<>()) == columns.ts.end();
  CHECK(ascends);
  comparePart(input, columns, {columns.ts[count / 3], columns.ts[count / 2]});
  for (const CodecChoice choice : {CodecChoice::kQuick, CodecChoice::kCold}) {
    ByteBuffer written;
    const ChunkSummary summary = encodeChunk(columns.ts, columns.values, written, choice);
    CHECK(summary.tsMin == columns.ts.front() && summary.tsMax == columns.ts.back());
    Columns again{std::vector<Timestamp>(count), std::vector<double>(count)};
    CHECK(verifyChunk(written).ok() && decodeChunk(written, again.ts, again.values).ok());
    CHECK(again.ts == columns.ts && sameBits(again.values, columns.values));
  }
  return isVerified;
}

void repairChunk(ByteBuffer& chunk) {
  if (chunk.size() < sizeof(std::uint32_t)) return;
  const std::size_t covered = chunk.size() - sizeof(std::uint32_t);
  storeLe(chunk.data() + covered, crc32c(Bytes(chunk).first(covered)));
}

const Registration registration{{
    .name = "chunk",
    .sentence = "a chunk is refused, or read alike by every kernel and written as it was read",
    .read = &readChunk,
    .seeds = &makeChunks,
    .repair = &repairChunk,
}};

}  // namespace
