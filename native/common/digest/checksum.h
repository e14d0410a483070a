// CRC-32C (Castagnoli), hardware-accelerated where SSE4.2 is present (chosen at run time).
#pragma once

#include <cstdint>

#include "common/base/bytes.h"

namespace seriesdb {

// The CRC-32C of `bytes`. Pass the CRC of what came before in `seed` to continue it.
std::uint32_t crc32c(Bytes bytes, std::uint32_t seed = 0);

// What `crc` adds to the CRC of itself followed by `size` more bytes:
// crc32c(A then B) == crc32cShift(crc32c(A), size of B) ^ crc32c(B). Takes O(log size).
std::uint32_t crc32cShift(std::uint32_t crc, std::uint64_t size);

}  // namespace seriesdb
