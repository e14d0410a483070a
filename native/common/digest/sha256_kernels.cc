// The portable compression function of SHA-256 (FIPS 180-4, 6.2.2), and the choice among all
// versions.
#include "common/digest/sha256_kernels.h"

#include <bit>

#include "common/base/bytes.h"

namespace seriesdb::sha256_kernels {
namespace {

// FIPS 180-4, 4.1.2.
std::uint32_t choice(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  return z ^ (x & (y ^ z));
}
std::uint32_t majority(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  return (x & y) | (z & (x | y));
}
std::uint32_t bigSigma0(std::uint32_t x) {
  return std::rotr(x, 2) ^ std::rotr(x, 13) ^ std::rotr(x, 22);
}
std::uint32_t bigSigma1(std::uint32_t x) {
  return std::rotr(x, 6) ^ std::rotr(x, 11) ^ std::rotr(x, 25);
}
std::uint32_t smallSigma0(std::uint32_t x) { return std::rotr(x, 7) ^ std::rotr(x, 18) ^ (x >> 3); }
std::uint32_t smallSigma1(std::uint32_t x) {
  return std::rotr(x, 17) ^ std::rotr(x, 19) ^ (x >> 10);
}

void compressScalar(State& state, const std::uint8_t* blocks, std::size_t count) {
  for (; count > 0; --count, blocks += kBlockSize) {
    std::array<std::uint32_t, 64> words;
    for (std::size_t t = 0; t < 16; ++t) {
      words[t] = __builtin_bswap32(loadLe<std::uint32_t>(blocks + 4 * t));
    }
    for (std::size_t t = 16; t < 64; ++t) {
      words[t] =
          smallSigma1(words[t - 2]) + words[t - 7] + smallSigma0(words[t - 15]) + words[t - 16];
    }
    auto [a, b, c, d, e, f, g, h] = state;
    for (std::size_t t = 0; t < 64; ++t) {
      const std::uint32_t input = kRoundConstants[t] + words[t];
      const std::uint32_t first = h + bigSigma1(e) + choice(e, f, g) + input;
      const std::uint32_t second = bigSigma0(a) + majority(a, b, c);
      h = g;
      g = f;
      f = e;
      e = d + first;
      d = c;
      c = b;
      b = a;
      a = first + second;
    }
    const State worked = {a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < state.size(); ++i) state[i] += worked[i];
  }
}

}  // namespace

const Kernel& scalar() {
  static constexpr Kernel kScalar = {"scalar", compressScalar};
  return kScalar;
}

const Kernel& fastest() {
  static const Kernel& chosen = []() -> const Kernel& {
    if (const Kernel* x86 = shaNi()) return *x86;
    if (const Kernel* arm = armv8()) return *arm;
    return scalar();
  }();
  return chosen;
}

}  // namespace seriesdb::sha256_kernels
