// The portable loops that the vector kernels use for tails and wide values.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "common/base/bytes.h"
#include "format/codec/kernels.h"

namespace seriesdb::scalar {

inline void unpack(const std::uint8_t* from, unsigned width, std::uint64_t* out) {
  const std::uint64_t mask = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  for (std::size_t i = 0; i < kBlockSize; ++i) {
    const std::size_t bit = i * width;
    const unsigned shift = bit & 7;
    const std::uint8_t* at = from + (bit >> 3);
    std::uint64_t value = loadLe<std::uint64_t>(at) >> shift;
    // Two shifts, because a shift by 64 is undefined.
    if (width > 57) value |= std::uint64_t{at[8]} << 1 << (63 - shift);
    out[i] = value & mask;
  }
}

inline std::uint64_t sumOf(const std::uint8_t* from, unsigned width) {
  std::array<std::uint64_t, kBlockSize> values;
  unpack(from, width, values.data());
  std::uint64_t sum = 0;
  for (const std::uint64_t value : values) sum += value;
  return sum;
}

inline std::uint64_t integerDelta(const std::uint64_t* residuals, BlockStart block,
                                  std::int64_t* out) {
  std::uint64_t sum = block.start;
  for (std::size_t i = 0; i < kBlockSize; ++i) {
    sum += block.base + residuals[i];
    out[i] = static_cast<std::int64_t>(sum);
  }
  return sum;
}

inline void lineResidual(const std::uint64_t* residuals, BlockStart block, std::uint64_t step,
                         std::int64_t* out) {
  std::uint64_t line = block.start + block.base;
  for (std::size_t i = 0; i < kBlockSize; ++i, line += step) {
    out[i] = static_cast<std::int64_t>(line + residuals[i]);
  }
}

inline void line(std::uint64_t start, std::uint64_t step, std::size_t count, std::int64_t* out) {
  for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<std::int64_t>(start + i * step);
}

// Rounds to the nearest integer, ties to even, without a call into the C library.
inline bool toDecimalOne(double value, double power, std::int64_t& mantissa) {
  constexpr double kTwo52 = 4503599627370496.0;
  const double scaled = value * power;
  const double size = std::fabs(scaled);
  if (!(size < 2 * kTwo52)) return false;

  const double rounded = size < kTwo52 ? (size + kTwo52) - kTwo52 : size;
  mantissa = static_cast<std::int64_t>(std::copysign(rounded, scaled));
  const double back = static_cast<double>(mantissa) / power;
  return std::bit_cast<std::uint64_t>(back) == std::bit_cast<std::uint64_t>(value);
}

inline std::size_t toDecimal(const double* values, std::size_t count, double power,
                             std::int64_t* mantissas) {
  for (std::size_t i = 0; i < count; ++i) {
    if (!toDecimalOne(values[i], power, mantissas[i])) return i;
  }
  return count;
}

inline const std::uint8_t* readSymbols(const SymbolTable& table, SymbolStates& states,
                                       std::size_t turns, const std::uint8_t* from,
                                       std::uint8_t* symbols) {
  for (std::size_t turn = 0; turn < turns; ++turn) {
    for (std::uint16_t& state : states.all) {
      const std::size_t slot = state & (kSymbolSlots - 1);
      const unsigned next =
          table.frequencies[slot] * (unsigned{state} >> kSymbolSlotBits) + table.places[slot];
      *symbols++ = table.symbols[slot];
      const bool isLow = next < kSymbolStateMin;
      state = static_cast<std::uint16_t>(isLow ? next << 8 | *from : next);
      from += isLow ? 1 : 0;
    }
  }
  return from;
}

inline void joinSymbols(const std::uint8_t* symbols, unsigned width, std::uint64_t* lows) {
  for (std::size_t i = 0; i < kBlockSize; ++i) {
    lows[i] = (width == 0 ? 0 : lows[i]) + (std::uint64_t{symbols[i]} << width);
  }
}

}  // namespace seriesdb::scalar
