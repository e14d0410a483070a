// DECIMAL_SPECIAL: decimals with a few non-finite values among them.
//
//   codec of the others (1B)  count (varint)  count gaps (varint)  count values (8B each)
//   payload of the others
//
// A gap is the number of others between a special value and the previous one.
#include <array>
#include <bit>
#include <cmath>

#include "format/codec/value_codecs.h"

namespace seriesdb {
namespace {

// At most one in this many values may be special, and always one. With more, XOR is smaller.
constexpr std::size_t kSpecialShare = 16;

bool isOfDecimals(std::uint8_t codec) {
  switch (static_cast<ValueCodec>(codec)) {
    case ValueCodec::kLinear:
    case ValueCodec::kDecimalFor:
    case ValueCodec::kDecimalDelta:
    case ValueCodec::kDecimalCoded:
      return true;
    default:
      return false;
  }
}

// The places and values of the special values.
struct SpecialValues {
  std::array<std::uint32_t, kChunkSamplesMax / kSpecialShare + 1> places;
  std::array<double, kChunkSamplesMax / kSpecialShare + 1> values;
  std::size_t count = 0;
};

// Splits the values; false if none or too many are special. Shortens `others` to their number.
bool split(std::span<const double> values, SpecialValues& special, std::span<double>& others) {
  const std::size_t most = values.size() / kSpecialShare + 1;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) {
      others[kept++] = values[i];
      continue;
    }
    if (special.count == most) return false;
    special.places[special.count] = static_cast<std::uint32_t>(i);
    special.values[special.count++] = values[i];
  }
  others = others.first(kept);
  return special.count > 0 && kept > 0;
}

// False if the special values cannot stand among so many values.
bool readSpecial(ByteReader& in, std::size_t valueCount, SpecialValues& special) {
  const std::uint64_t count = in.readVarint();
  if (!in.ok() || count == 0 || count > valueCount / kSpecialShare + 1 || count >= valueCount) {
    return false;
  }
  special.count = static_cast<std::size_t>(count);
  std::uint64_t place = 0;
  for (std::size_t i = 0; i < special.count; ++i) {
    const std::uint64_t gap = in.readVarint();
    if (gap >= valueCount || place + gap >= valueCount) return false;
    place += gap;
    special.places[i] = static_cast<std::uint32_t>(place++);
  }
  for (std::size_t i = 0; i < special.count; ++i) special.values[i] = in.readLe<double>();
  return in.ok();
}

// Moves the others from the front of `values` to their places, and inserts the special values.
void spread(const SpecialValues& special, std::span<double> values) {
  std::size_t end = values.size();
  for (std::size_t i = special.count; i-- > 0;) {
    const std::size_t place = special.places[i];
    // `place - i` others and i special values precede this one.
    const std::size_t from = place - i;
    for (std::size_t at = end; at-- > place + 1;) values[at] = values[from + (at - place - 1)];
    values[place] = special.values[i];
    end = place;
  }
}

}  // namespace

bool appendSpecialDecimals(std::span<const double> values, CodecChoice choice,
                           const Kernels& kernels, ByteBuffer& out) {
  SpecialValues special;
  std::array<double, kChunkSamplesMax> storage;
  std::span<double> others = std::span(storage).first(values.size());
  if (!split(values, special, others)) return false;
  std::array<std::int64_t, kChunkSamplesMax> mantissas;
  Decimals decimals{std::span(mantissas).first(others.size()), 0};
  if (!findDecimals(others, kernels, decimals)) return false;
  const std::size_t start = out.size();
  out.push_back(0);  // The codec, once it is known.
  appendVarint(out, special.count);
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < special.count; ++i) {
    appendVarint(out, special.places[i] - next);
    next = special.places[i] + 1;
  }
  for (std::size_t i = 0; i < special.count; ++i) appendLe(out, special.values[i]);
  const ValueCodec codec = appendDecimals(decimals, choice, out);
  out[start] = static_cast<std::uint8_t>(codec);
  return true;
}

bool decodeSpecialDecimals(Bytes payload, std::span<double> values, const Kernels& kernels) {
  ByteReader in(payload);
  const auto codec = in.readLe<std::uint8_t>();
  SpecialValues special;
  if (!in.ok() || !isOfDecimals(codec) || !readSpecial(in, values.size(), special)) return false;
  const std::span<double> others = values.first(values.size() - special.count);
  if (!decodeValues(static_cast<ValueCodec>(codec), in.rest(), others, kernels)) return false;
  spread(special, values);
  return true;
}

}  // namespace seriesdb
