// The portable kernels, and the choice of kernels for this processor.
#include "format/codec/kernels.h"

#include <bit>
#include <cmath>

#include "common/base/bytes.h"
#include "format/codec/kernels_scalar.h"

namespace seriesdb {
namespace {

void unpack(const std::uint8_t* from, unsigned width, std::uint64_t* out) {
  scalar::unpack(from, width, out);
}

void decimalFor(const std::uint64_t* residuals, std::uint64_t base, double power, double* out) {
  for (std::size_t i = 0; i < kBlockSize; ++i) {
    out[i] = static_cast<double>(static_cast<std::int64_t>(base + residuals[i])) / power;
  }
}

std::uint64_t decimalDelta(const std::uint64_t* residuals, BlockStart block, double power,
                           double* out) {
  std::uint64_t sum = block.start;
  for (std::size_t i = 0; i < kBlockSize; ++i) {
    sum += block.base + residuals[i];
    out[i] = static_cast<double>(static_cast<std::int64_t>(sum)) / power;
  }
  return sum;
}

std::uint64_t packedDelta(const std::uint8_t* from, unsigned width, BlockStart block, double power,
                          double* out) {
  std::array<std::uint64_t, kBlockSize> residuals;
  unpack(from, width, residuals.data());
  return decimalDelta(residuals.data(), block, power, out);
}

}  // namespace

const Kernels& scalarKernels() {
  static constexpr Kernels kScalar = {"scalar",
                                      unpack,
                                      scalar::sumOf,
                                      decimalFor,
                                      decimalDelta,
                                      packedDelta,
                                      scalar::integerDelta,
                                      scalar::lineResidual,
                                      scalar::line,
                                      scalar::toDecimal,
                                      scalar::readSymbols,
                                      scalar::joinSymbols};
  return kScalar;
}

const Kernels& kernels() {
  static const Kernels& chosen = []() -> const Kernels& {
    if (const Kernels* wide = avx512Kernels()) return *wide;
    if (const Kernels* middle = avx2Kernels()) return *middle;
    return scalarKernels();
  }();
  return chosen;
}

}  // namespace seriesdb
