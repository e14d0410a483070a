// The inner loops of the codecs over blocks of 128 values, one version for each instruction set.
//
// All versions give the same bits for the same input; the tests compare them. Integers wrap modulo
// 2^64, so no input, however damaged, causes undefined behaviour.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace seriesdb {

inline constexpr std::size_t kBlockSize = 128;
// `unpack` needs this many readable bytes behind the packed ones.
inline constexpr std::size_t kUnpackSlack = 64;
// 10^22 is the largest power of ten that a double holds exactly.
inline constexpr unsigned kDecimalPlacesMax = 22;
inline constexpr std::array<double, kDecimalPlacesMax + 1> kPowersOfTen = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// How the 128 residuals of a block become values.
struct BlockStart {
  std::uint64_t base;   // Added to every residual.
  std::uint64_t start;  // The value before the block (delta), or the line's first (residual).
};

// Symbols are coded with rANS. A state's low bits are a slot; each of 16 symbols owns as many of
// the 64 slots as its frequency. 32 states take turns. A state that falls below kSymbolStateMin
// takes in one byte.
inline constexpr std::size_t kSymbolCount = 16;
inline constexpr unsigned kSymbolSlotBits = 6;
inline constexpr std::size_t kSymbolSlots = std::size_t{1} << kSymbolSlotBits;
inline constexpr std::size_t kSymbolStates = 32;
inline constexpr unsigned kSymbolStateMin = 256;
// Readable bytes that `readSymbols` needs, and the most that it consumes.
inline constexpr std::size_t kSymbolBytesReadable = kBlockSize + kSymbolStates;

using SymbolFrequencies = std::array<std::uint8_t, kSymbolCount>;
struct SymbolStates {
  alignas(64) std::array<std::uint16_t, kSymbolStates> all;
};

// Arrays indexed by slot.
struct SymbolTable {
  alignas(64) std::array<std::uint8_t, kSymbolSlots> symbols;
  // The frequency of the slot's symbol.
  alignas(64) std::array<std::uint8_t, kSymbolSlots> frequencies;
  // The slot's index among its symbol's slots.
  alignas(64) std::array<std::uint8_t, kSymbolSlots> places;
};

struct Kernels {
  const char* name;
  // Unpacks 128 values of `width` bits at `from`. REQUIRES: width <= 64; kUnpackSlack bytes behind.
  void (*unpack)(const std::uint8_t* from, unsigned width, std::uint64_t* out);
  // The sum of the values that `unpack` would give. REQUIRES: as for `unpack`.
  std::uint64_t (*sumOf)(const std::uint8_t* from, unsigned width);
  // out[i] = (base + residuals[i]) / power
  void (*decimalFor)(const std::uint64_t* residuals, std::uint64_t base, double power, double* out);
  // Running sums of base + residual from start on, divided by power; returns the last sum.
  std::uint64_t (*decimalDelta)(const std::uint64_t* residuals, BlockStart block, double power,
                                double* out);
  // The same for packed residuals. REQUIRES: as for `unpack`.
  std::uint64_t (*packedDelta)(const std::uint8_t* from, unsigned width, BlockStart block,
                               double power, double* out);
  // The same sums as integers.
  std::uint64_t (*integerDelta)(const std::uint64_t* residuals, BlockStart block,
                                std::int64_t* out);
  // out[i] = start + i * step + base + residuals[i]
  void (*lineResidual)(const std::uint64_t* residuals, BlockStart block, std::uint64_t step,
                       std::int64_t* out);
  // out[i] = start + i * step
  void (*line)(std::uint64_t start, std::uint64_t step, std::size_t count, std::int64_t* out);
  // Finds mantissas with mantissa / power == value to the bit and |mantissa| < 2^53; returns how
  // many values from the front have one.
  std::size_t (*toDecimal)(const double* values, std::size_t count, double power,
                           std::int64_t* mantissas);
  // Reads `turns` symbols from each state in turn; returns the end of the consumed bytes. REQUIRES:
  // turns <= kBlockSize / kSymbolStates; kSymbolBytesReadable bytes at `from`.
  const std::uint8_t* (*readSymbols)(const SymbolTable& table, SymbolStates& states,
                                     std::size_t turns, const std::uint8_t* from,
                                     std::uint8_t* symbols);
  // lows[i] += symbols[i] << width; with width 0 the lows count as zeros.
  void (*joinSymbols)(const std::uint8_t* symbols, unsigned width, std::uint64_t* lows);
};

const Kernels& scalarKernels();
// Null if the processor cannot run them.
const Kernels* avx2Kernels();
const Kernels* avx512Kernels();
// The fastest kernels that this processor runs.
const Kernels& kernels();

}  // namespace seriesdb
