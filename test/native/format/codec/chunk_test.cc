// encodeChunk, decodeChunk and verifyChunk: bit-exact for everything, safe for anything.
#include "format/codec/chunk.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <functional>
#include <limits>

#include "chunk_parts.h"
#include "common/digest/checksum.h"
#include "harness.h"
#include "series.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

template <typename T>
bool sameBits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

struct Row {
  std::vector<Timestamp> ts;
  std::vector<double> values;
};

constexpr CodecChoice kChoices[] = {CodecChoice::kQuick, CodecChoice::kCold};

ByteBuffer encode(const Row& row, CodecChoice choice = CodecChoice::kQuick) {
  ByteBuffer out;
  encodeChunk(row.ts, row.values, out, choice);
  return out;
}

// The sample count of the header, at least one. Readers take it from the directory.
std::size_t countOf(Bytes chunk) {
  ByteReader in(chunk);
  static_cast<void>(in.readLe<std::uint16_t>());
  return std::clamp<std::uint64_t>(in.readVarint(), 1, kChunkSamplesMax);
}

// An exact copy on the heap, so that the sanitizer sees a read past its end.
bool comesBack(Bytes chunk, const Row& row) {
  const ByteBuffer exact(chunk.begin(), chunk.end());
  if (!verifyChunk(exact).ok()) return false;
  Row back{std::vector<Timestamp>(row.ts.size()), std::vector<double>(row.ts.size())};
  if (!decodeChunk(exact, back.ts, back.values).ok()) return false;
  return sameBits(back.ts, row.ts) && sameBits(back.values, row.values) &&
         partsComeBack(exact, row.ts, row.values);
}

void decodeAnything(Bytes bytes) {
  const ByteBuffer exact(bytes.begin(), bytes.end());
  std::vector<Timestamp> ts(countOf(exact));
  std::vector<double> values(ts.size());
  static_cast<void>(decodeChunk(exact, ts, values));
  // A range around the likely middle of the chunk.
  const Timestamp middle = ts[ts.size() / 2];
  static_cast<void>(decodeChunkIn(exact, {middle, middle}, ts, values));
}

void roundTrip(std::size_t count, Random& random) {
  for (const Generator& generator : generators()) {
    const auto clock = static_cast<unsigned>(random() % kClockKinds);
    const Row row{makeTimestamps(clock, count, random), makeValues(generator, count, random)};
    const bool isGood = comesBack(encode(row), row);
    if (isGood && comesBack(encode(row, CodecChoice::kCold), row)) continue;
    fail(__FILE__, __LINE__,
         std::string(generator.name) + ", clock " + std::to_string(clock) + ", count " +
             std::to_string(count));
  }
}

TEST("decimals with a few other values encode to the bytes of the first format") {
  Row row;
  for (int i = 0; i < 40; ++i) {
    row.ts.push_back(i * 10);
    row.values.push_back((i * i % 7) * 1.5 + i / 4.0);
  }
  row.values[3] = row.values[20] = std::bit_cast<double>(std::uint64_t{0x7ff0000000000002});
  row.values[21] = -std::numeric_limits<double>::infinity();
  const ByteBuffer bytes = {
      0xc1, 0x07, 0x28, 0x00, 0x01, 0x0a, 0x05, 0x03, 0x03, 0x10, 0x00, 0x02, 0x00, 0x00, 0x00,
      0x00, 0x00, 0xf0, 0x7f, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0xf0, 0x7f, 0x00, 0x00, 0x00,
      0x00, 0x00, 0x00, 0xf0, 0xff, 0x02, 0x00, 0x0a, 0xd1, 0x06, 0x58, 0x12, 0xfe, 0x8a, 0xbb,
      0x00, 0xb0, 0x84, 0x25, 0xe1, 0x96, 0x08, 0xe7, 0x2e, 0x00, 0x2c, 0x61, 0x49, 0xb8, 0x25,
      0xc2, 0xb9, 0x2b, 0x03, 0xe1, 0x96, 0x08, 0xe7, 0x2e, 0x00, 0x2c, 0x61, 0x49, 0xb8, 0x25,
      0xc2, 0xb9, 0x0b, 0x00, 0x4b, 0x58, 0x12, 0x6e, 0x89, 0x70, 0x3a, 0xd7, 0xa1, 0xaa};
  EXPECT(comesBack(bytes, row));
  EXPECT(encode(row) == bytes);
}

TEST("chunks of 1 to 300 samples decode to the same bits") {
  Random random(seed());
  for (std::size_t count = 1; count <= 300; ++count) roundTrip(count, random);
}

// Round trip through memory of the exact size, so that a sanitizer sees its end.
bool comesBackBare(const Row& row) {
  ByteBuffer bytes;
  const ChunkSummary summary = encodeBareChunk(row.ts, row.values, bytes);
  Row back{std::vector<Timestamp>(row.ts.size()), std::vector<double>(row.ts.size())};
  bytes.shrink_to_fit();
  if (!decodeBareChunk(summary, bytes, back.ts, back.values).ok()) return false;
  return sameBits(back.ts, row.ts) && sameBits(back.values, row.values);
}

// Decimals mixed with stale markers, infinities and other NaNs.
Row withSpecials(std::size_t count, std::size_t share, Random& random) {
  constexpr std::uint64_t kSpecials[] = {0x7ff0000000000002, 0x7ff0000000000002, 0x7ff0000000000000,
                                         0xfff0000000000000, 0x7ff8000000000001};
  const MakeValue make = decimalWalk();
  Row row{makeTimestamps(0, count, random), std::vector<double>(count)};
  for (double& value : row.values) {
    value = make(random);
    if (random() % share != 0) continue;
    value = std::bit_cast<double>(kSpecials[random() % std::size(kSpecials)]);
  }
  return row;
}

TEST("decimals with a few other doubles decode to the same bits and grow little") {
  Random random(seed() + 21);
  for (int round = 0; round < 400; ++round) {
    const std::size_t count = 1 + random() % (round % 4 == 0 ? kChunkSamplesMax : 300);
    const Row row = withSpecials(count, std::array{2, 16, 40, 1000}[random() % 4], random);
    for (const CodecChoice choice : kChoices) REQUIRE(comesBack(encode(row, choice), row));
    if (count < kBareSamplesEnd) REQUIRE(comesBackBare(row));
  }
  Row ended = withSpecials(8000, 1'000'000'000, random);
  const std::size_t plain = encode(ended).size();
  for (std::size_t i = 999; i < ended.values.size(); i += 1000) {
    ended.values[i] = std::bit_cast<double>(std::uint64_t{0x7ff0000000000002});
  }
  const ByteBuffer marked = encode(ended);
  EXPECT(comesBack(marked, ended));
  EXPECT(static_cast<double>(marked.size()) < 1.03 * static_cast<double>(plain));
}

TEST("bare chunks of every sample count, clock and kind of value round-trip bit for bit") {
  Random random(seed() + 11);
  for (std::size_t count = 1; count < kBareSamplesEnd; ++count) {
    for (const Generator& generator : generators()) {
      const auto clock = static_cast<unsigned>(random() % kClockKinds);
      const Row row{makeTimestamps(clock, count, random), makeValues(generator, count, random)};
      if (comesBackBare(row)) continue;
      fail(__FILE__, __LINE__,
           std::string(generator.name) + ", clock " + std::to_string(clock) + ", count " +
               std::to_string(count));
    }
  }
}

TEST("a bare chunk of one or two samples takes no bytes beside its summary") {
  constexpr Timestamp kLow = std::numeric_limits<Timestamp>::min();
  constexpr Timestamp kHigh = std::numeric_limits<Timestamp>::max();
  const double nan = std::bit_cast<double>(std::uint64_t{0x7ff8000000001234});
  for (const auto& ts : {std::vector<Timestamp>{kLow}, {kHigh}, {kLow, kHigh}, {-1, 0}}) {
    for (const double value : {0.0, -0.0, nan, 1.5}) {
      Row row{ts, std::vector<double>(ts.size(), value)};
      row.values.back() = 7;
      ByteBuffer bytes;
      encodeBareChunk(row.ts, row.values, bytes);
      EXPECT(bytes.empty() && comesBackBare(row));
    }
  }
  EXPECT(comesBackBare({{kLow, -1, 0, 1, kHigh}, std::vector<double>(5, nan)}));
  EXPECT(comesBackBare({{kLow, 0, kHigh}, {-0.0, 0.0, -0.0}}));
}

// A summary and bytes that do not match.
TEST("a bare chunk of mutated bytes, or with another summary, is safe to decode") {
  Random random(seed() + 12);
  unsigned refused = 0;
  for (int round = 0; round < 20'000; ++round) {
    const std::size_t count = 1 + random() % (kBareSamplesEnd - 1);
    const auto all = generators();
    ByteBuffer bytes;
    ChunkSummary summary =
        encodeBareChunk(makeTimestamps(random() % kClockKinds, count, random),
                        makeValues(all[random() % all.size()], count, random), bytes);
    const auto change = random() % 4;
    if (change == 0) bytes.resize(bytes.size() + random() % 3);
    if (change == 1 && !bytes.empty()) bytes.resize(random() % bytes.size());
    if (change == 2 && !bytes.empty()) bytes[random() % bytes.size()] ^= 1U << random() % 8;
    if (change == 3) {
      summary.count = static_cast<std::uint16_t>(1 + random() % (kBareSamplesEnd - 1));
      summary.valueCodec = static_cast<ValueCodec>(random() % (kValueCodecMax + 1));
      summary.timestampCodec = static_cast<TimestampCodec>(random() % (kTimestampCodecMax + 1));
      const auto more = static_cast<Timestamp>(random() % 3);
      if (summary.tsMax < std::numeric_limits<Timestamp>::max() - more) summary.tsMax += more;
    }
    bytes.shrink_to_fit();
    Row row{std::vector<Timestamp>(summary.count), std::vector<double>(summary.count)};
    const Status status = decodeBareChunk(summary, bytes, row.ts, row.values);
    EXPECT(status.ok() || status.code() == StatusCode::kStorageCorrupt);
    const bool ascends =
        std::adjacent_find(row.ts.begin(), row.ts.end(), std::greater_equal<>()) == row.ts.end();
    EXPECT(!status.ok() || ascends);
    refused += status.ok() ? 0 : 1;
  }
  EXPECT(refused > 1000);
}

TEST("chunks of 1024, 4096 and 8192 samples round-trip bit for bit") {
  Random random(seed() + 1);
  for (int round = 0; round < rounds(10); ++round) {
    for (const std::size_t count : {1023, 1024, 1025, 4096, 8191, 8192}) roundTrip(count, random);
  }
}

TEST("timestamps of every clock round-trip bit for bit, and each timestamp codec is used") {
  Random random(seed() + 2);
  unsigned used = 0;
  for (unsigned clock = 0; clock < kClockKinds; ++clock) {
    for (const std::size_t count : {1, 2, 3, 64, 129, 1000, 8192}) {
      const Row row{makeTimestamps(clock, count, random), std::vector<double>(count, 1.0)};
      ByteBuffer out;
      used |= 1u << static_cast<unsigned>(encodeChunk(row.ts, row.values, out).timestampCodec);
      EXPECT(comesBack(out, row));
    }
  }
  EXPECT(used == 0xf);
}

TEST("every value codec is chosen for some values") {
  Random random(seed() + 3);
  unsigned used = 0;
  for (const Generator& generator : generators()) {
    const Row row{makeTimestamps(0, 1024, random), makeValues(generator, 1024, random)};
    ByteBuffer out;
    used |= 1u << static_cast<unsigned>(encodeChunk(row.ts, row.values, out).valueCodec);
  }
  // The last codec is used when non-decimal values stand among decimals, as in some rows.
  const auto bitOf = [](ValueCodec codec) { return 1u << static_cast<unsigned>(codec); };
  const unsigned special = bitOf(ValueCodec::kDecimalSpecial);
  EXPECT((used | special) == (0x3f | special));
  std::vector<double> ended = makeValues(generators()[0], 1024, random);
  ended[500] = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Timestamp> clock = makeTimestamps(0, 1024, random);
  ByteBuffer bytes;
  EXPECT(encodeChunk(clock, ended, bytes).valueCodec == ValueCodec::kDecimalSpecial);
  const Row walk{makeTimestamps(0, 1024, random), makeValues(generators()[0], 1024, random)};
  ByteBuffer out;
  const ChunkSummary cold = encodeChunk(walk.ts, walk.values, out, CodecChoice::kCold);
  EXPECT(cold.valueCodec == ValueCodec::kDecimalCoded);
}

TEST("the whole range of int64 fits in one chunk") {
  constexpr Timestamp kLow = std::numeric_limits<Timestamp>::min();
  constexpr Timestamp kHigh = std::numeric_limits<Timestamp>::max();
  const std::vector<std::vector<Timestamp>> all = {{kLow},
                                                   {kHigh},
                                                   {kLow, kHigh},
                                                   {kLow, kLow + 1, kHigh},
                                                   {kLow, 0, kHigh},
                                                   {kLow, kHigh - 1, kHigh},
                                                   {kLow, -1, 0, 1, kHigh}};
  for (const auto& ts : all) {
    const Row row{ts, std::vector<double>(ts.size(), -0.0)};
    EXPECT(comesBack(encode(row), row));
  }
}

TEST("encodeChunk appends to the buffer") {
  const Row row{{1, 2, 3}, {1.5, 2.5, 4.5}};
  ByteBuffer out = {9, 9, 9};
  encodeChunk(row.ts, row.values, out);
  EXPECT(comesBack(Bytes(out).subspan(3), row));
}

TEST("a summary has first, last, min, max and sum, and a NaN makes the last three NaN") {
  ByteBuffer out;
  const std::vector<Timestamp> ts = {5, 6, 9};
  const ChunkSummary plain = encodeChunk(ts, std::vector<double>{3, -1, 2}, out);
  EXPECT(plain.count == 3 && plain.tsMin == 5 && plain.tsMax == 9);
  EXPECT(plain.first == 3 && plain.last == 2);
  EXPECT(plain.min == -1 && plain.max == 3 && plain.sum == 4);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const ChunkSummary spoiled = encodeChunk(ts, std::vector<double>{3, nan, 2}, out);
  EXPECT(spoiled.first == 3 && spoiled.last == 2);
  EXPECT(std::isnan(spoiled.min) && std::isnan(spoiled.max) && std::isnan(spoiled.sum));
}

TEST("exact sums of chunk summaries add up to the exact sum of all values") {
  Random random(seed() + 5);
  for (const Generator& generator :
       {Generator{"integers", integerWalk}, Generator{"decimals", decimalWalk},
        Generator{"counter", jitteryCounter}, Generator{"full precision", fullPrecision}}) {
    CompensatedSum joined;
    CompensatedSum plain;
    for (std::size_t count = 1; count < 3000; count += 1 + count / 2) {
      const Row row{makeTimestamps(0, count, random), makeValues(generator, count, random)};
      ByteBuffer out;
      const ChunkSummary summary = encodeChunk(row.ts, row.values, out);
      REQUIRE(summary.hasExactSum() && summary.hasExactBounds());
      CompensatedSum own;
      for (const double value : row.values) own.add(value);
      EXPECT(summary.sum == own.total());
      EXPECT(summary.exactSum().beyondTotal() == own.beyondTotal());
      joined.add(summary.exactSum());
      for (const double value : row.values) plain.add(value);
    }
    EXPECT(joined.total() == plain.total());
  }
}

TEST("a summary reports when its sum is not exact, or its bounds may have wrong zeros") {
  const auto summaryOf = [](const std::vector<double>& values) {
    std::vector<Timestamp> ts(values.size());
    for (std::size_t i = 0; i < ts.size(); ++i) ts[i] = static_cast<Timestamp>(i);
    ByteBuffer out;
    return encodeChunk(ts, values, out);
  };
  EXPECT(!summaryOf({1, 1e-300}).hasExactSum());
  EXPECT(!summaryOf({1e308, 1e308}).hasExactSum());
  EXPECT(!summaryOf({1, std::nan("")}).hasExactSum());
  EXPECT(summaryOf({5e-324, 1e-320, 0}).hasExactSum());
  EXPECT(summaryOf({1, 0x1p-91}).exactSum().beyondTotal() == 0x1p-91);
  EXPECT(!summaryOf({1, 0x1p-92}).hasExactSum());
  for (const auto& values : {std::vector<double>{0, 0.1, -0.0}, {-0.0, 0.1, 0}}) {
    EXPECT(std::signbit(summaryOf(values).min) && summaryOf(values).hasExactBounds());
  }
  ChunkSummary old = summaryOf({0, 1, -0.0, 2});
  old.setRest(ChunkSummary::kNoRest);
  EXPECT(old.valueCodec == ValueCodec::kXor || old.valueCodec == ValueCodec::kRaw);
  EXPECT(!old.hasExactBounds());
  old = summaryOf({0, 1, 2, 5});
  old.setRest(ChunkSummary::kNoRest);
  EXPECT(old.hasExactBounds());
}

TEST("typical series stay within their target sizes") {
  Random random(seed() + 4);
  const auto ts = makeTimestamps(0, 4096, random);
  const auto sizeOf = [&](const MakeValue& make) {
    std::vector<double> values(4096);
    for (double& value : values) value = make(random);
    return static_cast<double>(encode({ts, values}).size()) / 4096;
  };
  EXPECT(sizeOf(integerWalk()) <= 0.42);
  EXPECT(sizeOf(decimalWalk()) <= 1.2);
  EXPECT(sizeOf([](Random&) { return 1.0 / 3; }) < 0.01);
  // The codecs of closed segments come close to the entropy of the walk's steps.
  const auto coldSizeOf = [&](const MakeValue& make) {
    Row row{makeTimestamps(0, kChunkSamplesMax, random), std::vector<double>(kChunkSamplesMax)};
    for (double& value : row.values) value = make(random);
    return static_cast<double>(encode(row, CodecChoice::kCold).size()) / kChunkSamplesMax;
  };
  EXPECT(coldSizeOf(integerWalk()) <= 0.3);
  EXPECT(coldSizeOf(decimalWalk()) <= 1.12);
  EXPECT(coldSizeOf(jitteryCounter()) <= 0.86);
  EXPECT(coldSizeOf([](Random& r) { return std::floor(40 + 10 * normal(r)); }) <= 0.7);
  // A value that changes at every 20th sample.
  EXPECT(coldSizeOf([state = 0.0](Random& r) mutable {
           return state += r() % 20 == 0 ? double(r() % 2) * 2 - 1 : 0;
         }) <= 0.06);
  EXPECT(sizeOf(fullPrecision()) < 8.01);
  // Four bits a value and about six bytes for each outlier, in either direction.
  EXPECT(sizeOf([](Random& r) {
           const auto base = double(r() % 16);
           return r() % 40 == 0 ? base + (r() % 2 == 0 ? 1e9 : -1e9) : base;
         }) < 0.85);
}

TEST("verifyChunk finds every truncation and bit flip, and all are safe to decode") {
  Random random(seed() + 5);
  for (const Generator& generator : generators()) {
    for (unsigned clock = 0; clock < 7; clock += 2) {
      const Row row{makeTimestamps(clock, 200, random), makeValues(generator, 200, random)};
      const ByteBuffer chunk = encode(row, kChoices[clock / 2 % 2]);
      for (std::size_t size = 0; size < chunk.size(); ++size) {
        EXPECT(!verifyChunk(Bytes(chunk).first(size)).ok());
        decodeAnything(Bytes(chunk).first(size));
      }
      for (int round = 0; round < 300; ++round) {
        ByteBuffer damaged = chunk;
        damaged[random() % damaged.size()] ^= static_cast<std::uint8_t>(1u << random() % 8);
        EXPECT(!verifyChunk(damaged).ok());
        decodeAnything(damaged);
      }
    }
  }
}

TEST("mutated and invented bytes are safe to decode") {
  Random random(seed() + 6);
  for (int round = 0; round < rounds(20000); ++round) {
    const auto all = generators();
    const std::size_t count = 1 + random() % 400;
    const Row row{makeTimestamps(static_cast<unsigned>(random() % kClockKinds), count, random),
                  makeValues(all[random() % all.size()], count, random)};
    ByteBuffer chunk = encode(row, kChoices[random() % 2]);
    for (std::uint64_t hits = 1 + random() % 8; hits > 0; --hits) {
      chunk[random() % chunk.size()] = static_cast<std::uint8_t>(random());
    }
    decodeAnything(chunk);
    // A valid header with any codecs and count, then noise.
    for (std::size_t i = 4; i < chunk.size(); ++i) chunk[i] = static_cast<std::uint8_t>(random());
    chunk[0] = 0xC1;
    chunk[1] = static_cast<std::uint8_t>((random() % 4) << 4 | random() % 7);
    decodeAnything(chunk);
  }
}

TEST("an unknown chunk version or codec is reported as written by a newer seriesdb") {
  const ByteBuffer chunk = encode({{1, 2, 3}, {1, 2, 4}});
  for (const auto& [at, value] : {std::pair{0, 0xC2}, {0, 0xCF}, {1, 0xF0}, {1, 0x0F}}) {
    ByteBuffer later = chunk;
    later[static_cast<std::size_t>(at)] = static_cast<std::uint8_t>(value);
    std::vector<Timestamp> ts(3);
    std::vector<double> values(3);
    const Status decoded = decodeChunk(later, ts, values);
    EXPECT(decoded.code() == StatusCode::kStorageCorrupt);
    EXPECT(decoded.message().find("was written by a newer seriesdb") != std::string::npos);
  }
}

TEST("a chunk whose sample count differs from the expected one is refused") {
  const ByteBuffer chunk = encode({{1, 2, 3}, {1, 2, 4}});
  for (const std::size_t count : {2, 4}) {
    std::vector<Timestamp> ts(count);
    std::vector<double> values(count);
    EXPECT(decodeChunk(chunk, ts, values).code() == StatusCode::kStorageCorrupt);
  }
}

// Replaces the chunk's timestamps by a payload that does not ascend. The checksum fits.
ByteBuffer withTimestamps(TimestampCodec codec, Timestamp first, std::size_t count, Bytes payload) {
  ByteBuffer chunk = {0xC1, static_cast<std::uint8_t>(static_cast<unsigned>(codec) << 4 | 2)};
  appendVarint(chunk, count);
  appendVarint(chunk, zigzag(first));
  appendVarint(chunk, payload.size());
  appendBytes(chunk, payload);
  appendLe(chunk, 1.0);
  appendLe(chunk, crc32c(chunk));
  return chunk;
}

bool isTaken(Bytes chunk) {
  std::vector<Timestamp> ts(countOf(chunk));
  std::vector<double> values(ts.size());
  const Status decoded = decodeChunk(chunk, ts, values);
  EXPECT(decoded.ok() || decoded.code() == StatusCode::kStorageCorrupt);
  if (!decoded.ok()) return false;
  EXPECT(std::adjacent_find(ts.begin(), ts.end(), std::greater_equal<>()) == ts.end());
  return true;
}

TEST("timestamp steps of zero, backwards or past the last timestamp are refused") {
  const auto stepped = [](Timestamp first, std::size_t count, std::uint64_t step) {
    ByteBuffer payload;
    appendVarint(payload, step);
    return isTaken(withTimestamps(TimestampCodec::kStep, first, count, payload));
  };
  EXPECT(stepped(0, 1, 0) && stepped(0, 3, 1) && stepped(INT64_MIN, 2, UINT64_MAX));
  EXPECT(stepped(INT64_MAX - 20, 3, 10) && !stepped(INT64_MAX - 19, 3, 10));
  EXPECT(!stepped(0, 2, 0) && !stepped(0, 2, static_cast<std::uint64_t>(-1)));
  EXPECT(!stepped(INT64_MIN, 3, std::uint64_t{1} << 63));
}

TEST("timestamps that do not increase are refused, in every codec and at every position") {
  Random random(seed() + 7);
  int refused = 0;
  for (int round = 0; round < 20000; ++round) {
    const std::size_t count = 2 + random() % 300;
    const auto clock = static_cast<unsigned>(random() % kClockKinds);
    Row row{makeTimestamps(clock, count, random), std::vector<double>(count, 1.0)};
    // Some rows lie near the ends of the timestamp range.
    const bool isLast = random() % 4 == 0 && row.ts.back() >= 0;
    const Timestamp shift = isLast ? INT64_MAX - row.ts.back() : 0;
    for (Timestamp& ts : row.ts) ts += shift;
    ByteBuffer chunk = encode(row);
    ByteReader in(chunk);
    static_cast<void>(in.readBytes(2));
    static_cast<void>(in.readVarint());
    static_cast<void>(in.readVarint());
    const std::uint64_t size = in.readVarint();
    const std::size_t at = chunk.size() - in.rest().size();
    if (size == 0) continue;
    chunk[at + random() % size] ^= static_cast<std::uint8_t>(1u << random() % 8);
    if (!isTaken(chunk)) ++refused;
  }
  EXPECT(refused > 1000);
}

}  // namespace
