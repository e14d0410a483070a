// A chunk: up to 8192 samples of one series, sorted by ts, compressed.
//
// The value codec and the timestamp codec are chosen per chunk by measured
// size. Every codec is lossless to the bit. See docs/format/chunk.md.
#pragma once

#include <cstdint>
#include <span>

#include "base/bytes.h"
#include "base/status.h"
#include "model/sample.h"

namespace seriesdb {

inline constexpr std::size_t kChunkSamplesMax = 8192;

// On disk: do not renumber.
enum class ValueCodec : std::uint8_t {
  kRaw = 0,
  kXor = 1,
  kConst = 2,
  kLinear = 3,
  kDecimalFor = 4,
  kDecimalDelta = 5,
};
enum class TimestampCodec : std::uint8_t {
  kStep = 0,
  kStepResidual = 1,
  kDelta = 2,
  kDeltaOfDelta = 3,
};

// What the directory of a segment keeps about a chunk, so that pruning and whole-chunk
// aggregates need no decoding. min, max, sum, first, last are over the values as doubles;
// a NaN makes min, max and sum NaN.
struct ChunkSummary {
  std::uint32_t count;
  ValueCodec valueCodec;
  TimestampCodec timestampCodec;
  Timestamp tsMin;
  Timestamp tsMax;
  double first;
  double last;
  double min;
  double max;
  double sum;
};

// Appends one encoded chunk (header, payload, CRC-32C) to `out` and returns its summary.
// REQUIRES: 1 <= ts.size() == values.size() <= kChunkSamplesMax; ts strictly increasing.
ChunkSummary encodeChunk(std::span<const Timestamp> ts, std::span<const double> values,
                         ByteBuffer& out);

// The number of samples in an encoded chunk, without decoding it; checks only the header.
Result<std::uint32_t> chunkSampleCount(Bytes chunk);

// kStorageCorrupt when the chunk's checksum is wrong. decodeChunk does not check it.
Status verifyChunk(Bytes chunk);

// Decodes into `ts` and `values`, which must hold chunkSampleCount(chunk) entries each.
// Never reads or writes out of bounds, whatever the bytes; malformed input is kStorageCorrupt.
Status decodeChunk(Bytes chunk, std::span<Timestamp> ts, std::span<double> values);

}  // namespace seriesdb
