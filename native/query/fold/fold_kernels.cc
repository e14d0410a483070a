#include "query/fold/fold_kernels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "common/base/clones.h"
#include "common/base/value_fold.h"

namespace seriesdb {
namespace {

// From each value to the next.
SERIESDB_CLONES void gainsBetween(const double* at, std::size_t count, double* out) {
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = at[i + 1] < at[i] ? at[i + 1] : at[i + 1] - at[i];
  }
}

using Lanes = double __attribute__((vector_size(kDigitLanes * sizeof(double))));

// In units. Half of the lanes have 512 values of at most 2^44 units, so their sums are exact.
inline __attribute__((always_inline)) std::int64_t unitsIn(const Lanes& lanes, double perUnit) {
  constexpr std::size_t kHalf = kDigitLanes / 2;
  double low = 0;
  double high = 0;
  for (std::size_t i = 0; i < kHalf; ++i) {
    low += lanes[i];
    high += lanes[i + kHalf];
  }
  return static_cast<std::int64_t>(low * perUnit) + static_cast<std::int64_t>(high * perUnit);
}

// A digit is what is left of a value after one and a half times 2^52 units were added to it and
// taken away again.
template <std::size_t kDigits>
inline __attribute__((always_inline)) bool foldLanes(const double* at, std::size_t vectorCount,
                                                     double unit, DigitSums& sums) {
  constexpr double kNextUnit = 1.0 / (1 << kSquareDigitBits);
  constexpr double kBias = 0x1.8p+52;
  Lanes values[kDigits]{};
  Lanes squares[kDigits]{};
  Lanes mixed[2 * kDigits - 1]{};  // Of two different digits; each counts twice.
  Lanes rest{};
  for (std::size_t i = 0; i < vectorCount; ++i, at += kDigitLanes) {
    Lanes left;
    std::memcpy(&left, at, sizeof left);
    Lanes digit[kDigits];
    double bias = unit * kBias;
    for (std::size_t k = 0; k < kDigits; ++k, bias *= kNextUnit) {
      digit[k] = (left + bias) - bias;
      left -= digit[k];
      values[k] += digit[k];
    }
    rest = left != 0 ? left : rest;
    for (std::size_t k = 0; k < kDigits; ++k) {
      squares[k] += digit[k] * digit[k];
      for (std::size_t l = k + 1; l < kDigits; ++l) mixed[k + l] += digit[k] * digit[l];
    }
  }
  bool isWhole = true;
  for (std::size_t i = 0; i < kDigitLanes; ++i) isWhole &= rest[i] == 0;
  if (!isWhole) return false;
  double perUnit = 1 / unit;
  const double perProduct = perUnit * perUnit;
  for (std::size_t k = 0; k < kDigits; ++k, perUnit /= kNextUnit) {
    sums.values[k] = unitsIn(values[k], perUnit);
  }
  perUnit = perProduct;
  for (std::size_t k = 0; k + 1 < 2 * kDigits; ++k, perUnit /= kNextUnit) {
    sums.products[k] = 2 * unitsIn(mixed[k], perUnit);
    if (k % 2 == 0) sums.products[k] += unitsIn(squares[k / 2], perUnit);
  }
  return true;
}

// Each by itself, because clones are no templates.
SERIESDB_CLONES bool foldOneDigit(const double* at, std::size_t vectorCount, double unit,
                                  DigitSums& sums) {
  return foldLanes<1>(at, vectorCount, unit, sums);
}
SERIESDB_CLONES bool foldTwoDigits(const double* at, std::size_t vectorCount, double unit,
                                   DigitSums& sums) {
  return foldLanes<2>(at, vectorCount, unit, sums);
}
SERIESDB_CLONES bool foldThreeDigits(const double* at, std::size_t vectorCount, double unit,
                                     DigitSums& sums) {
  return foldLanes<3>(at, vectorCount, unit, sums);
}
SERIESDB_CLONES bool foldFourDigits(const double* at, std::size_t vectorCount, double unit,
                                    DigitSums& sums) {
  return foldLanes<4>(at, vectorCount, unit, sums);
}

}  // namespace

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
  // What is held between two passes, in the nearest cache.
  constexpr std::size_t kStripSize = 1024;
  std::array<double, kStripSize> gains;
  for (std::size_t at = 1; at < values.size(); at += kStripSize) {
    const std::size_t count = std::min(kStripSize, values.size() - at);
    gainsBetween(values.data() + at - 1, count, gains.data());
    addValues(std::span<const double>(gains).first(count), sum);
  }
}

}  // namespace seriesdb
