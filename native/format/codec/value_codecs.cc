// RAW and CONST, and the choice among all value codecs.
#include "format/codec/value_codecs.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>

namespace seriesdb {
namespace {

bool isConstant(std::span<const double> values) {
  const auto first = std::bit_cast<std::uint64_t>(values[0]);
  return std::all_of(values.begin() + 1, values.end(),
                     [first](double v) { return std::bit_cast<std::uint64_t>(v) == first; });
}

Bytes bytesOf(std::span<const double> values) {
  return {reinterpret_cast<const std::uint8_t*>(values.data()), values.size_bytes()};
}

bool decodeRaw(Bytes payload, std::span<double> values) {
  if (payload.size() != values.size_bytes()) return false;
  std::memcpy(values.data(), payload.data(), payload.size());
  return true;
}

bool decodeConst(Bytes payload, std::span<double> values) {
  if (payload.size() != sizeof(double)) return false;
  std::fill(values.begin(), values.end(), loadLe<double>(payload.data()));
  return true;
}

// None if the values are not decimals.
std::optional<ValueCodec> appendAsDecimals(std::span<const double> values, CodecChoice choice,
                                           const Kernels& kernels, ByteBuffer& out) {
  std::array<std::int64_t, kChunkSamplesMax> mantissas;
  Decimals decimals{std::span(mantissas).first(values.size()), 0};
  if (findDecimals(values, kernels, decimals)) return appendDecimals(decimals, choice, out);
  if (!appendSpecialDecimals(values, choice, kernels, out)) return std::nullopt;
  return ValueCodec::kDecimalSpecial;
}

}  // namespace

ValueCodec appendValues(std::span<const double> values, CodecChoice choice, const Kernels& kernels,
                        ByteBuffer& out) {
  if (isConstant(values)) {
    appendLe(out, values[0]);
    return ValueCodec::kConst;
  }
  const std::size_t start = out.size();
  std::size_t sizeMax = values.size_bytes();
  ValueCodec codec = ValueCodec::kRaw;
  if (const auto decimal = appendAsDecimals(values, choice, kernels, out)) {
    const std::size_t size = out.size() - start;
    // Narrow decimals are chosen without trying XOR, which decodes five times slower. The few rows
    // where XOR would be smaller are not worth that.
    if (size <= 2 * values.size()) return *decimal;
    if (size < sizeMax) {
      codec = *decimal;
      sizeMax = size;
    } else {
      out.resize(start);
    }
  }
  const std::size_t end = out.size();
  if (appendXor(values, sizeMax, out)) {
    out.erase(out.begin() + static_cast<std::ptrdiff_t>(start),
              out.begin() + static_cast<std::ptrdiff_t>(end));
    return ValueCodec::kXor;
  }
  if (codec == ValueCodec::kRaw) appendBytes(out, bytesOf(values));
  return codec;
}

bool decodeValues(ValueCodec codec, Bytes payload, std::span<double> values,
                  const Kernels& kernels) {
  switch (codec) {
    case ValueCodec::kRaw:
      return decodeRaw(payload, values);
    case ValueCodec::kXor:
      return decodeXor(payload, values);
    case ValueCodec::kConst:
      return decodeConst(payload, values);
    case ValueCodec::kLinear:
      return decodeLinear(payload, values);
    case ValueCodec::kDecimalFor:
      return decodeDecimalFor(payload, values, kernels);
    case ValueCodec::kDecimalDelta:
      return decodeDecimalDelta(payload, values, kernels);
    case ValueCodec::kDecimalCoded:
      return decodeDecimalCoded(payload, values, kernels);
    case ValueCodec::kDecimalSpecial:
      return decodeSpecialDecimals(payload, values, kernels);
  }
  return false;
}

bool decodeValuesIn(ValueCodec codec, Bytes payload, SamplePlaces wanted, std::span<double> values,
                    const Kernels& kernels) {
  const auto asked = values.subspan(wanted.begin, wanted.end - wanted.begin);
  switch (codec) {
    case ValueCodec::kRaw:
      if (payload.size() != values.size_bytes()) return false;
      std::memcpy(asked.data(), payload.data() + wanted.begin * sizeof(double), asked.size_bytes());
      return true;
    case ValueCodec::kConst:
      return decodeConst(payload, asked);
    case ValueCodec::kDecimalFor:
      return decodeDecimalForIn(payload, wanted, values, kernels);
    case ValueCodec::kDecimalDelta:
      return decodeDecimalDeltaIn(payload, wanted, values, kernels);
    default:
      return decodeValues(codec, payload, values, kernels);
  }
}

}  // namespace seriesdb
