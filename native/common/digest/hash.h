// Hashes: XXH64 for data on disk, and a fast seeded hash for tables in memory.
#pragma once

#include <cstdint>

#include "common/base/bytes.h"

namespace seriesdb {

// XXH64 as published (https://github.com/Cyan4973/xxHash, doc/xxhash_spec.md).
std::uint64_t xxh64(Bytes bytes, std::uint64_t seed = 0);

// A fast hash for hash tables in memory; its value may change between versions. `seed` comes from
// the operating system, so no attacker can construct colliding input.
std::uint64_t tableHash(Bytes bytes, std::uint64_t seed);

// 64 random bits from the operating system.
std::uint64_t randomSeed();

}  // namespace seriesdb
