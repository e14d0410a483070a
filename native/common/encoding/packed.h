// Bytes as they are, or as a snappy block where that is shorter.
//
//   +---------------+----------------------+--------+
//   | size (varint) | stored size (varint) | stored |   equal sizes: as they are
//   +---------------+----------------------+--------+
//
// Both sizes stand in front, so that what cannot be is refused before it takes any memory.
#pragma once

#include <cstddef>

#include "common/base/bytes.h"
#include "common/base/status.h"

namespace seriesdb {

// What is larger is refused.
inline constexpr std::size_t kPackedSizeMax = std::size_t{1} << 30;

struct Packed {
  std::size_t size;  // Of what it stands for.
  Bytes stored;      // A view into what was read.
};

// kPayloadTooLarge past kPackedSizeMax: nothing is appended.
Status appendPacked(ByteBuffer& out, Bytes plain);

// All three: kStorageCorrupt for what appendPacked() cannot have written.
// Reads one and leaves the reader behind it.
Result<Packed> readPacked(ByteReader& reader);
// Of sizes that stand somewhere else.
Status checkPacked(const Packed& packed);
Result<ByteBuffer> unpack(const Packed& packed);

}  // namespace seriesdb
