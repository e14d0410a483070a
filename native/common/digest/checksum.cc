// CRC-32C, reflected, polynomial 0x1EDC6F41, register and result inverted (RFC 3720, B.4).
//
// The crc32 instruction has a latency of three cycles and a throughput of one. So long inputs are
// cut into three streams of equal length. Multiplying by x^(8 * length) modulo the polynomial moves
// a stream's register past the bytes of the next one. A table for each of the register's four bytes
// does this. The compiler builds the tables.
#include "common/digest/checksum.h"

#include <array>

#include "common/base/cpu.h"
#include "common/digest/checksum_kernels.h"

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace seriesdb {
namespace {

constexpr std::uint32_t kPolynomial = 0x82F63B78;  // Reflected.

template <std::size_t kRows>
using ByteTables = std::array<std::array<std::uint32_t, 256>, kRows>;

constexpr std::uint32_t timesX(std::uint32_t value) {
  return (value & 1) != 0 ? (value >> 1) ^ kPolynomial : value >> 1;
}

// The product of two polynomials. The bit of x^0 is the highest.
constexpr std::uint32_t multiply(std::uint32_t a, std::uint32_t b) {
  std::uint32_t product = 0;
  for (std::uint32_t bit = 1u << 31; bit != 0; bit >>= 1) {
    if ((a & bit) != 0) product ^= b;
    b = timesX(b);
  }
  return product;
}

// tables[k][b] is the register after the byte b and k zero bytes.
constexpr ByteTables<8> makeSliceTables() {
  ByteTables<8> tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) value = timesX(value);
    tables[0][byte] = value;
  }
  for (std::size_t row = 1; row < 8; ++row) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t before = tables[row - 1][byte];
      tables[row][byte] = (before >> 8) ^ tables[0][before & 0xff];
    }
  }
  return tables;
}
constexpr ByteTables<8> kSlices = makeSliceTables();

// powers[k] is x^(8 * 2^k): the factor that moves a register past 2^k bytes.
constexpr std::array<std::uint32_t, 64> makeBytePowers() {
  std::array<std::uint32_t, 64> powers{};
  powers[0] = 1u << 23;
  for (std::size_t k = 1; k < powers.size(); ++k) {
    powers[k] = multiply(powers[k - 1], powers[k - 1]);
  }
  return powers;
}
constexpr std::array<std::uint32_t, 64> kBytePowers = makeBytePowers();

std::uint32_t stepByte(std::uint32_t state, std::uint8_t byte) {
  return (state >> 8) ^ kSlices[0][(state ^ byte) & 0xff];
}

}  // namespace

namespace checksum_kernels {

std::uint32_t crc32cPortable(Bytes bytes, std::uint32_t seed) {
  std::uint32_t state = ~seed;
  const std::uint8_t* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; left -= 8, at += 8) {
    const std::uint64_t word = loadLe<std::uint64_t>(at) ^ state;
    state = 0;
    for (unsigned i = 0; i < 8; ++i) state ^= kSlices[7 - i][(word >> (8 * i)) & 0xff];
  }
  for (; left > 0; --left, ++at) state = stepByte(state, *at);
  return ~state;
}

#if defined(__x86_64__)
namespace {

constexpr std::size_t kLongStream = 2048;
constexpr std::size_t kShortStream = 192;

// The value of the register after `size` zero bytes, for each byte value at each of its four
// places.
constexpr ByteTables<4> makeShiftTables(std::size_t size) {
  std::uint32_t power = 1u << 31;  // x^0
  for (std::size_t k = 0; k < 64; ++k) {
    if (((size >> k) & 1) != 0) power = multiply(power, kBytePowers[k]);
  }
  ByteTables<4> tables{};
  for (std::uint32_t place = 0; place < 4; ++place) {
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
      tables[place][byte] = multiply(power, byte << (8 * place));
    }
  }
  return tables;
}
constexpr ByteTables<4> kLongShift = makeShiftTables(kLongStream);
constexpr ByteTables<4> kShortShift = makeShiftTables(kShortStream);

std::uint64_t shift(const ByteTables<4>& tables, std::uint64_t state) {
  return tables[0][state & 0xff] ^ tables[1][(state >> 8) & 0xff] ^
         tables[2][(state >> 16) & 0xff] ^ tables[3][(state >> 24) & 0xff];
}

// The register after the 3 * kSize bytes at `at`.
template <std::size_t kSize>
__attribute__((target("sse4.2,crc32"))) std::uint64_t threeStreams(const std::uint8_t* at,
                                                                   const ByteTables<4>& tables,
                                                                   std::uint64_t state) {
  static_assert(kSize % 8 == 0);
  std::uint64_t second = 0;
  std::uint64_t third = 0;
  for (std::size_t i = 0; i < kSize; i += 8) {
    state = _mm_crc32_u64(state, loadLe<std::uint64_t>(at + i));
    second = _mm_crc32_u64(second, loadLe<std::uint64_t>(at + kSize + i));
    third = _mm_crc32_u64(third, loadLe<std::uint64_t>(at + 2 * kSize + i));
  }
  second ^= shift(tables, state);
  return third ^ shift(tables, second);
}

}  // namespace

__attribute__((target("sse4.2,crc32"))) std::uint32_t crc32cSse42(Bytes bytes,
                                                                  std::uint32_t seed) {
  std::uint64_t state = ~seed;
  const std::uint8_t* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 3 * kLongStream; left -= 3 * kLongStream, at += 3 * kLongStream) {
    state = threeStreams<kLongStream>(at, kLongShift, state);
  }
  for (; left >= 3 * kShortStream; left -= 3 * kShortStream, at += 3 * kShortStream) {
    state = threeStreams<kShortStream>(at, kShortShift, state);
  }
  for (; left >= 8; left -= 8, at += 8) state = _mm_crc32_u64(state, loadLe<std::uint64_t>(at));
  auto narrow = static_cast<std::uint32_t>(state);
  for (; left > 0; --left, ++at) narrow = _mm_crc32_u8(narrow, *at);
  return ~narrow;
}
#endif

}  // namespace checksum_kernels

std::uint32_t crc32c(Bytes bytes, std::uint32_t seed) {
#if defined(__x86_64__)
  if (cpuFeatures().sse42) return checksum_kernels::crc32cSse42(bytes, seed);
#endif
  return checksum_kernels::crc32cPortable(bytes, seed);
}

std::uint32_t crc32cShift(std::uint32_t crc, std::uint64_t size) {
  for (std::size_t k = 0; size != 0; ++k, size >>= 1) {
    if ((size & 1) != 0) crc = multiply(crc, kBytePowers[k]);
  }
  return crc;
}

}  // namespace seriesdb
