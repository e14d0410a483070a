// A chunk: up to 8192 samples of one series, sorted by ts, compressed.
//
// The encoder chooses the value codec and the timestamp codec per chunk by measured size. Every
// codec is lossless to the bit. See docs/format/chunk.md.
#pragma once

#include <cstdint>
#include <span>

#include "common/base/bytes.h"
#include "common/base/compensated_sum.h"
#include "common/base/status.h"
#include "common/types/sample.h"

namespace seriesdb {

inline constexpr std::size_t kChunkSamplesMax = 8192;
// Chunks of fewer samples may be bare: the directory's summary replaces their header, and a
// checksum in the directory page covers them.
inline constexpr std::size_t kBareSamplesEnd = 128;
// An upper bound: a sample has at most 10 bytes of timestamp and 9 of value.
inline constexpr std::size_t kBareBytesMax = std::size_t{1} << 12;
// With this many samples, the summary contains them all.
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

// The directory's facts about a chunk, so that pruning and whole-chunk aggregates need no decoding.
// min, max, sum, first and last are over the values as doubles; a NaN makes min, max and sum NaN.
// -0 counts below +0.
struct ChunkSummary {
  // The rest of a sum is the part that rounding left out: a whole number of this many bits. See
  // docs/format/segment.md for its unit.
  static constexpr int kRestBits = 40;
  // The rest is unknown or does not fit.
  static constexpr std::int64_t kNoRest = -(std::int64_t{1} << (kRestBits - 1));

  std::uint16_t count;                // 1 to kChunkSamplesMax.
  ValueCodec valueCodec : 4;          // Up to kValueCodecMax.
  TimestampCodec timestampCodec : 4;  // Up to kTimestampCodecMax.
  // The low 8 bits of rest(); no integer type has kRestBits bits.
  std::uint8_t restLow;
  std::int32_t restHigh;  // The other bits.
  Timestamp tsMin;        // The first timestamp; the database's unit; inclusive.
  Timestamp tsMax;        // The last timestamp; at least tsMin + count - 1.
  double first;           // The value at tsMin.
  double last;            // The value at tsMax.
  double min;             // The least value; NaN if any value is.
  double max;
  double sum;  // Rounded once if the rest is known, otherwise with accumulated rounding errors.

  std::int64_t rest() const { return std::int64_t{restHigh} * 256 + restLow; }
  void setRest(std::int64_t value) {
    restHigh = static_cast<std::int32_t>(value >> 8);
    restLow = static_cast<std::uint8_t>(value & 255);
  }
  // True if such a sum can have a rest other than 0.
  static bool mayHaveRest(double sum);
  void setSum(const CompensatedSum& exact);
  bool hasExactSum() const { return rest() != kNoRest; }
  // REQUIRES: hasExactSum().
  CompensatedSum exactSum() const;
  // Without a known rest, it is also unknown how the writer compared -0 and +0.
  bool hasExactBounds() const {
    const bool holdsNegativeZero = valueCodec == ValueCodec::kRaw || valueCodec == ValueCodec::kXor;
    return hasExactSum() || !holdsNegativeZero || (min != 0 && max != 0);
  }
  // True if some value is a NaN, stale markers included. Then only first and last are known, and
  // even they may be stale.
  bool hasNan() const { return min != min; }
  // True if all values are finite numbers; SeriesQL returns no others.
  bool isFinite() const { return min - min == 0 && max - max == 0; }
  // The largest absolute value; infinite if there is a NaN.
  double reach() const;
};

// Consecutive samples of a chunk, by index.
struct SamplePlaces {
  std::size_t begin = 0;
  std::size_t end = 0;  // Exclusive.
  std::size_t size() const { return end - begin; }
};
// The samples in a time range. REQUIRES: `ts` ascends.
SamplePlaces placesOf(std::span<const Timestamp> ts, TimeRange range);

// The codecs among which the encoder chooses.
enum class CodecChoice : std::uint8_t {
  kQuick,  // Codecs that take a few nanoseconds a sample.
  kCold,   // All codecs: smaller, but encoding takes ten times as long.
};

// Sets min, max, sum and rest from these values. REQUIRES: not empty.
void summarizeValues(std::span<const double> values, ChunkSummary& summary);

// Appends one encoded chunk (header, payload, CRC-32C) to `out` and returns its summary.
// REQUIRES: 1 <= ts.size() == values.size() <= kChunkSamplesMax; ts strictly increasing.
ChunkSummary encodeChunk(std::span<const Timestamp> ts, std::span<const double> values,
                         ByteBuffer& out, CodecChoice choice = CodecChoice::kQuick);

// Appends the bytes that a bare chunk has besides its summary, and returns the summary. Appends
// nothing for up to kSummarySamples samples, or for a constant value at even steps.
// REQUIRES: 1 <= ts.size() == values.size() < kBareSamplesEnd; ts strictly increasing.
ChunkSummary encodeBareChunk(std::span<const Timestamp> ts, std::span<const double> values,
                             ByteBuffer& out);

// kStorageCorrupt if the chunk's checksum is wrong. decodeChunk does not check it.
Status verifyChunk(Bytes chunk);

// Decodes a chunk of ts.size() == values.size() samples. Never reads or writes out of bounds, for
// any bytes. kStorageCorrupt unless the bytes are a chunk of that many samples with strictly
// ascending timestamps.
Status decodeChunk(Bytes chunk, std::span<Timestamp> ts, std::span<double> values);

// Decodes the samples of a time range, in less time. They stand at the returned places; other
// entries are undefined. For a chunk that decodeChunk() refuses, the result is arbitrary.
Result<SamplePlaces> decodeChunkIn(Bytes chunk, TimeRange range, std::span<Timestamp> ts,
                                   std::span<double> values);

// decodeChunk() for a bare chunk, whose first and last sample come from the summary. REQUIRES: `ts`
// and `values` have summary.count entries, fewer than kBareSamplesEnd.
Status decodeBareChunk(const ChunkSummary& summary, Bytes bytes, std::span<Timestamp> ts,
                       std::span<double> values);

}  // namespace seriesdb
