// The AVX-512 kernels (F, BW, DQ, VL, VBMI, VBMI2): eight values a step, or 32 symbols.
//
// Eight values of w bits fill w whole bytes, so every group of eight starts on a byte. One byte
// permutation puts each value's bytes into its lane; a shift and a mask cut it out.
#include "common/base/cpu.h"
#include "format/codec/kernels.h"
#include "format/codec/kernels_scalar.h"

#if defined(__x86_64__)
// The compiler's own header leaves the unused operand of a mask uninitialised on purpose. The
// compiler warns about it nevertheless (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>

#define SERIESDB_TARGET \
  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2")))

namespace seriesdb {
namespace {

// A value of up to 57 bits fits in 8 bytes, at any bit offset.
constexpr unsigned kWidthMax = 57;

struct Shuffle {
  alignas(64) std::uint8_t bytes[64];
  alignas(64) std::uint64_t shifts[8];
};

constexpr std::array<Shuffle, kWidthMax + 1> makeShuffles() {
  std::array<Shuffle, kWidthMax + 1> table{};
  for (unsigned width = 0; width <= kWidthMax; ++width) {
    for (unsigned lane = 0; lane < 8; ++lane) {
      for (unsigned byte = 0; byte < 8; ++byte) {
        table[width].bytes[lane * 8 + byte] = static_cast<std::uint8_t>((lane * width >> 3) + byte);
      }
      table[width].shifts[lane] = lane * width & 7;
    }
  }
  return table;
}
constexpr std::array<Shuffle, kWidthMax + 1> kShuffles = makeShuffles();

SERIESDB_TARGET void unpack(const std::uint8_t* from, unsigned width, std::uint64_t* out) {
  if (width > kWidthMax) return scalar::unpack(from, width, out);

  const Shuffle& shuffle = kShuffles[width];
  const __m512i order = _mm512_load_si512(shuffle.bytes);
  const __m512i shifts = _mm512_load_si512(shuffle.shifts);
  const __m512i mask = _mm512_set1_epi64((std::int64_t{1} << width) - 1);
  for (std::size_t i = 0; i < kBlockSize; i += 8, from += width) {
    const __m512i lanes = _mm512_permutexvar_epi8(order, _mm512_loadu_si512(from));
    _mm512_storeu_si512(out + i, _mm512_and_si512(_mm512_srlv_epi64(lanes, shifts), mask));
  }
}

SERIESDB_TARGET std::uint64_t sumOf(const std::uint8_t* from, unsigned width) {
  if (width > kWidthMax) return scalar::sumOf(from, width);

  const Shuffle& shuffle = kShuffles[width];
  const __m512i order = _mm512_load_si512(shuffle.bytes);
  const __m512i shifts = _mm512_load_si512(shuffle.shifts);
  const __m512i mask = _mm512_set1_epi64((std::int64_t{1} << width) - 1);
  __m512i sum = _mm512_setzero_si512();
  for (std::size_t i = 0; i < kBlockSize; i += 8, from += width) {
    const __m512i lanes = _mm512_permutexvar_epi8(order, _mm512_loadu_si512(from));
    sum = _mm512_add_epi64(sum, _mm512_and_si512(_mm512_srlv_epi64(lanes, shifts), mask));
  }
  // Add as unsigned, because the sum may wrap; _mm512_reduce_add_epi64() adds signed integers.
  const __m256i halves =
      _mm256_add_epi64(_mm512_castsi512_si256(sum), _mm512_extracti64x4_epi64(sum, 1));
  alignas(32) std::uint64_t lanes[4];
  _mm256_store_si256(reinterpret_cast<__m256i*>(lanes), halves);
  return lanes[0] + lanes[1] + lanes[2] + lanes[3];
}

// The division is most of the work, so whole numbers skip it.
template <bool kDivide>
SERIESDB_TARGET inline __m512d toDouble(__m512i mantissas, __m512d power) {
  const __m512d whole = _mm512_cvtepi64_pd(mantissas);
  return kDivide ? _mm512_div_pd(whole, power) : whole;
}

template <bool kDivide>
SERIESDB_TARGET void decimalForOf(const std::uint64_t* residuals, std::uint64_t base, double power,
                                  double* out) {
  const __m512i bases = _mm512_set1_epi64(static_cast<std::int64_t>(base));
  const __m512d powers = _mm512_set1_pd(power);
  for (std::size_t i = 0; i < kBlockSize; i += 8) {
    const __m512i sum = _mm512_add_epi64(bases, _mm512_loadu_si512(residuals + i));
    _mm512_storeu_pd(out + i, toDouble<kDivide>(sum, powers));
  }
}

void decimalFor(const std::uint64_t* residuals, std::uint64_t base, double power, double* out) {
  if (power == 1) return decimalForOf<false>(residuals, base, power, out);
  return decimalForOf<true>(residuals, base, power, out);
}

// Running sums within the eight lanes.
SERIESDB_TARGET inline __m512i scan(__m512i v) {
  const __m512i zero = _mm512_setzero_si512();
  v = _mm512_add_epi64(v, _mm512_alignr_epi64(v, zero, 7));
  v = _mm512_add_epi64(v, _mm512_alignr_epi64(v, zero, 6));
  return _mm512_add_epi64(v, _mm512_alignr_epi64(v, zero, 4));
}

// (i + 1) * base for the eight lanes: the base's share of the running sums.
SERIESDB_TARGET inline __m512i baseSums(std::uint64_t base) {
  return scan(_mm512_set1_epi64(static_cast<std::int64_t>(base)));
}

template <bool kDivide>
SERIESDB_TARGET std::uint64_t decimalDeltaOf(const std::uint64_t* residuals, BlockStart block,
                                             double power, double* out) {
  const __m512i last = _mm512_set1_epi64(7);
  const __m512i bases = baseSums(block.base);
  const __m512d powers = _mm512_set1_pd(power);
  __m512i carry = _mm512_set1_epi64(static_cast<std::int64_t>(block.start));
  for (std::size_t i = 0; i < kBlockSize; i += 8) {
    const __m512i local = _mm512_add_epi64(scan(_mm512_loadu_si512(residuals + i)), bases);
    const __m512i sum = _mm512_add_epi64(local, carry);
    // The carry uses `local`, so that only one addition lies between two groups.
    carry = _mm512_add_epi64(carry, _mm512_permutexvar_epi64(last, local));
    _mm512_storeu_pd(out + i, toDouble<kDivide>(sum, powers));
  }
  return static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm512_castsi512_si128(carry)));
}

std::uint64_t decimalDelta(const std::uint64_t* residuals, BlockStart block, double power,
                           double* out) {
  if (power == 1) return decimalDeltaOf<false>(residuals, block, power, out);
  return decimalDeltaOf<true>(residuals, block, power, out);
}

// Eight values of up to this many bits have a sum that fits in a byte.
constexpr unsigned kNarrowMax = 5;

// Puts eight values of a width into the bytes of each lane.
struct Spread {
  alignas(64) std::uint8_t bytes[64];
  alignas(64) std::uint8_t shifts[64];
};

constexpr std::array<Spread, kNarrowMax + 1> makeSpreads() {
  std::array<Spread, kNarrowMax + 1> table{};
  for (unsigned width = 0; width <= kNarrowMax; ++width) {
    for (unsigned i = 0; i < 64; ++i) {
      table[width].bytes[i] = static_cast<std::uint8_t>(i / 8 * width + i % 8);
      table[width].shifts[i] = static_cast<std::uint8_t>(i % 8 * width);
    }
  }
  return table;
}
constexpr std::array<Spread, kNarrowMax + 1> kSpreads = makeSpreads();

// The running sums of 64 narrow values within each lane, a byte for each.
SERIESDB_TARGET inline __m512i narrowSums(const std::uint8_t* from, unsigned width) {
  const __m512i mask = _mm512_set1_epi8(static_cast<char>((1 << width) - 1));
  __m512i bytes =
      _mm512_permutexvar_epi8(_mm512_load_si512(kSpreads[width].bytes), _mm512_loadu_si512(from));
  bytes = _mm512_multishift_epi64_epi8(_mm512_load_si512(kSpreads[width].shifts), bytes);
  bytes = _mm512_and_si512(bytes, mask);
  bytes = _mm512_add_epi64(bytes, _mm512_slli_epi64(bytes, 8));
  bytes = _mm512_add_epi64(bytes, _mm512_slli_epi64(bytes, 16));
  return _mm512_add_epi64(bytes, _mm512_slli_epi64(bytes, 32));
}

template <bool kDivide>
SERIESDB_TARGET std::uint64_t narrowDeltaOf(const std::uint8_t* from, unsigned width,
                                            BlockStart block, double power, double* out) {
  const __m512d powers = _mm512_set1_pd(power);
  const __m512i bases = baseSums(block.base);
  const __m512i basesOfLanes = baseSums(8 * block.base);
  const __m512i baseOfLane = _mm512_set1_epi64(static_cast<std::int64_t>(8 * block.base));
  alignas(64) std::uint64_t lanes[8];
  alignas(64) std::int64_t starts[8];
  for (std::size_t i = 0; i < kBlockSize; i += 64, from += 8 * width) {
    const __m512i bytes = narrowSums(from, width);
    const __m512i totals = _mm512_add_epi64(_mm512_srli_epi64(bytes, 56), baseOfLane);
    const __m512i ends = _mm512_add_epi64(scan(_mm512_srli_epi64(bytes, 56)), basesOfLanes);
    const __m512i start = _mm512_set1_epi64(static_cast<std::int64_t>(block.start));
    _mm512_store_si512(lanes, bytes);
    _mm512_store_si512(starts, _mm512_add_epi64(start, _mm512_sub_epi64(ends, totals)));
    for (std::size_t lane = 0; lane < 8; ++lane) {
      const __m512i sums =
          _mm512_cvtepu8_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(lanes + lane)));
      const __m512i all =
          _mm512_add_epi64(_mm512_add_epi64(sums, bases), _mm512_set1_epi64(starts[lane]));
      _mm512_storeu_pd(out + i + lane * 8, toDouble<kDivide>(all, powers));
    }
    block.start = static_cast<std::uint64_t>(starts[7]) + (lanes[7] >> 56) + 8 * block.base;
  }
  return block.start;
}

std::uint64_t packedDelta(const std::uint8_t* from, unsigned width, BlockStart block, double power,
                          double* out) {
  if (width <= kNarrowMax) {
    return power == 1 ? narrowDeltaOf<false>(from, width, block, power, out)
                      : narrowDeltaOf<true>(from, width, block, power, out);
  }
  std::array<std::uint64_t, kBlockSize> residuals;
  unpack(from, width, residuals.data());
  return decimalDelta(residuals.data(), block, power, out);
}

SERIESDB_TARGET std::uint64_t integerDelta(const std::uint64_t* residuals, BlockStart block,
                                           std::int64_t* out) {
  const __m512i last = _mm512_set1_epi64(7);
  const __m512i bases = baseSums(block.base);
  __m512i carry = _mm512_set1_epi64(static_cast<std::int64_t>(block.start));
  for (std::size_t i = 0; i < kBlockSize; i += 8) {
    const __m512i local = _mm512_add_epi64(scan(_mm512_loadu_si512(residuals + i)), bases);
    _mm512_storeu_si512(out + i, _mm512_add_epi64(local, carry));
    carry = _mm512_add_epi64(carry, _mm512_permutexvar_epi64(last, local));
  }
  return static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm512_castsi512_si128(carry)));
}

SERIESDB_TARGET void lineResidual(const std::uint64_t* residuals, BlockStart block,
                                  std::uint64_t step, std::int64_t* out) {
  const std::uint64_t first = block.start + block.base;
  const __m512i steps = _mm512_set1_epi64(static_cast<std::int64_t>(step));
  const __m512i advance = _mm512_slli_epi64(steps, 3);
  __m512i line = _mm512_add_epi64(_mm512_set1_epi64(static_cast<std::int64_t>(first)),
                                  _mm512_sub_epi64(scan(steps), steps));
  for (std::size_t i = 0; i < kBlockSize; i += 8) {
    _mm512_storeu_si512(out + i, _mm512_add_epi64(line, _mm512_loadu_si512(residuals + i)));
    line = _mm512_add_epi64(line, advance);
  }
}

SERIESDB_TARGET void line(std::uint64_t start, std::uint64_t step, std::size_t count,
                          std::int64_t* out) {
  const __m512i steps = _mm512_set1_epi64(static_cast<std::int64_t>(step));
  const __m512i advance = _mm512_slli_epi64(steps, 3);
  __m512i lanes = _mm512_add_epi64(_mm512_set1_epi64(static_cast<std::int64_t>(start)),
                                   _mm512_sub_epi64(scan(steps), steps));
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8, lanes = _mm512_add_epi64(lanes, advance)) {
    _mm512_storeu_si512(out + i, lanes);
  }
  scalar::line(start + i * step, step, count - i, out + i);
}

template <bool kDivide>
SERIESDB_TARGET std::size_t toDecimalOf(const double* values, std::size_t count, double power,
                                        std::int64_t* mantissas) {
  const __m512d powers = _mm512_set1_pd(power);
  const __m512d limit = _mm512_set1_pd(9007199254740992.0);
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m512d value = _mm512_loadu_pd(values + i);
    const __m512d scaled = _mm512_mul_pd(value, powers);
    const __m512i mantissa = _mm512_cvtpd_epi64(scaled);
    const __m512d back = toDouble<kDivide>(mantissa, powers);
    const __mmask8 small = _mm512_cmp_pd_mask(_mm512_abs_pd(scaled), limit, _CMP_LT_OQ);
    const __mmask8 same =
        _mm512_cmpeq_epi64_mask(_mm512_castpd_si512(back), _mm512_castpd_si512(value));
    _mm512_storeu_si512(mantissas + i, mantissa);
    const unsigned good = static_cast<unsigned>(small) & static_cast<unsigned>(same);
    if (good != 0xff) return i + static_cast<std::size_t>(__builtin_ctz(~good));
  }
  return i + scalar::toDecimal(values + i, count - i, power, mantissas + i);
}

std::size_t toDecimal(const double* values, std::size_t count, double power,
                      std::int64_t* mantissas) {
  if (power == 1) return toDecimalOf<false>(values, count, power, mantissas);
  return toDecimalOf<true>(values, count, power, mantissas);
}

// Each of the three tables is a register, looked up by byte permutation. States that are too low
// take the next bytes, in order.
SERIESDB_TARGET const std::uint8_t* readSymbols(const SymbolTable& table, SymbolStates& states,
                                                std::size_t turns, const std::uint8_t* from,
                                                std::uint8_t* symbols) {
  constexpr __mmask64 kLowBytes = 0x5555555555555555;
  const __m512i symbolOf = _mm512_load_si512(table.symbols.data());
  const __m512i frequencyOf = _mm512_load_si512(table.frequencies.data());
  const __m512i placeOf = _mm512_load_si512(table.places.data());
  const __m512i slotMask = _mm512_set1_epi16(kSymbolSlots - 1);
  const __m512i least = _mm512_set1_epi16(kSymbolStateMin);
  __m512i state = _mm512_load_si512(states.all.data());
  for (std::size_t turn = 0; turn < turns; ++turn, symbols += kSymbolStates) {
    const __m512i slot = _mm512_and_si512(state, slotMask);
    const __m512i frequency = _mm512_maskz_permutexvar_epi8(kLowBytes, slot, frequencyOf);
    const __m512i place = _mm512_maskz_permutexvar_epi8(kLowBytes, slot, placeOf);
    const __m512i symbol = _mm512_permutexvar_epi8(slot, symbolOf);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(symbols), _mm512_cvtepi16_epi8(symbol));
    const __m512i rest = _mm512_srli_epi16(state, kSymbolSlotBits);
    const __m512i next = _mm512_add_epi16(_mm512_mullo_epi16(frequency, rest), place);
    const __mmask32 isLow = _mm512_cmplt_epu16_mask(next, least);
    const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    const __m512i taken = _mm512_cvtepu8_epi16(_mm256_maskz_expand_epi8(isLow, bytes));
    state = _mm512_or_si512(_mm512_mask_slli_epi16(next, isLow, next, 8), taken);
    from += __builtin_popcount(isLow);
  }
  _mm512_store_si512(states.all.data(), state);
  return from;
}

SERIESDB_TARGET void joinSymbols(const std::uint8_t* symbols, unsigned width, std::uint64_t* lows) {
  const __m128i shift = _mm_cvtsi32_si128(static_cast<int>(width));
  for (std::size_t i = 0; i < kBlockSize; i += 8) {
    const __m512i eight =
        _mm512_cvtepu8_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(symbols + i)));
    const __m512i high = _mm512_sll_epi64(eight, shift);
    const __m512i low = width == 0 ? _mm512_setzero_si512() : _mm512_loadu_si512(lows + i);
    _mm512_storeu_si512(lows + i, _mm512_add_epi64(high, low));
  }
}

}  // namespace

const Kernels* avx512Kernels() {
  static constexpr Kernels kAvx512 = {"avx512",     unpack,      sumOf,        decimalFor,
                                      decimalDelta, packedDelta, integerDelta, lineResidual,
                                      line,         toDecimal,   readSymbols,  joinSymbols};
  return cpuFeatures().avx512 ? &kAvx512 : nullptr;
}

}  // namespace seriesdb

#else
namespace seriesdb {
const Kernels* avx512Kernels() { return nullptr; }
}  // namespace seriesdb
#endif
