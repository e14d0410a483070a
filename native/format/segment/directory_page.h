// A page of a segment's directory: the entries of up to 256 chunks. They are rows of packed bits,
// which are read in place. See docs/format/segment.md.
//
// All rows of a page have one layout, so reading a field is one load, one shift and one addition.
// Nothing is decoded ahead and nothing lies in the heap. Rows, not columns: a search for one chunk
// then touches only its row and the head.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

#include "common/base/bytes.h"
#include "format/codec/kernels.h"
#include "format/segment/segment.h"

namespace seriesdb {

inline constexpr std::size_t kPageChunks = 256;
// Readable bytes that must follow a page.
inline constexpr std::size_t kPageSlack = 64;

namespace page_format {

class PageCheck;
class PageRows;

enum Field : std::uint8_t {
  kRef,
  kTsMin,   // The database's unit; inclusive.
  kLength,  // tsMax - tsMin, at least the count less one: times ascend strictly.
  kCount,   // Samples, 1 to kChunkSamplesMax.
  kOffset,  // Offset in the file.
  kCodecs,
  kFirst,
  kLast,
  kMin,
  kMax,
  kSum,
  kUlps,  // Ulps from the decimal form of the sum to the sum; up to kUlpsMax either way.
  kRest,  // Shifted right by the rest shift; unshifted, it fits in ChunkSummary::kRestBits bits.
  kFieldCount,
};

// On disk, in the order of the page's head.
inline constexpr std::size_t kBareCrcAt = 0;     // u32: CRC of all bare chunks; 0 in version 3.
inline constexpr std::size_t kChunkCountAt = 4;  // u16: 1 to kPageChunks.
// u8: decimal places of mantissas, 0 to kDecimalPlacesMax.
inline constexpr std::size_t kPlacesAt = 6;
inline constexpr std::size_t kFlagsAt = 7;        // u8: rawFlag() of fields, up to kFlagsMax.
inline constexpr std::size_t kTimeUnitAt = 8;     // u64: the unit of times in rows; 1 or more.
inline constexpr std::size_t kRefStepAt = 16;     // u32: kRef grows by it from row to row.
inline constexpr std::size_t kOffsetStepAt = 20;  // u32: kOffset grows by it from row to row.
inline constexpr std::size_t kWidthsAt = 24;      // u8 a field: 0 to kWidthMax bits, or kWordWidth.
// u8: below ChunkSummary::kRestBits.
inline constexpr std::size_t kRestShiftAt = kWidthsAt + kFieldCount;
// u16: the sum of the widths, padded if there are words.
inline constexpr std::size_t kRowBitsAt = 38;
// u16 a field: its bit in the row, which follows from the widths.
inline constexpr std::size_t kPlacesInRowAt = 40;
// Six bytes of zeros follow, so that 8-byte fields are 8-byte aligned.
inline constexpr std::size_t kChunksEndAt = 72;  // u64: where the last chunk ends in the file.
inline constexpr std::size_t kBasesAt = 80;      // u64 a field: added to the values in rows.
inline constexpr std::size_t kHeadSize = kBasesAt + 8 * kFieldCount;

// A page that was cut with its file ends in zeros, so it lacks this mark.
inline constexpr std::uint32_t kEndMark = 0x65676170;
inline constexpr std::size_t kEndMarkSize = 4;

// Wider fields are whole words that begin at a byte, so that no value spans more than eight bytes.
inline constexpr unsigned kWidthMax = 56;
inline constexpr unsigned kWordWidth = 64;

// Masks of the low bits, by width.
inline constexpr auto kMasks = [] {
  std::array<std::uint64_t, kWordWidth + 1> masks{};
  for (unsigned width = 1; width <= kWordWidth; ++width) masks[width] = masks[width - 1] * 2 + 1;
  return masks;
}();

// The field holds the bits of doubles; without the flag it holds mantissas.
constexpr std::uint8_t rawFlag(Field field) {
  return static_cast<std::uint8_t>(1U << (field - kFirst));
}
inline constexpr std::uint8_t kFlagsMax = rawFlag(kSum) * 2 - 1;

// In the codecs' byte: the chunk has a NaN, so its bounds and sum are NaN.
inline constexpr std::uint8_t kNanFlag = 0x08;
inline constexpr std::uint8_t kValueCodecMask = 0x07;
inline constexpr unsigned kTimestampCodecShift = 4;

}  // namespace page_format

// The facts that a fence has about its page.
struct PageBounds {
  SeriesRef firstRef = 0;        // The lowest series of the page, that of its first chunk.
  std::uint16_t chunkCount = 0;  // 1 to kPageChunks; exactly kPageChunks in all pages but the last.
  // The least timestamp of all its chunks; the database's unit; inclusive.
  Timestamp tsMin = 0;
  Timestamp tsMax = 0;  // The greatest one; inclusive.
};

// Appends a page. REQUIRES: 1 to kPageChunks entries, by series, then by time, each behind the
// previous one in the file. `bareCrc` is the CRC-32C of all their bare chunks, one after the other.
PageBounds appendPage(ByteBuffer& out, std::span<const ChunkEntry> chunks, std::uint32_t bareCrc);

// The part of the file in which a page's chunks must lie.
struct ChunkArea {
  std::uint64_t begin;
  std::uint64_t end;
  bool hasBare = false;  // Chunks with less than kBareSamplesEnd samples are bare.
};
// True if the bytes are a page that agrees with its fence. Every entry is then plausible, and its
// chunk lies in the area. Trusts no byte. REQUIRES: kPageSlack readable bytes behind.
bool isPage(Bytes bytes, const PageBounds& bounds, ChunkArea area);

// Prefetches the head and one entry's row of a full page into the cache; reads nothing.
inline void prefetchEntry(Bytes page, std::size_t i) {
  constexpr std::size_t kLine = 64;
  const std::uint8_t* head = page.data();
  for (std::size_t at = 0; at < page_format::kHeadSize; at += kLine) __builtin_prefetch(head + at);
  const std::size_t rows = page.size() - page_format::kHeadSize - page_format::kEndMarkSize;
  __builtin_prefetch(head + page_format::kHeadSize + rows * i / kPageChunks);
}

// A view of a page. REQUIRES for all methods: isPage(), and that the entry exists.
class DirectoryPage {
 public:
  explicit DirectoryPage(const std::uint8_t* page) : page_(page) {}

  std::size_t chunkCount() const {
    return loadLe<std::uint16_t>(page_ + page_format::kChunkCountAt);
  }
  std::uint32_t bareCrc() const { return loadLe<std::uint32_t>(page_ + page_format::kBareCrcAt); }
  SeriesRef refAt(std::size_t i) const {
    const auto step = loadLe<std::uint32_t>(page_ + page_format::kRefStepAt);
    return static_cast<SeriesRef>(at(page_format::kRef, i) + step * std::uint64_t{i});
  }
  Timestamp tsMinAt(std::size_t i) const {
    return static_cast<Timestamp>(timeAt(page_format::kTsMin, i));
  }
  Timestamp tsMaxAt(std::size_t i) const {
    return static_cast<Timestamp>(timeAt(page_format::kTsMin, i) + timeAt(page_format::kLength, i));
  }
  std::uint64_t sampleCountAt(std::size_t i) const { return at(page_format::kCount, i); }
  // The offset of chunk `i` in the file; for i = chunkCount(), the end of the last chunk.
  std::uint64_t offsetAt(std::size_t i) const {
    if (i == chunkCount()) return loadLe<std::uint64_t>(page_ + page_format::kChunksEndAt);
    const auto step = loadLe<std::uint32_t>(page_ + page_format::kOffsetStepAt);
    return at(page_format::kOffset, i) + step * std::uint64_t{i};
  }
  // The entries of a series: [begin, end).
  struct Places {
    std::size_t begin;
    std::size_t end;
  };
  Places placesOf(SeriesRef ref) const;
  // Calls visit(Places) for each series that the page has, in order. The places are disjoint,
  // unless the page is lost meanwhile. REQUIRES: `series` ascends strictly.
  template <typename Visit>
  void forPlacesOf(std::span<const SeriesRef> series, Visit visit) const;
  // Puts the rows of the series for which isWanted(row) is true into `rows`; returns how many.
  // Never writes more than `rows` holds, even if the page is lost meanwhile.
  template <typename IsWanted>
  std::size_t rowsOf(std::span<const SeriesRef> series, std::span<std::uint16_t> rows,
                     IsWanted isWanted) const {
    std::size_t count = 0;
    forPlacesOf(series, [&](Places places) {
      for (std::size_t at = places.begin; at < places.end && count < rows.size(); ++at) {
        if (isWanted(at)) rows[count++] = static_cast<std::uint16_t>(at);
      }
    });
    return count;
  }
  void read(std::size_t i, ChunkEntry& entry) const;
  // Reads several entries, at a third of the time each. REQUIRES: one existing row for each entry.
  void readRows(std::span<const std::uint16_t> rows, std::span<ChunkEntry> entries) const;
  // REQUIRES: entries.size() == chunkCount().
  void readAll(std::span<ChunkEntry> entries) const;

 private:
  friend class page_format::PageCheck;

  // The constant difference of consecutive references, which makes a search unnecessary; 0: they
  // vary.
  std::uint32_t evenStep() const {
    return widthOf(page_format::kRef) == 0 ? loadLe<std::uint32_t>(page_ + page_format::kRefStepAt)
                                           : 0;
  }
  unsigned widthOf(page_format::Field field) const { return page_[page_format::kWidthsAt + field]; }
  std::size_t rowBits() const { return loadLe<std::uint16_t>(page_ + page_format::kRowBitsAt); }
  std::size_t placeInRow(page_format::Field field) const {
    return loadLe<std::uint16_t>(page_ + page_format::kPlacesInRowAt + std::size_t{2} * field);
  }
  std::uint64_t baseOf(page_format::Field field) const {
    return loadLe<std::uint64_t>(page_ + page_format::kBasesAt + std::size_t{8} * field);
  }
  std::uint64_t packedAt(page_format::Field field, std::size_t i) const {
    return packedInRow(field, i * rowBits());
  }
  std::uint64_t packedInRow(page_format::Field field, std::size_t row) const {
    const std::size_t bit = row + placeInRow(field);
    const auto word = loadLe<std::uint64_t>(page_ + page_format::kHeadSize + bit / 8);
    return word >> (bit % 8) & page_format::kMasks[widthOf(field)];
  }
  std::uint64_t at(page_format::Field field, std::size_t i) const {
    return baseOf(field) + packedAt(field, i);
  }
  std::uint64_t timeAt(page_format::Field field, std::size_t i) const {
    return baseOf(field) +
           packedAt(field, i) * loadLe<std::uint64_t>(page_ + page_format::kTimeUnitAt);
  }
  bool isRaw(page_format::Field field) const {
    return (page_[page_format::kFlagsAt] & page_format::rawFlag(field)) != 0;
  }
  using Fields = std::array<std::uint64_t, page_format::kFieldCount>;
  inline Fields packedFieldsAt(std::size_t i) const;
  inline void readNumbers(const Fields& packed, ChunkSummary& summary) const;
  friend class page_format::PageRows;

  const std::uint8_t* page_;
};

template <typename Visit>
void DirectoryPage::forPlacesOf(std::span<const SeriesRef> series, Visit visit) const {
  const std::size_t count = chunkCount();
  // The page was just lost.
  if (count == 0) return;
  const auto end = std::upper_bound(series.begin(), series.end(), refAt(count - 1));
  series = series.first(static_cast<std::size_t>(end - series.begin()));
  // With few series a search for each is faster.
  const bool areFew = series.size() < count / 16;
  if (evenStep() != 0 || areFew) {
    for (const SeriesRef one : series) {
      const Places places = placesOf(one);
      if (places.begin < places.end) visit(places);
    }
    return;
  }
  auto wanted = series.begin();
  for (std::size_t at = 0; at < count && wanted != series.end();) {
    const SeriesRef ref = refAt(at);
    while (wanted != series.end() && *wanted < ref) ++wanted;
    const std::size_t begin = at++;
    if (wanted == series.end() || *wanted != ref) continue;
    while (at < count && refAt(at) == ref) ++at;
    visit(Places{begin, at});
  }
}

}  // namespace seriesdb
