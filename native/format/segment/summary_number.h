// The compact form of a double in a chunk directory: a varint whose low 3 bits are a tag.
//   0…4  decimal: the rest is zigzag(mantissa), the value is mantissa / 10^tag
//   5    the same bits as the reference value that both sides know
//   7    eight raw bytes follow
// Invariant: every double is read back with exactly the bits that were written.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "common/base/bytes.h"
#include "format/codec/chunk.h"

namespace seriesdb::summary_number {

inline constexpr std::array<double, 5> kPowersOfTen = {1, 10, 100, 1000, 10000};
inline constexpr std::uint64_t kSameTag = 5;
inline constexpr std::uint64_t kRawTag = 7;
inline constexpr std::int64_t kMantissaMax = std::int64_t{1} << 53;

inline bool sameBits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

// False if the bytes are malformed (also if the reader ran out).
inline bool read(ByteReader& reader, double reference, double& value) {
  const std::uint64_t word = reader.readVarint();
  const std::uint64_t tag = word & 7;
  if (tag < kPowersOfTen.size()) {
    const std::int64_t mantissa = unzigzag(word >> 3);
    if (mantissa > kMantissaMax || mantissa < -kMantissaMax) return false;
    value = static_cast<double>(mantissa) / kPowersOfTen[tag];
  } else if (word == kSameTag) {
    value = reference;
  } else if (word == kRawTag) {
    value = reader.readLe<double>();
  } else {
    return false;
  }
  return reader.ok();
}

// The rest of a sum: 0, or kUnknownRest, or zigzag of an odd number. Its low 6 bits count the zeros
// that follow the number.
inline constexpr std::uint64_t kUnknownRest = 1;
inline constexpr int kZerosBits = 6;

// False if the bytes are malformed, or the sum cannot have this rest.
inline bool readRest(ByteReader& reader, double sum, std::int64_t& rest) {
  const std::uint64_t word = reader.readVarint();
  rest = word == 0 ? 0 : ChunkSummary::kNoRest;
  if (word <= kUnknownRest) return reader.ok();
  const auto zeros = static_cast<int>(word & ((1 << kZerosBits) - 1));
  const std::int64_t odd = unzigzag(word >> kZerosBits);
  const std::int64_t most =
      zeros < ChunkSummary::kRestBits ? -(ChunkSummary::kNoRest + 1) >> zeros : 0;
  if (odd % 2 == 0 || odd > most || odd < -most) return false;
  rest = odd * (std::int64_t{1} << zeros);
  return reader.ok() && ChunkSummary::mayHaveRest(sum);
}

}  // namespace seriesdb::summary_number
