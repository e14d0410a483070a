// Writes segment directories of the versions before 3. The program only reads these.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <span>

#include "common/base/bytes.h"
#include "format/segment/segment.h"
#include "format/segment/summary_number.h"

namespace seriesdb::test {

using namespace summary_number;

inline void appendNumber(ByteBuffer& out, double value, double reference) {
  if (summary_number::sameBits(value, reference)) return appendVarint(out, kSameTag);
  for (std::size_t scale = 0; scale < summary_number::kPowersOfTen.size(); ++scale) {
    const double power = summary_number::kPowersOfTen[scale];
    const double scaled = std::nearbyint(value * power);
    if (!(std::fabs(scaled) <= static_cast<double>(kMantissaMax))) break;
    const auto mantissa = static_cast<std::int64_t>(scaled);
    // Computed from the integer as in read(). A negative zero has no integer and stays raw.
    const double decimal = static_cast<double>(mantissa) / power;
    if (!summary_number::sameBits(decimal, value)) continue;
    return appendVarint(out, zigzag(mantissa) << 3 | scale);
  }
  appendVarint(out, kRawTag);
  appendLe(out, value);
}

inline void appendRest(ByteBuffer& out, std::int64_t rest) {
  if (rest == 0) return appendVarint(out, 0);
  if (rest == ChunkSummary::kNoRest) return appendVarint(out, kUnknownRest);
  const int zeros = std::countr_zero(static_cast<std::uint64_t>(rest));
  appendVarint(out, zigzag(rest >> zeros) << kZerosBits | static_cast<std::uint64_t>(zeros));
}

// The number columns in file order. Each value is encoded relative to a known reference, because
// the two are often equal: a counter's minimum is its first value.
using NumberField = double ChunkSummary::*;
struct NumberColumn {
  NumberField field;
  // A field of the same chunk; null: this field of the previous chunk (0 at first).
  NumberField reference;
};
inline constexpr std::array<NumberColumn, 5> kNumberColumns = {{
    {&ChunkSummary::first, nullptr},
    {&ChunkSummary::last, &ChunkSummary::first},
    {&ChunkSummary::min, &ChunkSummary::first},
    {&ChunkSummary::max, &ChunkSummary::last},
    {&ChunkSummary::sum, &ChunkSummary::first},
}};

inline double referenceOf(const NumberColumn& column, std::span<const ChunkEntry> chunks,
                          std::size_t i) {
  if (column.reference != nullptr) return chunks[i].summary.*column.reference;
  return i == 0 ? 0.0 : chunks[i - 1].summary.*column.field;
}

inline bool startsSeries(std::span<const ChunkEntry> chunks, std::size_t i) {
  return i == 0 || chunks[i].series != chunks[i - 1].series;
}

inline void appendSeriesColumn(ByteBuffer& out, std::span<const ChunkEntry> chunks) {
  std::uint64_t next = 0;  // The smallest reference that the next series can have.
  for (std::size_t i = 0; i < chunks.size();) {
    std::size_t end = i + 1;
    while (end < chunks.size() && chunks[end].series == chunks[i].series) ++end;
    appendVarint(out, chunks[i].series - next);
    appendVarint(out, end - i - 1);
    next = std::uint64_t{chunks[i].series} + 1;
    i = end;
  }
}

inline void appendTimeColumns(ByteBuffer& out, std::span<const ChunkEntry> chunks,
                              Timestamp tsMin) {
  Timestamp seriesStart = tsMin;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    const Timestamp start = chunks[i].summary.tsMin;
    if (startsSeries(chunks, i)) {
      appendVarint(out, zigzag(static_cast<std::int64_t>(difference(start, seriesStart))));
      seriesStart = start;
    } else {
      appendVarint(out, difference(start, chunks[i - 1].summary.tsMax) - 1);
    }
  }
  std::uint64_t before = 0;
  for (const ChunkEntry& chunk : chunks) {
    const std::uint64_t length = difference(chunk.summary.tsMax, chunk.summary.tsMin);
    appendVarint(out, zigzag(static_cast<std::int64_t>(length - before)));
    before = length;
  }
}

inline void appendOldDirectory(ByteBuffer& out, std::span<const ChunkEntry> chunks,
                               Timestamp tsMin) {
  appendSeriesColumn(out, chunks);
  for (const ChunkEntry& chunk : chunks) appendVarint(out, chunk.size);
  for (const ChunkEntry& chunk : chunks) appendVarint(out, chunk.summary.count);
  appendTimeColumns(out, chunks, tsMin);
  for (const ChunkEntry& chunk : chunks) {
    const auto value = static_cast<unsigned>(chunk.summary.valueCodec);
    const auto timestamp = static_cast<unsigned>(chunk.summary.timestampCodec);
    out.push_back(static_cast<std::uint8_t>(timestamp << 4 | value));
  }
  for (const NumberColumn& column : kNumberColumns) {
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      appendNumber(out, chunks[i].summary.*column.field, referenceOf(column, chunks, i));
    }
  }
  for (const ChunkEntry& chunk : chunks) appendRest(out, chunk.summary.rest());
}

}  // namespace seriesdb::test
