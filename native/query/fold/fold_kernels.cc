#include "query/fold/fold_kernels.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <iterator>

#include "common/base/clones.h"
#include "common/base/value_fold.h"

namespace seriesdb {
namespace {

// The gain from each value to the next.
SERIESDB_CLONES void gainsBetween(const double* at, std::size_t count, double* out) {
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = at[i + 1] < at[i] ? at[i + 1] : at[i + 1] - at[i];
  }
}

using FourDoubles = double __attribute__((vector_size(kDigitLanes * sizeof(double))));
using FourWords = std::uint64_t __attribute__((vector_size(kDigitLanes * sizeof(double))));

inline __attribute__((always_inline)) void widenReach(FourDoubles& most, const double* at) {
  FourWords bits;
  std::memcpy(&bits, at, sizeof bits);
  const auto size = reinterpret_cast<FourDoubles>(bits & kSizeBits);
  most = size > most ? size : most;
}

SERIESDB_FUSED_CLONES double reachOfLanes(const double* at, std::size_t vectorCount) {
  // Four, so that comparisons do not wait for one another.
  FourDoubles most[4]{};
  constexpr std::size_t kChains = std::size(most);
  std::size_t i = 0;
  for (; i + kChains <= vectorCount; i += kChains) {
    for (std::size_t chain = 0; chain < kChains; ++chain, at += kDigitLanes) {
      widenReach(most[chain], at);
    }
  }
  for (; i < vectorCount; ++i, at += kDigitLanes) widenReach(most[0], at);
  double reach = 0;
  for (const FourDoubles& lanes : most) {
    for (std::size_t lane = 0; lane < kDigitLanes; ++lane) reach = std::max(reach, lanes[lane]);
  }
  return reach;
}

// In units.
inline __attribute__((always_inline)) std::int64_t unitsIn(const FourDoubles& lanes,
                                                           double perUnit) {
  std::int64_t units = 0;
  for (std::size_t i = 0; i < kDigitLanes; ++i) {
    units += static_cast<std::int64_t>(lanes[i] * perUnit);
  }
  return units;
}

// A digit is what is left of a value after one and a half times 2^52 units were added to it and
// taken away again. Before that the last bits of the sum are the digit in units.
template <std::size_t kDigits>
inline __attribute__((always_inline)) bool foldLanes(const double* at, std::size_t vectorCount,
                                                     double unit, DigitSums& sums) {
  constexpr double kNextUnit = 1.0 / (1 << kSquareDigitBits);
  constexpr double kBias = 0x1.8p+52;
  FourWords biased[kDigits]{};  // Sums of such bits, which wrap.
  FourDoubles squares[kDigits]{};
  FourDoubles mixed[2 * kDigits - 1]{};  // Of two different digits; each counts twice.
  FourWords rest{};
  for (std::size_t i = 0; i < vectorCount; ++i, at += kDigitLanes) {
    FourDoubles left;
    std::memcpy(&left, at, sizeof left);
    FourDoubles digit[kDigits];
    double bias = unit * kBias;
    for (std::size_t k = 0; k < kDigits; ++k, bias *= kNextUnit) {
      const FourDoubles sum = left + bias;
      biased[k] += reinterpret_cast<FourWords>(sum);
      digit[k] = sum - bias;
      left -= digit[k];
    }
    rest |= reinterpret_cast<FourWords>(left);
    for (std::size_t k = 0; k < kDigits; ++k) {
      squares[k] += digit[k] * digit[k];
      for (std::size_t l = k + 1; l < kDigits; ++l) mixed[k + l] += digit[k] * digit[l];
    }
  }
  std::uint64_t restBits = 0;
  for (std::size_t i = 0; i < kDigitLanes; ++i) restBits |= rest[i] & kSizeBits;
  if (restBits != 0) return false;
  double bias = unit * kBias;
  for (std::size_t k = 0; k < kDigits; ++k, bias *= kNextUnit) {
    std::uint64_t units = 0 - vectorCount * kDigitLanes * std::bit_cast<std::uint64_t>(bias);
    for (std::size_t i = 0; i < kDigitLanes; ++i) units += biased[k][i];
    sums.values[k] = static_cast<std::int64_t>(units);
  }
  double perUnit = 1 / (unit * unit);
  for (std::size_t k = 0; k + 1 < 2 * kDigits; ++k, perUnit /= kNextUnit) {
    sums.products[k] = 2 * unitsIn(mixed[k], perUnit);
    if (k % 2 == 0) sums.products[k] += unitsIn(squares[k / 2], perUnit);
  }
  return true;
}

// Each by itself, because clones are no templates.
SERIESDB_FUSED_CLONES bool foldOneDigit(const double* at, std::size_t vectorCount, double unit,
                                        DigitSums& sums) {
  return foldLanes<1>(at, vectorCount, unit, sums);
}
SERIESDB_FUSED_CLONES bool foldTwoDigits(const double* at, std::size_t vectorCount, double unit,
                                         DigitSums& sums) {
  return foldLanes<2>(at, vectorCount, unit, sums);
}
SERIESDB_FUSED_CLONES bool foldThreeDigits(const double* at, std::size_t vectorCount, double unit,
                                           DigitSums& sums) {
  return foldLanes<3>(at, vectorCount, unit, sums);
}
SERIESDB_FUSED_CLONES bool foldFourDigits(const double* at, std::size_t vectorCount, double unit,
                                          DigitSums& sums) {
  return foldLanes<4>(at, vectorCount, unit, sums);
}

}  // namespace

double reachOf(std::span<const double> values) {
  return reachOfLanes(values.data(), values.size() / kDigitLanes);
}

double firstUnitOf(double reach) {
  constexpr double kReachMin = 0x1p-400;
  constexpr double kReachMax = 0x1p+400;
  if (!(reach >= kReachMin && reach <= kReachMax)) return 0;
  return std::ldexp(1.0, std::ilogb(reach) + 2 - kSquareDigitBits);
}

bool foldDigits(std::span<const double> values, double unit, std::size_t digits, DigitSums& sums) {
  const double* const at = values.data();
  const std::size_t vectorCount = values.size() / kDigitLanes;
  switch (digits) {
    case 1:
      return foldOneDigit(at, vectorCount, unit, sums);
    case 2:
      return foldTwoDigits(at, vectorCount, unit, sums);
    case 3:
      return foldThreeDigits(at, vectorCount, unit, sums);
    default:
      return foldFourDigits(at, vectorCount, unit, sums);
  }
}

void addIncrease(std::span<const double> values, CompensatedSum& sum) {
  // The gains between two passes, small enough for the L1 cache.
  constexpr std::size_t kStripSize = 1024;
  std::array<double, kStripSize> gains;
  for (std::size_t at = 1; at < values.size(); at += kStripSize) {
    const std::size_t count = std::min(kStripSize, values.size() - at);
    gainsBetween(values.data() + at - 1, count, gains.data());
    addValues(std::span<const double>(gains).first(count), sum);
  }
}

}  // namespace seriesdb
