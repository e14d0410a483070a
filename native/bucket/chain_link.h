// What entries and groups have in common. Both begin alike:
//
//   +----------+------------+---------+-------+-----
//   | magic 4B | version 1B | kind 1B | 0 u16 | …
//   +----------+------------+---------+-------+-----
//
// A later version may have anything behind the version, so that is believed without a checksum.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/bytes.h"
#include "common/base/later_program.h"
#include "common/base/status.h"
#include "common/digest/hash.h"
#include "common/digest/sha256.h"
#include "common/types/database_id.h"

namespace seriesdb {

// Random, of one process life. It makes the bytes of every object unique.
using ProcessNonce = std::array<std::uint8_t, 16>;

struct ChainLink {
  DatabaseId database{};
  ProcessNonce nonce{};
  // The SHA-256 of the object before this one in its chain. Zeros: this one is the first, or a seal
  // whose predecessor is gone. A store that overwrote an object in spite of the condition shows by
  // it.
  Sha256 before;
  bool operator==(const ChainLink&) const = default;
};

inline ProcessNonce randomNonce() {
  ProcessNonce nonce;
  for (std::size_t half = 0; half < 2; ++half) storeLe(nonce.data() + 8 * half, randomSeed());
  return nonce;
}

namespace chain_link {

inline constexpr std::size_t kMagicSize = 4;
inline constexpr std::uint8_t kVersion = 1;

inline void appendStart(ByteBuffer& out, std::string_view magic, std::uint8_t kind) {
  appendBytes(out, asBytes(magic));
  out.push_back(kVersion);
  out.push_back(kind);
  appendLe<std::uint16_t>(out, 0);
}

// kStorageCorrupt: another magic. kConfiguration: a later version.
inline Status checkStart(Bytes bytes, std::string_view magic) {
  if (bytes.size() <= kMagicSize || asText(bytes.first(kMagicSize)) != magic) {
    return Status::corrupt("it does not begin as one");
  }
  const std::uint8_t version = bytes[kMagicSize];
  if (version == kVersion) return {};
  const std::string name = "version " + std::to_string(version);
  return version > kVersion ? laterProgram(name) : Status::corrupt("unknown " + name);
}

// The next bytes as an array; zeros if fewer are left, and then the reader is not ok.
template <std::size_t kSize>
std::array<std::uint8_t, kSize> readArray(ByteReader& reader) {
  std::array<std::uint8_t, kSize> array{};
  std::ranges::copy(reader.readBytes(kSize), array.begin());
  return array;
}

// The same failure with the name of the object in front.
inline Status named(std::string what, const Status& status) {
  return {status.code(), what.append(": ").append(status.message())};
}

}  // namespace chain_link
}  // namespace seriesdb
