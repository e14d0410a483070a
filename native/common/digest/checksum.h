// CRC-32C (Castagnoli), hardware-accelerated if the processor has SSE4.2 (chosen at run time).
#pragma once

#include <cstdint>

#include "common/base/bytes.h"

namespace seriesdb {

// The CRC-32C of `bytes`. To continue a CRC, pass the CRC of the preceding bytes as `seed`.
std::uint32_t crc32c(Bytes bytes, std::uint32_t seed = 0);

// The contribution of `crc` to the CRC of its bytes followed by `size` more bytes: crc32c(A then B)
// == crc32cShift(crc32c(A), size of B) ^ crc32c(B). Takes O(log size).
std::uint32_t crc32cShift(std::uint32_t crc, std::uint64_t size);

}  // namespace seriesdb
