// Samples in the bits of Prometheus' chunks of the encoding XOR: those of Gorilla (Pelkonen et al.,
// VLDB 2015) for times in milliseconds, from the highest bit of a byte to its lowest.
//
//   +----------------+---------------+----------------+--------------------+----------------------+
//   | count (2B, BE) | time (zigzag  | value (8B, BE) | delta of the next  | its value, then time |
//   |                | varint)       |                | time (varint)      | and value of each    |
//   +----------------+---------------+----------------+--------------------+----------------------+
//
//   time, as the difference d of its delta to the one before, in two's complement:
//     0                  d = 0
//     10    14 bits      -2^13 < d <= 2^13
//     110   17 bits      -2^16 < d <= 2^16
//     1110  20 bits      -2^19 < d <= 2^19
//     1111  64 bits      any other
//   value, as what its bits differ from those before:
//     0                                       nothing
//     10  bits                                they differ within the last window
//     11  leading (5)  length (6)  bits       a new window; a length of 64 is written as 0
#pragma once

#include <cstdint>
#include <span>

namespace seriesdb {

// As Prometheus has them; a reader need not take more.
inline constexpr std::size_t kXorChunkSamplesMax = 120;
// 30 bytes to the second value, which may take 77 bits, as all values may; a time may take 68.
inline constexpr std::size_t kXorChunkSizeMax = 30 + (77 + (kXorChunkSamplesMax - 2) * 145) / 8 + 1;
// Bytes behind it that are written to, too.
inline constexpr std::size_t kXorChunkSlack = 8;

// Writes a chunk and gives its end. The same samples make the same bits as in Prometheus, which
// leaves a byte of zeros behind some that end with a byte.
// REQUIRES: 1 to kXorChunkSamplesMax samples, ascending, equal lengths; room with the slack.
std::uint8_t* writeXorChunk(std::uint8_t* to, std::span<const std::int64_t> ms,
                            std::span<const double> values);

}  // namespace seriesdb
