// The implementations of CRC-32C. Callers use digest/checksum.h, which picks one; the tests compare
// them.
#pragma once

#include <cstdint>

#include "common/base/bytes.h"

namespace seriesdb::checksum_kernels {

// Table-driven, eight bytes at a time. Runs everywhere.
std::uint32_t crc32cPortable(Bytes bytes, std::uint32_t seed);

#if defined(__x86_64__)
// The crc32 instruction, three streams at once. REQUIRES: SSE4.2.
std::uint32_t crc32cSse42(Bytes bytes, std::uint32_t seed);
#endif

}  // namespace seriesdb::checksum_kernels
