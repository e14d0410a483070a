// The AVX2 kernels: four values a step.
//
// Four values of up to 32 bits lie within 16 bytes, also when they start in the middle of a
// byte, so one load, broadcast to both halves, and one byte shuffle fetch them.
#include "codec/kernels.h"
#include "codec/kernels_scalar.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define SERIESDB_TARGET __attribute__((target("avx2")))

namespace seriesdb {
namespace {

constexpr unsigned kWidthMax = 32;

struct Shuffle {
  alignas(32) std::uint8_t bytes[2][32];
  alignas(32) std::uint64_t shifts[2][4];
};

// Half 0 holds values 0..3 of a group of eight, half 1 the values 4..7, which start at byte
// 4 * width / 8 and, for an odd width, four bits later.
constexpr std::array<Shuffle, kWidthMax + 1> makeShuffles() {
  std::array<Shuffle, kWidthMax + 1> table{};
  for (unsigned width = 0; width <= kWidthMax; ++width) {
    for (unsigned half = 0; half < 2; ++half) {
      for (unsigned lane = 0; lane < 4; ++lane) {
        const unsigned bit = (half * 4 * width & 7) + lane * width;
        table[width].shifts[half][lane] = bit & 7;
        for (unsigned byte = 0; byte < 8; ++byte) {
          const unsigned source = (bit >> 3) + byte;
          table[width].bytes[half][lane * 8 + byte] =
              static_cast<std::uint8_t>(source < 16 ? source : 0x80);
        }
      }
    }
  }
  return table;
}
constexpr std::array<Shuffle, kWidthMax + 1> kShuffles = makeShuffles();

SERIESDB_TARGET inline __m256i load(const void* from) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(from));
}
SERIESDB_TARGET inline void store(void* to, __m256i value) {
  _mm256_storeu_si256(static_cast<__m256i*>(to), value);
}

SERIESDB_TARGET inline __m256i fetch(const std::uint8_t* from, __m256i order, __m256i shifts) {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  return _mm256_srlv_epi64(_mm256_shuffle_epi8(_mm256_broadcastsi128_si256(bytes), order), shifts);
}

SERIESDB_TARGET void unpack(const std::uint8_t* from, unsigned width, std::uint64_t* out) {
  if (width > kWidthMax) return scalar::unpack(from, width, out);

  const Shuffle& shuffle = kShuffles[width];
  const __m256i orderLow = load(shuffle.bytes[0]);
  const __m256i orderHigh = load(shuffle.bytes[1]);
  const __m256i shiftsLow = load(shuffle.shifts[0]);
  const __m256i shiftsHigh = load(shuffle.shifts[1]);
  const __m256i mask = _mm256_set1_epi64x((std::int64_t{1} << width) - 1);
  const unsigned middle = width / 2;
  for (std::size_t i = 0; i < kBlockSize; i += 8, from += width) {
    store(out + i, _mm256_and_si256(fetch(from, orderLow, shiftsLow), mask));
    store(out + i + 4, _mm256_and_si256(fetch(from + middle, orderHigh, shiftsHigh), mask));
  }
}

// Exact for every int64 that a double holds, correctly rounded for the rest: the two halves are
// put into the mantissas of doubles of known exponents, 2^52 and 2^84.
template <bool kDivide>
SERIESDB_TARGET inline __m256d toDouble(__m256i v, __m256d power) {
  const __m256i lowMagic = _mm256_set1_epi64x(0x4330000000000000);
  const __m256i highMagic = _mm256_set1_epi64x(0x4530000080000000);
  const __m256d bothMagic = _mm256_castsi256_pd(_mm256_set1_epi64x(0x4530000080100000));
  const __m256i low = _mm256_blend_epi32(lowMagic, v, 0x55);
  const __m256i high = _mm256_xor_si256(_mm256_srli_epi64(v, 32), highMagic);
  const __m256d highPart = _mm256_sub_pd(_mm256_castsi256_pd(high), bothMagic);
  const __m256d whole = _mm256_add_pd(highPart, _mm256_castsi256_pd(low));
  return kDivide ? _mm256_div_pd(whole, power) : whole;
}

template <bool kDivide>
SERIESDB_TARGET void decimalForOf(const std::uint64_t* residuals, std::uint64_t base, double power,
                                  double* out) {
  const __m256i bases = _mm256_set1_epi64x(static_cast<std::int64_t>(base));
  const __m256d powers = _mm256_set1_pd(power);
  for (std::size_t i = 0; i < kBlockSize; i += 4) {
    const __m256i sum = _mm256_add_epi64(bases, load(residuals + i));
    _mm256_storeu_pd(out + i, toDouble<kDivide>(sum, powers));
  }
}

void decimalFor(const std::uint64_t* residuals, std::uint64_t base, double power, double* out) {
  if (power == 1) return decimalForOf<false>(residuals, base, power, out);
  return decimalForOf<true>(residuals, base, power, out);
}

// A running sum takes one addition a value in plain registers; four lanes would not be faster.
std::uint64_t decimalDelta(const std::uint64_t* residuals, BlockStart block, double power,
                           double* out) {
  std::int64_t sums[kBlockSize];
  const std::uint64_t last = scalar::integerDelta(residuals, block, sums);
  decimalFor(reinterpret_cast<const std::uint64_t*>(sums), 0, power, out);
  return last;
}

template <bool kDivide>
SERIESDB_TARGET std::size_t toDecimalOf(const double* values, std::size_t count, double power,
                                        std::int64_t* mantissas) {
  const __m256d powers = _mm256_set1_pd(power);
  const __m256d sign = _mm256_set1_pd(-0.0);
  const __m256d limit = _mm256_set1_pd(2251799813685248.0);  // 2^51
  // Adding 1.5 * 2^52 rounds to an integer and leaves it in the low mantissa bits.
  const __m256d magic = _mm256_set1_pd(6755399441055744.0);
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    const __m256d value = _mm256_loadu_pd(values + i);
    const __m256d scaled = _mm256_mul_pd(value, powers);
    const __m256d shifted = _mm256_add_pd(scaled, magic);
    const __m256d rounded = _mm256_sub_pd(shifted, magic);
    const __m256d back = kDivide ? _mm256_div_pd(rounded, powers) : rounded;
    const __m256d small = _mm256_cmp_pd(_mm256_andnot_pd(sign, scaled), limit, _CMP_LT_OQ);
    const __m256i same = _mm256_cmpeq_epi64(_mm256_castpd_si256(back), _mm256_castpd_si256(value));
    store(mantissas + i,
          _mm256_sub_epi64(_mm256_castpd_si256(shifted), _mm256_castpd_si256(magic)));
    const int good = _mm256_movemask_pd(_mm256_and_pd(small, _mm256_castsi256_pd(same)));
    if (good == 0xf) continue;
    // Either not decimal, or past 2^51, where the trick ends.
    const std::size_t fits = scalar::toDecimal(values + i, 4, power, mantissas + i);
    if (fits != 4) return i + fits;
  }
  return i + scalar::toDecimal(values + i, count - i, power, mantissas + i);
}

std::size_t toDecimal(const double* values, std::size_t count, double power,
                      std::int64_t* mantissas) {
  if (power == 1) return toDecimalOf<false>(values, count, power, mantissas);
  return toDecimalOf<true>(values, count, power, mantissas);
}

}  // namespace

const Kernels* avx2Kernels() {
  static constexpr Kernels kAvx2 = {
      "avx2",   unpack, decimalFor, decimalDelta, scalar::integerDelta, scalar::lineResidual,
      toDecimal};
  static const bool runs = __builtin_cpu_supports("avx2");
  return runs ? &kAvx2 : nullptr;
}

}  // namespace seriesdb

#else
namespace seriesdb {
const Kernels* avx2Kernels() { return nullptr; }
}  // namespace seriesdb
#endif
