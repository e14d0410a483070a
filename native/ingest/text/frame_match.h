// The hot loop: matches the text at `at` with a frame, and reads its numbers.
#pragma once

#include <cstring>

#include "ingest/column_cursor.h"
#include "ingest/ingest_options.h"
#include "ingest/text/frame_cache.h"
#include "ingest/text/number_text.h"

namespace seriesdb {

// Reads a number without a meaning.
[[gnu::noinline]] inline const char* passNumber(const char* at) {
  double value = 0;
  std::uint32_t inexactCount = 0;
  return readDouble(at, value, inexactCount);
}

// Reads a value that is no plain number. Integers that a double may not represent take the slow
// path.
inline const char* readForm(const char* at, std::uint32_t meaning, double& value) {
  switch (formOf(meaning)) {
    case ValueForm::kFalseWord:
      value = 0;
      return at;
    case ValueForm::kTrueWord:
      value = 1;
      return at;
    case ValueForm::kUnsigned:
      if (*at == '-') return nullptr;
      break;
    default:
      break;
  }
  constexpr std::int64_t kExactMax = std::int64_t{1} << 53;
  std::int64_t whole = 0;
  at = readInteger(at, whole);
  if (at == nullptr || whole > kExactMax || whole < -kExactMax) return nullptr;
  value = static_cast<double>(whole);
  return at;
}

// memcmp() == 0 for texts of tens of bytes, without a call and with one branch at the end.
inline bool equalText(const char* a, const char* b, std::size_t size) {
  using Block = std::uint64_t __attribute__((vector_size(16)));
  if (size >= sizeof(Block)) {
    Block difference = {};
    const std::size_t last = size - sizeof(Block);
    for (std::size_t i = 0; i < last; i += sizeof(Block)) {
      difference |= loadLe<Block>(a + i) ^ loadLe<Block>(b + i);
    }
    difference |= loadLe<Block>(a + last) ^ loadLe<Block>(b + last);
    return (difference[0] | difference[1]) == 0;
  }
  if (size >= 8) {
    return ((loadLe<std::uint64_t>(a) ^ loadLe<std::uint64_t>(b)) |
            (loadLe<std::uint64_t>(a + size - 8) ^ loadLe<std::uint64_t>(b + size - 8))) == 0;
  }
  if (size >= 4) {
    return ((loadLe<std::uint32_t>(a) ^ loadLe<std::uint32_t>(b)) |
            (loadLe<std::uint32_t>(a + size - 4) ^ loadLe<std::uint32_t>(b + size - 4))) == 0;
  }
  std::size_t i = 0;
  while (i < size && a[i] == b[i]) ++i;
  return i == size;
}

// Returns the newline at the end of the line, and writes its samples through `out`. nullptr if the
// line does not hit the frame, a number needs the slow path, or less than kNumberRoom bytes follow
// a slot's start. Always inlined: otherwise a known line takes a seventh longer.
[[gnu::always_inline]] inline const char* matchFrame(Frame& frame, const char* at,
                                                     const char* limit,
                                                     const IngestOptions& options,
                                                     ColumnCursor out) {
  const char* text = frame.text();
  const FrameSlot* const slots = frame.slots();
  std::int64_t arrived = options.now;
  std::uint32_t sample = 0;
  std::uint32_t inexactCount = 0;
  for (std::uint32_t i = 0; i < frame.slotCount; ++i) {
    const std::size_t size = slots[i].segmentSize;
    if (static_cast<std::size_t>(limit - at) < size + kNumberRoom) return nullptr;
    if (!equalText(at, text, size)) return nullptr;
    at += size;
    text += size;
    const auto meaning = slots[i].meaning;
    if (meaning == kSlotTs) {
      at = readInteger(at, arrived);
    } else if (meaning == kSlotIgnored) {
      at = passNumber(at);
    } else {
      double value = 0;
      at = meaning < kSlotRefsMax ? readDouble(at, value, inexactCount)
                                  : readForm(at, meaning, value);
      out.refs[sample] = meaning & kSlotRefMask;
      out.values[sample] = value;
      ++sample;
    }
    if (at == nullptr) return nullptr;
  }
  const std::size_t tail = frame.tailSize;
  if (static_cast<std::size_t>(limit - at) <= tail || at[tail] != '\n') return nullptr;
  if (!equalText(at, text, tail)) return nullptr;
  Timestamp ts = 0;
  if (!convertTimestamp(arrived, options.conversion, ts) || ts > options.tsMax) return nullptr;
  for (std::uint32_t i = 0; i < sample; ++i) out.ts[i] = ts;
  if (inexactCount != 0) *out.inexactCount += inexactCount;
  return at + tail;
}

}  // namespace seriesdb
