// Every vector kernel gives the bits of the scalar one.
#include "format/codec/kernels.h"

#include <array>
#include <cstring>

#include "common/base/bytes.h"
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

TEST("the sum of packed values equals that of the unpacked values, at every width") {
  Random random(seed() + 5);
  std::vector<const Kernels*> all = vectorKernels();
  all.push_back(&scalarKernels());
  for (const Kernels* kernel : all) {
    for (unsigned width = 0; width <= 64; ++width) {
      ByteBuffer bytes(kBlockSize * width / 8 + kUnpackSlack);
      for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
      std::array<std::uint64_t, kBlockSize> values;
      scalarKernels().unpack(bytes.data(), width, values.data());
      std::uint64_t sum = 0;
      for (const std::uint64_t value : values) sum += value;
      EXPECT(kernel->sumOf(bytes.data(), width) == sum);
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

TEST("running sums of packed values equal those of the unpacked values, at every width") {
  Random random(seed() + 6);
  std::vector<const Kernels*> all = vectorKernels();
  all.push_back(&scalarKernels());
  for (const Kernels* kernel : all) {
    for (unsigned round = 0; round < 65 * 8; ++round) {
      const unsigned width = round % 65;
      ByteBuffer bytes(kBlockSize * width / 8 + kUnpackSlack);
      for (auto& byte : bytes) byte = static_cast<std::uint8_t>(round < 65 ? 255 : random());
      const double power = kPowersOfTen[round % 3];
      const BlockStart start{random() >> random() % 64, random() >> random() % 64};
      std::array<std::uint64_t, kBlockSize> residuals;
      scalarKernels().unpack(bytes.data(), width, residuals.data());
      Pair<double> out;
      const std::uint64_t expected =
          scalarKernels().decimalDelta(residuals.data(), start, power, out.expected.data());
      const std::uint64_t actual =
          kernel->packedDelta(bytes.data(), width, start, power, out.actual.data());
      if (!out.same() || expected != actual) {
        fail(__FILE__, __LINE__, kernel->name + std::to_string(width));
      }
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
      const std::size_t count = random() % (kBlockSize + 1);
      scalar.line(start.start, step, count, out.expected.data());
      kernel->line(start.start, step, count, out.actual.data());
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

// Random shares of the slots; the slots of a symbol are adjacent.
SymbolTable tableOf(Random& random) {
  SymbolTable table{};
  for (std::size_t slot = 0, symbol = 0; slot < kSymbolSlots; ++symbol) {
    const std::size_t most = symbol + 1 == kSymbolCount ? kSymbolSlots : 1 + random() % 32;
    const std::size_t share = std::min(kSymbolSlots - slot, most);
    for (std::size_t place = 0; place < share; ++place, ++slot) {
      table.symbols[slot] = static_cast<std::uint8_t>(symbol);
      table.frequencies[slot] = static_cast<std::uint8_t>(share);
      table.places[slot] = static_cast<std::uint8_t>(place);
    }
  }
  return table;
}

TEST("readSymbols equals the scalar kernel for any table, states and bytes") {
  Random random(seed() + 4);
  for (const Kernels* kernel : vectorKernels()) {
    for (unsigned round = 0; round < 5000; ++round) {
      const SymbolTable table = tableOf(random);
      SymbolStates expected;
      // Includes states that no writer produces.
      for (auto& state : expected.all) state = static_cast<std::uint16_t>(random());
      SymbolStates actual = expected;
      ByteBuffer bytes(kSymbolBytesReadable);
      for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
      Pair<std::uint8_t> out;
      const std::size_t turns = random() % (kBlockSize / kSymbolStates + 1);
      const std::uint8_t* from = bytes.data();
      const auto* end =
          scalarKernels().readSymbols(table, expected, turns, from, out.expected.data());
      EXPECT(kernel->readSymbols(table, actual, turns, from, out.actual.data()) == end);
      EXPECT(out.same() && expected.all == actual.all);
    }
  }
}

TEST("joinSymbols equals the scalar kernel at every width") {
  Random random(seed() + 5);
  for (const Kernels* kernel : vectorKernels()) {
    for (unsigned width = 0; width < 60; ++width) {
      std::array<std::uint8_t, kBlockSize> symbols;
      for (auto& symbol : symbols) symbol = static_cast<std::uint8_t>(random());
      Pair<std::uint64_t> lows;
      lows.expected = lows.actual = residualsOf(random);
      scalarKernels().joinSymbols(symbols.data(), width, lows.expected.data());
      kernel->joinSymbols(symbols.data(), width, lows.actual.data());
      EXPECT(lows.same());
    }
  }
}

}  // namespace
}  // namespace seriesdb::test
