// Decimals: value = mantissa / 10^places, one correctly rounded division.
//
// That division is what parsing a short decimal text does, so every number that came as text of
// up to 15 digits has a mantissa; the encoder proves it bit by bit. Payloads start with `places`:
//
//   LINEAR         places (1B)  first mantissa (varint)  step (varint)
//   DECIMAL_FOR    places (1B)  packed blocks of mantissas
//   DECIMAL_DELTA  places (1B)  first mantissa (varint)  packed blocks of differences
#include <algorithm>
#include <array>

#include "codec/bit_packing.h"
#include "codec/kernels_scalar.h"
#include "codec/value_codecs.h"

namespace seriesdb {
namespace {

// The fewest places, from `places` on, at which `value` has a mantissa; past the maximum: none.
unsigned placesOf(double value, unsigned places) {
  std::int64_t mantissa;
  while (places <= kDecimalPlacesMax &&
         !scalar::toDecimalOne(value, kPowersOfTen[places], mantissa)) {
    ++places;
  }
  return places;
}

// Differences, modulo 2^64. Mantissas are under 2^53, so those of decimals never wrap.
void differences(std::span<const std::int64_t> values, std::span<std::int64_t> out) {
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    out[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(values[i + 1]) -
                                       static_cast<std::uint64_t>(values[i]));
  }
}

bool readPlaces(ByteReader& in, double& power) {
  const auto places = in.readLe<std::uint8_t>();
  if (places > kDecimalPlacesMax) return false;
  power = kPowersOfTen[places];
  return true;
}

}  // namespace

bool findDecimals(std::span<const double> values, const Kernels& kernels, Decimals& decimals) {
  // A sample finds the places cheaply, and refuses most rows that are not decimal.
  constexpr std::size_t kSampled = 8;
  unsigned places = 0;
  for (std::size_t i = 0; i < kSampled; ++i) {
    places = placesOf(values[i * values.size() / kSampled], places);
  }
  std::size_t good = 0;
  while (places <= kDecimalPlacesMax) {
    decimals.places = places;
    good = kernels.toDecimal(values.data(), values.size(), kPowersOfTen[places],
                             decimals.mantissas.data());
    if (good == values.size()) return true;
    places = placesOf(values[good], places + 1);
  }
  return false;
}

ValueCodec appendDecimals(const Decimals& decimals, ByteBuffer& out) {
  const std::span<const std::int64_t> mantissas = decimals.mantissas;
  std::array<std::int64_t, kChunkSamplesMax> storage;
  const std::span<std::int64_t> deltas = std::span(storage).first(mantissas.size() - 1);
  differences(mantissas, deltas);
  out.push_back(static_cast<std::uint8_t>(decimals.places));
  const bool isLinear = std::all_of(deltas.begin(), deltas.end(),
                                    [&deltas](std::int64_t d) { return d == deltas[0]; });
  if (isLinear) {
    appendVarint(out, zigzag(mantissas[0]));
    appendVarint(out, zigzag(deltas.empty() ? 0 : deltas[0]));
    return ValueCodec::kLinear;
  }
  PackingPlan direct;
  PackingPlan delta;
  planPacking(mantissas, direct);
  planPacking(deltas, delta);
  // Equal sizes go to the direct form, which decodes faster.
  if (direct.size <= delta.size) {
    appendPacked(mantissas, direct, out);
    return ValueCodec::kDecimalFor;
  }
  appendVarint(out, zigzag(mantissas[0]));
  appendPacked(deltas, delta, out);
  return ValueCodec::kDecimalDelta;
}

bool decodeLinear(Bytes payload, std::span<double> values) {
  ByteReader in(payload);
  double power;
  if (!readPlaces(in, power)) return false;
  auto mantissa = static_cast<std::uint64_t>(unzigzag(in.readVarint()));
  const auto step = static_cast<std::uint64_t>(unzigzag(in.readVarint()));
  for (double& value : values) {
    value = static_cast<double>(static_cast<std::int64_t>(mantissa)) / power;
    mantissa += step;
  }
  return in.ok() && in.atEnd();
}

bool decodeDecimalFor(Bytes payload, std::span<double> values, const Kernels& kernels) {
  ByteReader in(payload);
  double power;
  if (!readPlaces(in, power)) return false;
  PackedReader packed(in, kernels);
  UnpackedBlock block;
  for (std::size_t at = 0; at < values.size(); at += kBlockSize) {
    const std::size_t count = std::min(kBlockSize, values.size() - at);
    if (!packed.next(count, block)) return false;
    if (count == kBlockSize) {
      kernels.decimalFor(block.residuals.data(), block.base, power, &values[at]);
      continue;
    }
    std::array<double, kBlockSize> last;
    kernels.decimalFor(block.residuals.data(), block.base, power, last.data());
    std::copy_n(last.begin(), count, values.begin() + static_cast<std::ptrdiff_t>(at));
  }
  return in.atEnd();
}

bool decodeDecimalDelta(Bytes payload, std::span<double> values, const Kernels& kernels) {
  ByteReader in(payload);
  double power;
  if (!readPlaces(in, power)) return false;
  const std::int64_t first = unzigzag(in.readVarint());
  values[0] = static_cast<double>(first) / power;
  auto sum = static_cast<std::uint64_t>(first);
  PackedReader packed(in, kernels);
  UnpackedBlock block;
  for (std::size_t at = 1; at < values.size(); at += kBlockSize) {
    const std::size_t count = std::min(kBlockSize, values.size() - at);
    if (!packed.next(count, block)) return false;
    const BlockStart start{block.base, sum};
    if (count == kBlockSize) {
      sum = kernels.decimalDelta(block.residuals.data(), start, power, &values[at]);
      continue;
    }
    std::array<double, kBlockSize> last;
    kernels.decimalDelta(block.residuals.data(), start, power, last.data());
    std::copy_n(last.begin(), count, values.begin() + static_cast<std::ptrdiff_t>(at));
  }
  return in.atEnd();
}

}  // namespace seriesdb
