// Every vector kernel gives the bits of the scalar one.
#include "codec/kernels.h"

#include <array>
#include <cstring>

#include "base/bytes.h"
#include "harness.h"
#include "series.h"

namespace seriesdb::test {
namespace {

std::vector<const Kernels*> vectorKernels() {
  std::vector<const Kernels*> all;
  if (const Kernels* avx2 = avx2Kernels()) all.push_back(avx2);
  if (const Kernels* avx512 = avx512Kernels()) all.push_back(avx512);
  return all;
}

template <typename T>
struct Pair {
  std::array<T, kBlockSize> expected{};
  std::array<T, kBlockSize> actual{};
  bool same() const { return std::memcmp(&expected, &actual, sizeof(expected)) == 0; }
};

std::array<std::uint64_t, kBlockSize> residualsOf(Random& random) {
  std::array<std::uint64_t, kBlockSize> residuals;
  const auto shift = random() % 64;
  for (auto& residual : residuals) residual = random() >> shift;
  return residuals;
}

TEST("unpack equals the scalar kernel at every width") {
  Random random(seed());
  const Kernels& scalar = scalarKernels();
  for (const Kernels* kernel : vectorKernels()) {
    for (unsigned width = 0; width <= 64; ++width) {
      ByteBuffer bytes(kBlockSize * width / 8 + kUnpackSlack);
      for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
      Pair<std::uint64_t> out;
      scalar.unpack(bytes.data(), width, out.expected.data());
      kernel->unpack(bytes.data(), width, out.actual.data());
      if (!out.same()) fail(__FILE__, __LINE__, kernel->name + std::to_string(width));
    }
  }
}

TEST("decimal kernels equal the scalar ones for any integers and all powers") {
  Random random(seed() + 1);
  const Kernels& scalar = scalarKernels();
  for (const Kernels* kernel : vectorKernels()) {
    for (unsigned round = 0; round < 2300; ++round) {
      const double power = kPowersOfTen[round % 23];
      const auto residuals = residualsOf(random);
      const BlockStart start{random() >> random() % 64, random() >> random() % 64};
      Pair<double> out;
      scalar.decimalFor(residuals.data(), start.base, power, out.expected.data());
      kernel->decimalFor(residuals.data(), start.base, power, out.actual.data());
      EXPECT(out.same());
      const std::uint64_t* from = residuals.data();
      const auto expected = scalar.decimalDelta(from, start, power, out.expected.data());
      const auto actual = kernel->decimalDelta(from, start, power, out.actual.data());
      EXPECT(out.same() && expected == actual);
    }
  }
}

TEST("integer kernels equal the scalar ones for any integers") {
  Random random(seed() + 2);
  const Kernels& scalar = scalarKernels();
  for (const Kernels* kernel : vectorKernels()) {
    for (unsigned round = 0; round < 1000; ++round) {
      const auto residuals = residualsOf(random);
      const BlockStart start{random(), random()};
      const std::uint64_t step = random();
      Pair<std::int64_t> out;
      scalar.lineResidual(residuals.data(), start, step, out.expected.data());
      kernel->lineResidual(residuals.data(), start, step, out.actual.data());
      EXPECT(out.same());
      const auto expected = scalar.integerDelta(residuals.data(), start, out.expected.data());
      const auto actual = kernel->integerDelta(residuals.data(), start, out.actual.data());
      EXPECT(out.same() && expected == actual);
    }
  }
}

TEST("toDecimal accepts the same values with the same mantissas as the scalar kernel") {
  Random random(seed() + 3);
  const auto all = generators();
  for (const Kernels* kernel : vectorKernels()) {
    for (unsigned round = 0; round < 20000; ++round) {
      const std::size_t count = 1 + random() % 60;
      const auto values = makeValues(all[random() % all.size()], count, random);
      const double power = kPowersOfTen[random() % 2 == 0 ? 0 : random() % 23];
      std::vector<std::int64_t> expected(count);
      std::vector<std::int64_t> actual(count);
      const auto good = scalarKernels().toDecimal(values.data(), count, power, expected.data());
      EXPECT(kernel->toDecimal(values.data(), count, power, actual.data()) == good);
      EXPECT(std::memcmp(expected.data(), actual.data(), good * sizeof(std::int64_t)) == 0);
    }
  }
}

}  // namespace
}  // namespace seriesdb::test
