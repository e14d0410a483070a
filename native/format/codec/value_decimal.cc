// Decimals: value = mantissa / 10^places, one correctly rounded division.
//
// Parsing a short decimal text does the same division. So every number from a text of up to 15
// digits has a mantissa; the encoder verifies it bit by bit. Payloads start with `places`:
//
//   LINEAR         places (1B)  first mantissa (varint)  step (varint)
//   DECIMAL_FOR    places (1B)  packed blocks of mantissas
//   DECIMAL_DELTA  places (1B)  first mantissa (varint)  packed blocks of differences
//   DECIMAL_CODED  places (1B), 0x80: differences  only of those: first mantissa (varint)
//                  coded blocks of mantissas or differences
#include <algorithm>
#include <array>
#include <cmath>

#include "format/codec/bit_packing.h"
#include "format/codec/coded_blocks.h"
#include "format/codec/kernels_scalar.h"
#include "format/codec/value_codecs.h"

namespace seriesdb {
namespace {

// The fewest places, from `places` on, at which `value` has a mantissa; above the maximum if none.
unsigned placesOf(double value, unsigned places) {
  std::int64_t mantissa;
  while (places <= kDecimalPlacesMax &&
         !scalar::toDecimalOne(value, kPowersOfTen[places], mantissa)) {
    ++places;
  }
  return places;
}

// Differences modulo 2^64. Mantissas are below 2^53, so differences of decimals never wrap.
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

// Coded blocks decode more slowly, so they must be smaller by a 32nd.
constexpr std::size_t kCodedGain = 32;

// A flag in the first byte of DECIMAL_CODED, beside the places.
constexpr std::uint8_t kOfDifferences = 0x80;

// True if this form is worth planning: a form that packs much larger gains little from coding.
bool isNearby(std::size_t size, std::size_t other) { return size <= other + other / 4; }

// Appends DECIMAL_CODED if it is a 32nd smaller than the smaller of the packed forms.
bool appendCodedDecimals(const Decimals& decimals, std::span<const std::int64_t> deltas,
                         std::size_t directSize, std::size_t deltaSize, ByteBuffer& out) {
  const std::span<const std::int64_t> mantissas = decimals.mantissas;
  const std::size_t start = out.size();
  const std::size_t packed = 1 + std::min(directSize, deltaSize);
  const std::size_t sizeMax = packed - packed / kCodedGain;
  CodedPlan direct;
  CodedPlan delta;
  direct.size = delta.size = HUGE_VAL;
  if (isNearby(directSize, deltaSize)) planCoding(mantissas, direct);
  if (isNearby(deltaSize, directSize)) planCoding(deltas, delta);
  const bool isDelta = delta.size < direct.size;
  if (std::min(direct.size, delta.size) >= static_cast<double>(sizeMax)) return false;
  if (isDelta) {
    out.push_back(static_cast<std::uint8_t>(decimals.places | kOfDifferences));
    appendVarint(out, zigzag(mantissas[0]));
    appendCoded(deltas, delta, out);
  } else {
    out.push_back(static_cast<std::uint8_t>(decimals.places));
    appendCoded(mantissas, direct, out);
  }
  if (out.size() - start < sizeMax) return true;
  out.resize(start);
  return false;
}

bool readBlock(CodedReader& reader, std::size_t count, UnpackedBlock& block) {
  return reader.next(count, block);
}
bool readBlock(PackedReader& reader, std::size_t count, UnpackedBlock& block) {
  return reader.nextPacked(count, block);
}

// Calls convert(block, target) for each block of 128 values.
template <typename Reader, typename Convert>
bool decodeBlocks(Reader& reader, std::span<double> values, Convert convert) {
  UnpackedBlock block;
  for (std::size_t at = 0; at < values.size(); at += kBlockSize) {
    const std::size_t count = std::min(kBlockSize, values.size() - at);
    if (!readBlock(reader, count, block)) return false;
    if (count == kBlockSize) {
      convert(block, &values[at]);
      continue;
    }
    std::array<double, kBlockSize> last;
    convert(block, last.data());
    std::copy_n(last.begin(), count, values.begin() + static_cast<std::ptrdiff_t>(at));
  }
  return true;
}

template <typename Reader>
bool decodeMantissas(Reader& reader, double power, std::span<double> values,
                     const Kernels& kernels) {
  return decodeBlocks(reader, values, [&](UnpackedBlock& block, double* out) {
    if (block.packed != nullptr) kernels.unpack(block.packed, block.width, block.residuals.data());
    kernels.decimalFor(block.residuals.data(), block.base, power, out);
  });
}

// Decodes the values behind a given mantissa.
template <typename Reader>
bool decodeDifferences(Reader& reader, std::uint64_t mantissa, double power,
                       std::span<double> values, const Kernels& kernels) {
  return decodeBlocks(reader, values, [&](const UnpackedBlock& block, double* out) {
    const BlockStart start{block.base, mantissa};
    mantissa = block.packed == nullptr
                   ? kernels.decimalDelta(block.residuals.data(), start, power, out)
                   : kernels.packedDelta(block.packed, block.width, start, power, out);
  });
}

double valueOf(std::int64_t mantissa, double power) {
  return static_cast<double>(mantissa) / power;
}

// The range of whole blocks that covers the wanted places, up to `count`.
SamplePlaces blocksOf(SamplePlaces wanted, std::size_t count) {
  const std::size_t end = (wanted.end + kBlockSize - 1) / kBlockSize * kBlockSize;
  return {wanted.begin / kBlockSize * kBlockSize, std::min(end, count)};
}

}  // namespace

bool findDecimals(std::span<const double> values, const Kernels& kernels, Decimals& decimals) {
  // A sample finds the places cheaply and rejects most rows that are not decimal.
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

ValueCodec appendDecimals(const Decimals& decimals, CodecChoice choice, ByteBuffer& out) {
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
  if (choice == CodecChoice::kCold) {
    out.pop_back();
    if (appendCodedDecimals(decimals, deltas, direct.size, delta.size, out)) {
      return ValueCodec::kDecimalCoded;
    }
    out.push_back(static_cast<std::uint8_t>(decimals.places));
  }
  // If sizes are equal, choose the direct form, which decodes faster.
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
  return decodeMantissas(packed, power, values, kernels) && in.atEnd();
}

bool decodeDecimalDelta(Bytes payload, std::span<double> values, const Kernels& kernels) {
  ByteReader in(payload);
  double power;
  if (!readPlaces(in, power)) return false;
  const std::int64_t first = unzigzag(in.readVarint());
  values[0] = valueOf(first, power);
  PackedReader packed(in, kernels);
  return decodeDifferences(packed, static_cast<std::uint64_t>(first), power, values.subspan(1),
                           kernels) &&
         in.atEnd();
}

bool decodeDecimalForIn(Bytes payload, SamplePlaces wanted, std::span<double> values,
                        const Kernels& kernels) {
  ByteReader in(payload);
  double power;
  if (!readPlaces(in, power)) return false;
  PackedReader packed(in, kernels);
  const SamplePlaces blocks = blocksOf(wanted, values.size());
  std::uint64_t passed = 0;
  for (std::size_t at = 0; at < blocks.begin; at += kBlockSize) {
    if (!packed.pass(passed)) return false;
  }
  return decodeMantissas(packed, power, values.subspan(blocks.begin, blocks.size()), kernels);
}

// Sums up the blocks before the wanted ones without decoding them.
bool decodeDecimalDeltaIn(Bytes payload, SamplePlaces wanted, std::span<double> values,
                          const Kernels& kernels) {
  ByteReader in(payload);
  double power;
  if (!readPlaces(in, power)) return false;
  const std::int64_t first = unzigzag(in.readVarint());
  values[0] = valueOf(first, power);
  const auto behind = values.subspan(1);
  if (behind.empty() || wanted.end == 1) return in.ok();
  const SamplePlaces differences{wanted.begin == 0 ? 0 : wanted.begin - 1, wanted.end - 1};
  const SamplePlaces blocks = blocksOf(differences, behind.size());
  PackedReader packed(in, kernels);
  auto mantissa = static_cast<std::uint64_t>(first);
  for (std::size_t at = 0; at < blocks.begin; at += kBlockSize) {
    if (!packed.pass(mantissa)) return false;
  }
  return decodeDifferences(packed, mantissa, power, behind.subspan(blocks.begin, blocks.size()),
                           kernels);
}

bool decodeDecimalCoded(Bytes payload, std::span<double> values, const Kernels& kernels) {
  ByteReader in(payload);
  const auto head = in.readLe<std::uint8_t>();
  const unsigned places = head & ~kOfDifferences;
  if (!in.ok() || places > kDecimalPlacesMax) return false;
  const double power = kPowersOfTen[places];
  if ((head & kOfDifferences) == 0) {
    CodedReader coded(in.rest(), values.size(), kernels);
    return decodeMantissas(coded, power, values, kernels) && coded.isComplete();
  }
  // A single value has no differences.
  if (values.size() == 1) return false;
  const std::int64_t first = unzigzag(in.readVarint());
  values[0] = valueOf(first, power);
  CodedReader coded(in.rest(), values.size() - 1, kernels);
  return decodeDifferences(coded, static_cast<std::uint64_t>(first), power, values.subspan(1),
                           kernels) &&
         coded.isComplete();
}

}  // namespace seriesdb
