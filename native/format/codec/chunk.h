// A chunk: up to 8192 samples of one series, sorted by ts, compressed.
//
// The value codec and the timestamp codec are chosen per chunk by measured
// size. Every codec is lossless to the bit. See docs/format/chunk.md.
#pragma once

#include <cstdint>
#include <span>

#include "common/base/bytes.h"
#include "common/base/compensated_sum.h"
#include "common/base/status.h"
#include "common/types/sample.h"

namespace seriesdb {

inline constexpr std::size_t kChunkSamplesMax = 8192;
// Chunks of fewer samples may be bare: their summary is their header, and another checksum covers
// them.
inline constexpr std::size_t kBareSamplesEnd = 128;
// More than any of them takes: a sample has at most 10 bytes of timestamp and 9 of value.
inline constexpr std::size_t kBareBytesMax = std::size_t{1} << 12;
// The summary of so many samples says all of them.
inline constexpr std::size_t kSummarySamples = 2;

// On disk: do not renumber.
enum class ValueCodec : std::uint8_t {
  kRaw = 0,
  kXor = 1,
  kConst = 2,
  kLinear = 3,
  kDecimalFor = 4,
  kDecimalDelta = 5,
  kDecimalCoded = 6,
  kDecimalSpecial = 7,
};
inline constexpr auto kValueCodecMax = static_cast<std::uint8_t>(ValueCodec::kDecimalSpecial);
enum class TimestampCodec : std::uint8_t {
  kStep = 0,
  kStepResidual = 1,
  kDelta = 2,
  kDeltaOfDelta = 3,
};
inline constexpr auto kTimestampCodecMax = static_cast<std::uint8_t>(TimestampCodec::kDeltaOfDelta);

// What the directory of a segment keeps about a chunk, so that pruning and whole-chunk
// aggregates need no decoding. min, max, sum, first, last are over the values as doubles;
// a NaN makes min, max and sum NaN. -0 counts below +0.
struct ChunkSummary {
  // The rest of a sum, what its rounding left out, is a whole number of so many bits. See
  // docs/format/segment.md for its unit.
  static constexpr int kRestBits = 40;
  // Of a sum whose rest is not known, or does not fit.
  static constexpr std::int64_t kNoRest = -(std::int64_t{1} << (kRestBits - 1));

  std::uint16_t count;                // 1 to kChunkSamplesMax.
  ValueCodec valueCodec : 4;          // Up to kValueCodecMax.
  TimestampCodec timestampCodec : 4;  // Up to kTimestampCodecMax.
  std::uint8_t restLow;               // The low 8 bits of rest(), whose kRestBits no type has.
  std::int32_t restHigh;              // The others.
  Timestamp tsMin;                    // Of the first sample; the database's unit; inclusive.
  Timestamp tsMax;                    // Of the last one, so tsMin + count - 1 or later.
  double first;                       // The value at tsMin.
  double last;                        // The value at tsMax.
  double min;                         // Of all values, like the next two.
  double max;
  double sum;  // Rounded once where the rest is known, and otherwise as it came.

  std::int64_t rest() const { return std::int64_t{restHigh} * 256 + restLow; }
  void setRest(std::int64_t value) {
    restHigh = static_cast<std::int32_t>(value >> 8);
    restLow = static_cast<std::uint8_t>(value & 255);
  }
  // Whether such a sum can have a rest that is not 0.
  static bool mayHaveRest(double sum);
  void setSum(const CompensatedSum& exact);
  bool hasExactSum() const { return rest() != kNoRest; }
  // REQUIRES: hasExactSum().
  CompensatedSum exactSum() const;
  // Of chunks without the rest of their sum nobody knows how their writer took -0 and +0.
  bool hasExactBounds() const {
    const bool holdsNegativeZero = valueCodec == ValueCodec::kRaw || valueCodec == ValueCodec::kXor;
    return hasExactSum() || !holdsNegativeZero || (min != 0 && max != 0);
  }
  // Whether a NaN is among the values, stale markers included: then no more is known of them than
  // their ends, and even those may be stale.
  bool hasNan() const { return min != min; }
  // Whether all values are numbers: of others SeriesQL knows none.
  bool isFinite() const { return min - min == 0 && max - max == 0; }
  // No value is farther from zero; infinite where there is a NaN.
  double reach() const;
};

// Some samples of a chunk that follow each other, by their numbers.
struct SamplePlaces {
  std::size_t begin = 0;
  std::size_t end = 0;  // Exclusive.
  std::size_t size() const { return end - begin; }
};
// Those of a range of time. REQUIRES: `ts` ascends.
SamplePlaces placesOf(std::span<const Timestamp> ts, TimeRange range);

// Which codecs a chunk is chosen from.
enum class CodecChoice : std::uint8_t {
  kQuick,  // Those that take a few nanoseconds a sample.
  kCold,   // All: smaller, but encoding takes ten times as long.
};

// Sets min, max, sum and its rest to what these values say. REQUIRES: not empty.
void summarizeValues(std::span<const double> values, ChunkSummary& summary);

// Appends one encoded chunk (header, payload, CRC-32C) to `out` and returns its summary.
// REQUIRES: 1 <= ts.size() == values.size() <= kChunkSamplesMax; ts strictly increasing.
ChunkSummary encodeChunk(std::span<const Timestamp> ts, std::span<const double> values,
                         ByteBuffer& out, CodecChoice choice = CodecChoice::kQuick);

// Appends what a bare chunk has besides its summary, which it returns: nothing for kSummarySamples,
// nor for one value at even steps.
// REQUIRES: 1 <= ts.size() == values.size() < kBareSamplesEnd; ts strictly increasing.
ChunkSummary encodeBareChunk(std::span<const Timestamp> ts, std::span<const double> values,
                             ByteBuffer& out);

// kStorageCorrupt when the chunk's checksum is wrong. decodeChunk does not check it.
Status verifyChunk(Bytes chunk);

// Decodes a chunk of as many samples as `ts` and `values` have room for, which is the same number.
// Never reads or writes out of bounds, whatever the bytes; anything but a chunk of that many
// samples whose timestamps ascend strictly is kStorageCorrupt.
Status decodeChunk(Bytes chunk, std::span<Timestamp> ts, std::span<double> values);

// The same of a range of time, in less time: the samples at the places that it gives stand there,
// and what else is in the room counts for nothing. Of a chunk that decodeChunk() refuses it may
// give anything.
Result<SamplePlaces> decodeChunkIn(Bytes chunk, TimeRange range, std::span<Timestamp> ts,
                             std::span<double> values);

// The same as decodeChunk() for a bare chunk; its ends are those that the summary says. REQUIRES:
// `ts` and `values` have room for summary.count samples, which are less than kBareSamplesEnd.
Status decodeBareChunk(const ChunkSummary& summary, Bytes bytes, std::span<Timestamp> ts,
                       std::span<double> values);

}  // namespace seriesdb
