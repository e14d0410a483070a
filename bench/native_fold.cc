// Compares two ways from packed decimals to sum, minimum and maximum, on one core. Queries decode
// to doubles and fold these; the other way folds the mantissas as integers. `decode_msamples_per_s`
// is the rate of either way. Prints one JSON line per row and way.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <span>
#include <vector>

#include "common/base/clones.h"
#include "common/base/value_fold.h"
#include "format/codec/bit_packing.h"
#include "format/codec/kernels.h"
#include "format/codec/value_codecs.h"
#include "series.h"

namespace {

using namespace seriesdb;

constexpr std::size_t kChunks = 64;
constexpr std::size_t kSamples = 8192;
constexpr int kRounds = 15;

struct IntegerFold {
  std::int64_t sum = 0;
  std::int64_t min = std::numeric_limits<std::int64_t>::max();
  std::int64_t max = std::numeric_limits<std::int64_t>::min();
};

SERIESDB_CLONES void fold(const std::int64_t* values, std::size_t count, IntegerFold& out) {
  IntegerFold local = out;
  for (std::size_t i = 0; i < count; ++i) {
    local.sum += values[i];
    local.min = values[i] < local.min ? values[i] : local.min;
    local.max = values[i] > local.max ? values[i] : local.max;
  }
  out = local;
}

// The payloads of one kind of row, all DECIMAL_DELTA.
std::vector<ByteBuffer> payloadsOf(test::MakeValue (*start)()) {
  test::Random random(1);
  std::vector<ByteBuffer> payloads(kChunks);
  std::vector<std::int64_t> mantissas(kChunkSamplesMax);
  for (ByteBuffer& payload : payloads) {
    const std::vector<double> values = test::makeValues({"", start}, kSamples, random);
    Decimals decimals;
    decimals.mantissas = std::span(mantissas).first(values.size());
    const bool isDecimal = findDecimals(values, kernels(), decimals);
    if (!isDecimal) std::exit(1);
    const ValueCodec codec = appendDecimals(decimals, CodecChoice::kQuick, payload);
    if (codec != ValueCodec::kDecimalDelta) std::exit(1);
    payload.reserve(payload.size() + kUnpackSlack);
  }
  return payloads;
}

double foldDoubles(const ByteBuffer& payload, std::span<double> values) {
  if (!decodeDecimalDelta(payload, values, kernels())) std::exit(1);
  CompensatedSum sum;
  const ValueBounds bounds = addValuesWithBounds(values, sum);
  return sum.total() + bounds.min + bounds.max;
}

double foldIntegers(const ByteBuffer& payload) {
  ByteReader in(payload);
  in.readLe<std::uint8_t>();
  IntegerFold folded;
  std::array<std::int64_t, kBlockSize> block;
  block[0] = unzigzag(in.readVarint());
  fold(block.data(), 1, folded);
  auto sum = static_cast<std::uint64_t>(block[0]);
  PackedReader packed(in, kernels());
  UnpackedBlock residuals;
  for (std::size_t at = 1; at < kSamples; at += kBlockSize) {
    const std::size_t count = std::min(kBlockSize, kSamples - at);
    if (!packed.next(count, residuals)) std::exit(1);
    sum = kernels().integerDelta(residuals.residuals.data(), {residuals.base, sum}, block.data());
    fold(block.data(), count, folded);
  }
  return static_cast<double>(folded.sum + folded.min + folded.max);
}

template <typename Work>
void measure(const char* row, const std::vector<ByteBuffer>& payloads, Work work) {
  double best = 0;
  double checksum = 0;
  for (int round = 0; round < kRounds; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    for (const ByteBuffer& payload : payloads) checksum += work(payload);
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    best = std::max(best, static_cast<double>(kChunks * kSamples) / spent.count() / 1e6);
  }
  std::printf(
      "{\"row\":\"%s\",\"kernels\":\"%s\",\"checksum\":%g,\"decode_msamples_per_s\":%.0f}\n", row,
      kernels().name, checksum, best);
}

}  // namespace

int main() {
  std::vector<double> values(kSamples);
  const auto doubles = [&](const ByteBuffer& payload) { return foldDoubles(payload, values); };
  const std::vector<ByteBuffer> integers = payloadsOf(test::integerWalk);
  measure("integer walk folded as doubles", integers, doubles);
  measure("integer walk folded as integers", integers, foldIntegers);
  const std::vector<ByteBuffer> decimals = payloadsOf(test::decimalWalk);
  measure("two-decimal walk folded as doubles", decimals, doubles);
  measure("two-decimal walk folded as integers", decimals, foldIntegers);
  return 0;
}
