// The AVX2 kernels: four values a step.
//
// Four values of up to 32 bits lie within 16 bytes, even if they start in the middle of a byte. So
// one load, broadcast to both halves, and one byte shuffle fetch them.
#include "common/base/cpu.h"
#include "format/codec/kernels.h"
#include "format/codec/kernels_scalar.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define SERIESDB_TARGET __attribute__((target("avx2,popcnt")))

namespace seriesdb {
namespace {

constexpr unsigned kWidthMax = 32;

struct Shuffle {
  alignas(32) std::uint8_t bytes[2][32];
  alignas(32) std::uint64_t shifts[2][4];
};

// Half 0 holds values 0..3 of a group of eight, half 1 holds values 4..7. The latter start at byte
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

SERIESDB_TARGET std::uint64_t sumOf(const std::uint8_t* from, unsigned width) {
  if (width > kWidthMax) return scalar::sumOf(from, width);

  const Shuffle& shuffle = kShuffles[width];
  const __m256i orderLow = load(shuffle.bytes[0]);
  const __m256i orderHigh = load(shuffle.bytes[1]);
  const __m256i shiftsLow = load(shuffle.shifts[0]);
  const __m256i shiftsHigh = load(shuffle.shifts[1]);
  const __m256i mask = _mm256_set1_epi64x((std::int64_t{1} << width) - 1);
  __m256i sum = _mm256_setzero_si256();
  for (std::size_t i = 0; i < kBlockSize; i += 8, from += width) {
    const __m256i low = _mm256_and_si256(fetch(from, orderLow, shiftsLow), mask);
    const __m256i high = _mm256_and_si256(fetch(from + width / 2, orderHigh, shiftsHigh), mask);
    sum = _mm256_add_epi64(sum, _mm256_add_epi64(low, high));
  }
  alignas(32) std::uint64_t lanes[4];
  store(lanes, sum);
  return lanes[0] + lanes[1] + lanes[2] + lanes[3];
}

// Exact for every int64 that a double can hold, correctly rounded otherwise. The two halves become
// mantissas of doubles with the known exponents 2^52 and 2^84.
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

// A running sum takes one addition a value in scalar registers; four lanes would not be faster.
std::uint64_t decimalDelta(const std::uint64_t* residuals, BlockStart block, double power,
                           double* out) {
  std::int64_t sums[kBlockSize];
  const std::uint64_t last = scalar::integerDelta(residuals, block, sums);
  decimalFor(reinterpret_cast<const std::uint64_t*>(sums), 0, power, out);
  return last;
}

std::uint64_t packedDelta(const std::uint8_t* from, unsigned width, BlockStart block, double power,
                          double* out) {
  std::array<std::uint64_t, kBlockSize> residuals;
  unpack(from, width, residuals.data());
  return decimalDelta(residuals.data(), block, power, out);
}

SERIESDB_TARGET void line(std::uint64_t start, std::uint64_t step, std::size_t count,
                          std::int64_t* out) {
  const auto at = [&](std::uint64_t i) { return static_cast<std::int64_t>(start + i * step); };
  const __m256i advance = _mm256_set1_epi64x(static_cast<std::int64_t>(4 * step));
  __m256i lanes = _mm256_setr_epi64x(at(0), at(1), at(2), at(3));
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4, lanes = _mm256_add_epi64(lanes, advance)) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i), lanes);
  }
  scalar::line(start + i * step, step, count - i, out + i);
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
    // A value is not decimal, or exceeds 2^51, where the rounding trick fails.
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

// A byte shuffle looks up 16 bytes, so a table of 64 takes four. If a slot is in another quarter,
// its index has the highest bit set, which gives zero.
struct SlotIndexes {
  __m256i quarters[4];
};

SERIESDB_TARGET inline SlotIndexes indexesOf(__m256i slots) {
  SlotIndexes indexes;
  for (int quarter = 0; quarter < 4; ++quarter) {
    const __m256i from = _mm256_sub_epi8(slots, _mm256_set1_epi8(static_cast<char>(quarter * 16)));
    indexes.quarters[quarter] = _mm256_adds_epu8(from, _mm256_set1_epi8(0x70));
  }
  return indexes;
}

SERIESDB_TARGET inline __m256i lookUp(const std::array<std::uint8_t, kSymbolSlots>& table,
                                      const SlotIndexes& indexes) {
  __m256i found = _mm256_setzero_si256();
  for (int quarter = 0; quarter < 4; ++quarter) {
    const auto* part = reinterpret_cast<const __m128i*>(table.data()) + quarter;
    const __m256i both = _mm256_broadcastsi128_si256(_mm_load_si128(part));
    found = _mm256_or_si256(found, _mm256_shuffle_epi8(both, indexes.quarters[quarter]));
  }
  return found;
}

// For each set of eight states, the shuffle order that gives the next bytes to the states in the
// set.
constexpr std::array<std::array<std::uint8_t, 8>, 256> makeSpreads() {
  std::array<std::array<std::uint8_t, 8>, 256> table{};
  for (unsigned set = 0; set < 256; ++set) {
    std::uint8_t next = 0;
    for (unsigned i = 0; i < 8; ++i) table[set][i] = (set >> i & 1) != 0 ? next++ : 0x80;
  }
  return table;
}
constexpr std::array<std::array<std::uint8_t, 8>, 256> kSpreads = makeSpreads();

// Gives the next bytes to the states in the set, out of 16 states; the others get zero.
SERIESDB_TARGET inline __m256i spread(unsigned set, const std::uint8_t*& from) {
  __m128i halves[2];
  for (__m128i& half : halves) {
    const auto& order = kSpreads[set & 255];
    half = _mm_shuffle_epi8(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from)),
                            _mm_loadl_epi64(reinterpret_cast<const __m128i*>(order.data())));
    from += __builtin_popcount(set & 255);
    set >>= 8;
  }
  return _mm256_cvtepu8_epi16(_mm_unpacklo_epi64(halves[0], halves[1]));
}

SERIESDB_TARGET inline __m256i advance(__m256i state, __m256i frequency, __m256i place) {
  const __m256i rest = _mm256_srli_epi16(state, kSymbolSlotBits);
  return _mm256_add_epi16(_mm256_mullo_epi16(frequency, rest), place);
}

SERIESDB_TARGET const std::uint8_t* readSymbols(const SymbolTable& table, SymbolStates& states,
                                                std::size_t turns, const std::uint8_t* from,
                                                std::uint8_t* symbols) {
  // Byte packing and unpacking work within halves, so one undoes the other. Only the output symbols
  // have their middle quarters swapped.
  constexpr int kInOrder = 0xd8;
  const __m256i slotMask = _mm256_set1_epi16(kSymbolSlots - 1);
  const __m256i zero = _mm256_setzero_si256();
  __m256i first = load(states.all.data());
  __m256i second = load(states.all.data() + 16);
  for (std::size_t turn = 0; turn < turns; ++turn, symbols += kSymbolStates) {
    const SlotIndexes indexes = indexesOf(
        _mm256_packus_epi16(_mm256_and_si256(first, slotMask), _mm256_and_si256(second, slotMask)));
    const __m256i frequency = lookUp(table.frequencies, indexes);
    const __m256i place = lookUp(table.places, indexes);
    store(symbols, _mm256_permute4x64_epi64(lookUp(table.symbols, indexes), kInOrder));
    first =
        advance(first, _mm256_unpacklo_epi8(frequency, zero), _mm256_unpacklo_epi8(place, zero));
    second =
        advance(second, _mm256_unpackhi_epi8(frequency, zero), _mm256_unpackhi_epi8(place, zero));
    const __m256i firstLow = _mm256_cmpeq_epi16(_mm256_srli_epi16(first, 8), zero);
    const __m256i secondLow = _mm256_cmpeq_epi16(_mm256_srli_epi16(second, 8), zero);
    const auto low = static_cast<unsigned>(_mm256_movemask_epi8(
        _mm256_permute4x64_epi64(_mm256_packs_epi16(firstLow, secondLow), kInOrder)));
    const __m256i firstBytes = spread(low & 0xffff, from);
    const __m256i secondBytes = spread(low >> 16, from);
    first = _mm256_or_si256(_mm256_blendv_epi8(first, _mm256_slli_epi16(first, 8), firstLow),
                            firstBytes);
    second = _mm256_or_si256(_mm256_blendv_epi8(second, _mm256_slli_epi16(second, 8), secondLow),
                             secondBytes);
  }
  store(states.all.data(), first);
  store(states.all.data() + 16, second);
  return from;
}

SERIESDB_TARGET void joinSymbols(const std::uint8_t* symbols, unsigned width, std::uint64_t* lows) {
  const __m128i shift = _mm_cvtsi32_si128(static_cast<int>(width));
  for (std::size_t i = 0; i < kBlockSize; i += 4) {
    const __m256i four = _mm256_cvtepu8_epi64(
        _mm_cvtsi32_si128(static_cast<int>(loadLe<std::uint32_t>(symbols + i))));
    const __m256i high = _mm256_sll_epi64(four, shift);
    const __m256i low = width == 0 ? _mm256_setzero_si256() : load(lows + i);
    store(lows + i, _mm256_add_epi64(high, low));
  }
}

}  // namespace

const Kernels* avx2Kernels() {
  static constexpr Kernels kAvx2 = {"avx2",
                                    unpack,
                                    sumOf,
                                    decimalFor,
                                    decimalDelta,
                                    packedDelta,
                                    scalar::integerDelta,
                                    scalar::lineResidual,
                                    line,
                                    toDecimal,
                                    readSymbols,
                                    joinSymbols};
  return cpuFeatures().avx2 ? &kAvx2 : nullptr;
}

}  // namespace seriesdb

#else
namespace seriesdb {
const Kernels* avx2Kernels() { return nullptr; }
}  // namespace seriesdb
#endif
