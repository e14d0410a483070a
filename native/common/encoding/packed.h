// Bytes stored plain, or as a snappy block if that is shorter.
//
//   +---------------+----------------------+--------+
//   | size (varint) | stored size (varint) | stored |   equal sizes: stored plain
//   +---------------+----------------------+--------+
//
// Both sizes stand in front, so that impossible sizes are refused before memory is allocated.
#pragma once

#include <cstddef>

#include "common/base/bytes.h"
#include "common/base/status.h"

namespace seriesdb {

// The largest plain size; larger values are refused.
inline constexpr std::size_t kPackedSizeMax = std::size_t{1} << 30;

struct Packed {
  std::size_t size;  // The plain size in bytes.
  Bytes stored;      // A view into the bytes that were read.
};

// kPayloadTooLarge past kPackedSizeMax: nothing is appended.
Status appendPacked(ByteBuffer& out, Bytes plain);

// This function and the next two: kStorageCorrupt for bytes that appendPacked() cannot have
// written. readPacked reads one value and leaves the reader behind it.
Result<Packed> readPacked(ByteReader& reader);
// Checks sizes that were stored elsewhere.
Status checkPacked(const Packed& packed);
Result<ByteBuffer> unpack(const Packed& packed);

}  // namespace seriesdb
