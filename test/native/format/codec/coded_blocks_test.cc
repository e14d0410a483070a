// Coded blocks against a decoder written from the format's description alone.
#include "format/codec/coded_blocks.h"

#include <numeric>

#include "harness.h"
#include "series.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

using Integers = std::vector<std::int64_t>;

ByteBuffer coded(const Integers& values) {
  CodedPlan plan;
  planCoding(values, plan);
  ByteBuffer out;
  appendCoded(values, plan, out);
  return out;
}

// Decodes as docs/format/chunk.md describes: value by value, bit by bit. REQUIRES: well formed.
Integers readPlainly(Bytes bytes, std::size_t count) {
  ByteReader in(bytes);
  const auto head = in.readLe<std::uint8_t>();
  const std::int64_t base = unzigzag(in.readVarint());
  const bool hasOneWidth = head < 0x80;
  const Bytes widths = in.readBytes(hasOneWidth ? 1 : (count + 127) / 128);
  const Bytes frequencies = in.readBytes(16);
  std::vector<std::uint32_t> states(32);
  for (auto& state : states) state = in.readLe<std::uint16_t>();
  const std::uint64_t streamSize = in.readVarint();
  static_cast<void>(in.readVarint());  // The size of the escapes.
  const Bytes stream = in.readBytes(streamSize);
  const Bytes lows = in.rest();
  std::size_t lowsSize = 0;
  const auto widthAt = [&](std::size_t i) { return unsigned{widths[hasOneWidth ? 0 : i / 128]}; };
  for (std::size_t at = 0; at < count; at += 128) {
    lowsSize += (std::min<std::size_t>(128, count - at) * widthAt(at) + 7) / 8;
  }
  ByteReader escapes(lows.subspan(lowsSize));
  Integers values(count);
  std::size_t taken = 0;
  std::size_t bit = 0;
  // The states take turns until a full round of 32 ends.
  for (std::size_t i = 0; i < (count + 31) / 32 * 32; ++i) {
    std::uint32_t& state = states[i % 32];
    std::size_t symbol = 0;
    std::uint32_t start = 0;
    while (state % 64 >= start + frequencies[symbol]) start += frequencies[symbol++];
    state = frequencies[symbol] * (state / 64) + state % 64 - start;
    if (state < 256) state = state * 256 + stream[taken++];
    if (i >= count) continue;
    if (i % 128 == 0) bit = (bit + 7) / 8 * 8;
    std::uint64_t low = 0;
    const unsigned width = widthAt(i);
    for (unsigned k = 0; k < width; ++k, ++bit) {
      low |= std::uint64_t{lows[bit / 8] >> (bit % 8) & 1u} << k;
    }
    const std::int64_t cell = symbol == 15 ? unzigzag(escapes.readVarint())
                                           : static_cast<std::int64_t>(symbol) - (head & 0x7f);
    values[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(base) +
                                          (static_cast<std::uint64_t>(cell) << width) + low);
  }
  EXPECT(taken == stream.size() && escapes.ok() && escapes.atEnd());
  return values;
}

bool readWith(const Kernels& kernels, Bytes bytes, Integers& values) {
  const ByteBuffer exact(bytes.begin(), bytes.end());
  CodedReader reader(exact, values.size(), kernels);
  UnpackedBlock block;
  for (std::size_t at = 0; at < values.size(); at += kBlockSize) {
    const std::size_t count = std::min(kBlockSize, values.size() - at);
    if (!reader.next(count, block)) return false;
    for (std::size_t i = 0; i < count; ++i) {
      values[at + i] = static_cast<std::int64_t>(block.base + block.residuals[i]);
      if (block.width < 64 && block.residuals[i] >> block.width != 0) return false;
    }
  }
  return reader.isComplete();
}

std::vector<const Kernels*> everyKernels() {
  std::vector<const Kernels*> all{&scalarKernels()};
  for (const Kernels* one : {avx2Kernels(), avx512Kernels()}) {
    if (one != nullptr) all.push_back(one);
  }
  return all;
}

// Rows of random spread, level, noise and outliers.
Integers makeIntegers(std::size_t count, Random& random) {
  Integers values(count);
  const auto level = static_cast<std::int64_t>(random() >> random() % 64);
  const std::uint64_t outliers = random() % 3 == 0 ? 2 + random() % 200 : 0;
  const bool isWild = random() % 2 == 0;
  unsigned shift = static_cast<unsigned>(random() % 64);
  for (std::size_t i = 0; i < count; ++i) {
    if (isWild && i % 128 == 0) {
      const int next = static_cast<int>(shift) + static_cast<int>(random() % 5) - 2;
      shift = static_cast<unsigned>(std::clamp(next, 0, 63));
    }
    const std::uint64_t spread = random() >> shift;
    const std::uint64_t sign = random() % 2 == 0 ? ~std::uint64_t{0} : 0;
    values[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(level) + (spread ^ sign));
    if (outliers > 0 && random() % outliers == 0) values[i] = static_cast<std::int64_t>(random());
  }
  return values;
}

TEST("every kernel and a plain decoder of the format read the same integers") {
  Random random(seed());
  for (int round = 0; round < rounds(1500); ++round) {
    const std::size_t count = 1 + random() % (round % 10 == 0 ? 8192 : 500);
    const Integers values = makeIntegers(count, random);
    const ByteBuffer bytes = coded(values);
    EXPECT(readPlainly(bytes, count) == values);
    for (const Kernels* kernels : everyKernels()) {
      Integers found(count);
      EXPECT(readWith(*kernels, bytes, found) && found == values);
    }
  }
}

TEST("truncated or damaged coded blocks give the same result with every kernel") {
  Random random(seed() + 1);
  int refused = 0;
  for (int round = 0; round < rounds(1500); ++round) {
    const std::size_t count = 1 + random() % 500;
    ByteBuffer bytes = coded(makeIntegers(count, random));
    const ByteBuffer whole = bytes;
    if (random() % 4 == 0) {
      bytes.resize(random() % bytes.size());
    } else {
      bytes[random() % bytes.size()] ^= static_cast<std::uint8_t>(1u << random() % 8);
    }
    Integers expected(count);
    const bool isRead = readWith(scalarKernels(), bytes, expected);
    if (bytes.size() < whole.size()) EXPECT(!isRead);
    refused += isRead ? 0 : 1;
    for (const Kernels* kernels : everyKernels()) {
      Integers found(count);
      EXPECT(readWith(*kernels, bytes, found) == isRead && (!isRead || found == expected));
    }
  }
  EXPECT(refused > rounds(1500) / 4);
}

TEST("coded blocks with a slot count other than 64, or too large a width, are refused") {
  Integers values(300);
  std::iota(values.begin(), values.end(), 0);
  const ByteBuffer bytes = coded(values);
  Integers found(values.size());
  EXPECT(readWith(kernels(), bytes, found) && found == values);
  ByteReader in(bytes);
  static_cast<void>(in.readLe<std::uint8_t>());
  static_cast<void>(in.readVarint());
  const std::size_t width = bytes.size() - in.rest().size();
  ByteBuffer damaged = bytes;
  damaged[width] = kCodedWidthMax + 1;
  EXPECT(!readWith(kernels(), damaged, found));
  const std::size_t widths = bytes[0] < 0x80 ? 1 : 3;
  for (std::size_t i = 0; i < kSymbolCount; ++i) {
    damaged = bytes;
    damaged[width + widths + i] ^= 1;
    EXPECT(!readWith(kernels(), damaged, found));
  }
  // A zero behind the end of the window.
  damaged = bytes;
  damaged[0] = static_cast<std::uint8_t>((damaged[0] & 0x80) | kEscapeSymbol);
  EXPECT(!readWith(kernels(), damaged, found));
}

}  // namespace
