// Samples in the bits of Prometheus' XOR chunks. The encoding is Gorilla (Pelkonen et al., VLDB
// 2015) for milliseconds. Bits fill a byte from the highest to the lowest.
//
//   +----------------+---------------+----------------+--------------------+----------------------+
//   | count (2B, BE) | time (zigzag  | value (8B, BE) | delta of the next  | its value, then time |
//   |                | varint)       |                | time (varint)      | and value of each    |
//   +----------------+---------------+----------------+--------------------+----------------------+
//
//   time: d is its delta minus the delta before, in two's complement:
//     0                  d = 0
//     10    14 bits      -2^13 < d <= 2^13
//     110   17 bits      -2^16 < d <= 2^16
//     1110  20 bits      -2^19 < d <= 2^19
//     1111  64 bits      any other
//   value: its bits XOR the bits of the value before:
//     0                                       the XOR is zero
//     10  bits                                all ones lie within the last window
//     11  leading (5)  length (6)  bits       a new window; a length of 64 is written as 0
#pragma once

#include <cstdint>
#include <span>

namespace seriesdb {

// Prometheus' own limit; a reader may refuse larger chunks.
inline constexpr std::size_t kXorChunkSamplesMax = 120;
// 30 bytes up to the second value. A value takes up to 77 bits, a time up to 68.
inline constexpr std::size_t kXorChunkSizeMax = 30 + (77 + (kXorChunkSamplesMax - 2) * 145) / 8 + 1;
// Bytes behind the chunk that the writer may overwrite.
inline constexpr std::size_t kXorChunkSlack = 8;

// Writes a chunk and returns its end. The bits are the same as in Prometheus. Prometheus appends a
// zero byte to some chunks that end at a byte boundary. REQUIRES: 1 to kXorChunkSamplesMax samples,
// ascending, equal lengths; room with the slack.
std::uint8_t* writeXorChunk(std::uint8_t* to, std::span<const std::int64_t> ms,
                            std::span<const double> values);

}  // namespace seriesdb
