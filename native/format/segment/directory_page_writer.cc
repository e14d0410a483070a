// Writes the pages of a directory.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "common/base/check.h"
#include "format/segment/directory_page.h"
#include "format/segment/row_plan.h"
#include "format/segment/summary_number.h"

namespace seriesdb {

namespace page_format {
namespace {

using summary_number::sameBits;

// Doubles of everyday size do not have more decimal places than this.
constexpr unsigned kPlacesTried = 15;

constexpr std::array<Field, 4> kPlainNumbers = {kFirst, kLast, kMin, kMax};

double numberOf(const ChunkSummary& summary, Field field) {
  switch (field) {
    case kFirst:
      return summary.first;
    case kLast:
      return summary.last;
    case kMin:
      return summary.min;
    case kMax:
      return summary.max;
    default:
      return summary.sum;
  }
}

// True if bounds and sum are the standard NaN of a chunk that has a NaN, so that one flag tells
// them.
bool hasPlainNan(const ChunkSummary& summary) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  return sameBits(summary.min, nan) && sameBits(summary.max, nan) && sameBits(summary.sum, nan) &&
         summary.rest() == ChunkSummary::kNoRest;
}

unsigned widthFor(std::uint64_t most) {
  const auto width = static_cast<unsigned>(std::bit_width(most));
  return width > kWidthMax ? kWordWidth : width;
}

using Integers = std::array<std::uint64_t, kPageChunks>;

class PageWriter {
 public:
  PageWriter(ByteBuffer& out, std::span<const ChunkEntry> chunks)
      : out_(out), chunks_(chunks), begin_(out.size()) {
    out_.resize(begin_ + kHeadSize);
    put<std::uint16_t>(kChunkCountAt, static_cast<std::uint16_t>(chunks.size()));
  }

  PageBounds write(std::uint32_t bareCrc) {
    put<std::uint32_t>(kBareCrcAt, bareCrc);
    stepped(kRef, kRefStepAt, [](const ChunkEntry& chunk) { return chunk.series; });
    PageBounds bounds = times();
    plain(kCount, [](const ChunkEntry& chunk) { return chunk.summary.count; });
    stepped(kOffset, kOffsetStepAt, [](const ChunkEntry& chunk) { return chunk.offset; });
    put<std::uint64_t>(kChunksEndAt, chunks_.back().offset + chunks_.back().size);
    plain(kCodecs, [](const ChunkEntry& chunk) { return codecsOf(chunk.summary); });
    numbers();
    rests();
    writeRows();
    appendLe(out_, kEndMark);
    return bounds;
  }

 private:
  template <typename T>
  void put(std::size_t place, T value) {
    storeLe(out_.data() + begin_ + place, value);
  }

  static std::uint8_t codecsOf(const ChunkSummary& summary) {
    const auto value = static_cast<unsigned>(summary.valueCodec);
    const auto timestamp = static_cast<unsigned>(summary.timestampCodec);
    const unsigned nan = hasPlainNan(summary) ? kNanFlag : 0;
    return static_cast<std::uint8_t>(timestamp << kTimestampCodecShift | nan | value);
  }

  template <typename Of>
  void gather(Of of) {
    for (std::size_t i = 0; i < chunks_.size(); ++i) {
      values_[i] = static_cast<std::uint64_t>(of(chunks_[i]));
    }
  }

  // Packs `values_` relative to a base: the least of them as signed numbers.
  void pack(Field field, std::uint64_t unit = 1) {
    const auto values = std::span(values_).first(chunks_.size());
    const auto least = std::min_element(values.begin(), values.end(), [](auto a, auto b) {
      return static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b);
    });
    const std::uint64_t base = *least;
    put<std::uint64_t>(kBasesAt + std::size_t{8} * field, base);
    std::uint64_t most = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      packed_[field][i] = (values[i] - base) / unit;
      most = std::max(most, packed_[field][i]);
    }
    widths_[field] = widthFor(most);
    put<std::uint8_t>(kWidthsAt + field, static_cast<std::uint8_t>(widths_[field]));
  }

  void writeRows() {
    const RowPlan plan = planRow([this](Field field) { return widths_[field]; });
    put<std::uint16_t>(kRowBitsAt, static_cast<std::uint16_t>(plan.bits));
    const std::size_t size = sizeOfRows(plan, chunks_.size());
    out_.resize(begin_ + kHeadSize + size + kPageSlack);
    std::uint8_t* rows = out_.data() + begin_ + kHeadSize;
    for (std::uint8_t field = 0; field < kFieldCount; ++field) {
      put<std::uint16_t>(kPlacesInRowAt + std::size_t{2} * field,
                         static_cast<std::uint16_t>(plan.places[field]));
      for (std::size_t i = 0; i < chunks_.size(); ++i) {
        const std::size_t bit = i * plan.bits + plan.places[field];
        const auto word = loadLe<std::uint64_t>(rows + bit / 8);
        storeLe(rows + bit / 8, word | packed_[field][i] << (bit % 8));
      }
    }
    out_.resize(begin_ + kHeadSize + size);
  }

  template <typename Of>
  void plain(Field field, Of of) {
    gather(of);
    pack(field);
  }

  // Packs values that grow by about the same from chunk to chunk; the step is subtracted.
  template <typename Of>
  void stepped(Field field, std::size_t stepAt, Of of) {
    gather(of);
    takeStep(stepAt);
    pack(field);
  }
  void takeStep(std::size_t stepAt) {
    const std::size_t count = chunks_.size();
    const std::uint64_t step = count == 1 ? 0 : (values_[count - 1] - values_[0]) / (count - 1);
    const std::uint64_t spread = values_[count - 1] - values_[0];
    std::int64_t least = 0;
    std::int64_t most = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const auto off = static_cast<std::int64_t>(values_[i] - values_[0] - step * i);
      least = std::min(least, off);
      most = std::max(most, off);
    }
    const bool pays = step <= std::numeric_limits<std::uint32_t>::max() &&
                      static_cast<std::uint64_t>(most) - static_cast<std::uint64_t>(least) < spread;
    if (!pays) return;
    put<std::uint32_t>(stepAt, static_cast<std::uint32_t>(step));
    for (std::size_t i = 0; i < count; ++i) values_[i] -= step * i;
  }

  PageBounds times() {
    PageBounds bounds{chunks_.front().series, static_cast<std::uint16_t>(chunks_.size()),
                      chunks_.front().summary.tsMin, chunks_.front().summary.tsMax};
    std::uint64_t unit = 0;
    const ChunkSummary& one = chunks_.front().summary;
    for (const ChunkEntry& chunk : chunks_) {
      const ChunkSummary& summary = chunk.summary;
      bounds.tsMin = std::min(bounds.tsMin, summary.tsMin);
      bounds.tsMax = std::max(bounds.tsMax, summary.tsMax);
      unit = std::gcd(unit, distance(summary.tsMin, one.tsMin));
      unit = std::gcd(unit, distance(static_cast<std::int64_t>(lengthOf(summary)),
                                     static_cast<std::int64_t>(lengthOf(one))));
    }
    unit = std::max<std::uint64_t>(unit, 1);
    put<std::uint64_t>(kTimeUnitAt, unit);
    gather([](const ChunkEntry& chunk) { return chunk.summary.tsMin; });
    pack(kTsMin, unit);
    gather([](const ChunkEntry& chunk) { return lengthOf(chunk.summary); });
    pack(kLength, unit);
    return bounds;
  }
  static std::uint64_t distance(std::int64_t a, std::int64_t b) {
    return a < b ? difference(b, a) : difference(a, b);
  }
  static std::uint64_t lengthOf(const ChunkSummary& summary) {
    return difference(summary.tsMax, summary.tsMin);
  }

  void numbers() {
    findPlaces();
    put<std::uint8_t>(kPlacesAt, static_cast<std::uint8_t>(places_));
    std::uint8_t flags = 0;
    const bool isFirstRaw = !mantissas(kFirst, first_);
    for (const Field field : kPlainNumbers) {
      std::array<std::int64_t, kPageChunks> own;
      const bool isRaw = !mantissas(field, own);
      if (isRaw) flags |= rawFlag(field);
      for (std::size_t i = 0; i < chunks_.size(); ++i) {
        values_[i] = isRaw ? std::bit_cast<std::uint64_t>(doubles_[i])
                           : relative(field, own[i], isFirstRaw ? 0 : first_[i]);
      }
      pack(field);
    }
    if (!sums()) flags |= rawFlag(kSum);
    put<std::uint8_t>(kFlagsAt, flags);
  }

  // A difference that is mostly small and not negative.
  static std::uint64_t relative(Field field, std::int64_t mantissa, std::int64_t first) {
    if (field == kFirst) return static_cast<std::uint64_t>(mantissa);
    return static_cast<std::uint64_t>(field == kMin ? first - mantissa : mantissa - first);
  }

  // Gathers the chunks' numbers. Where a flag says NaN, any number will do.
  void gatherNumbers(Field field) {
    for (std::size_t i = 0; i < chunks_.size(); ++i) {
      const ChunkSummary& summary = chunks_[i].summary;
      const bool isLeftOut = field != kFirst && field != kLast && hasPlainNan(summary);
      doubles_[i] = numberOf(summary, isLeftOut ? kFirst : field);
    }
  }
  bool haveMantissas(unsigned places, std::array<std::int64_t, kPageChunks>& to) const {
    return kernels().toDecimal(doubles_.data(), chunks_.size(), kPowersOfTen[places], to.data()) ==
           chunks_.size();
  }
  // The most decimal places that any field needs, among fields that have an exact decimal form.
  void findPlaces() {
    places_ = 0;
    std::array<std::int64_t, kPageChunks> unused;
    for (const Field field : kPlainNumbers) {
      gatherNumbers(field);
      unsigned needed = 0;
      while (needed <= kPlacesTried && !haveMantissas(needed, unused)) ++needed;
      if (needed <= kPlacesTried) places_ = std::max(places_, needed);
    }
  }
  // Leaves the numbers in `doubles_`.
  bool mantissas(Field field, std::array<std::int64_t, kPageChunks>& to) {
    gatherNumbers(field);
    return haveMantissas(places_, to);
  }

  // A sum is rarely the double nearest to a decimal, but nearly always a few ulps from it.
  bool sums() {
    Integers ulps{};
    bool isDecimal = true;
    for (std::size_t i = 0; i < chunks_.size() && isDecimal; ++i) {
      const ChunkSummary& summary = chunks_[i].summary;
      values_[i] = 0;
      if (hasPlainNan(summary)) continue;
      const double scaled = summary.sum * kPowersOfTen[places_];
      isDecimal = std::fabs(scaled) < 0x1p62;
      if (!isDecimal) break;
      const auto mantissa = static_cast<std::int64_t>(std::nearbyint(scaled));
      const double back = static_cast<double>(mantissa) / kPowersOfTen[places_];
      const auto off = static_cast<std::int64_t>(std::bit_cast<std::uint64_t>(summary.sum) -
                                                 std::bit_cast<std::uint64_t>(back));
      isDecimal = off <= kUlpsMax && off >= -kUlpsMax;
      values_[i] = static_cast<std::uint64_t>(mantissa);
      ulps[i] = static_cast<std::uint64_t>(off);
    }
    if (!isDecimal) {
      ulps = {};
      gather([](const ChunkEntry& chunk) {
        return std::bit_cast<std::uint64_t>(hasPlainNan(chunk.summary) ? 0.0 : chunk.summary.sum);
      });
    }
    pack(kSum);
    values_ = ulps;
    pack(kUlps);
    return isDecimal;
  }

  void rests() {
    int shift = ChunkSummary::kRestBits - 1;
    for (const ChunkEntry& chunk : chunks_) {
      const std::int64_t rest = chunk.summary.rest();
      if (rest != 0) shift = std::min(shift, std::countr_zero(static_cast<std::uint64_t>(rest)));
    }
    put<std::uint8_t>(kRestShiftAt, static_cast<std::uint8_t>(shift));
    gather([shift](const ChunkEntry& chunk) {
      return hasPlainNan(chunk.summary) ? 0 : chunk.summary.rest() >> shift;
    });
    pack(kRest);
  }

  ByteBuffer& out_;
  const std::span<const ChunkEntry> chunks_;
  const std::size_t begin_;
  unsigned places_ = 0;
  Integers values_{};
  std::array<double, kPageChunks> doubles_{};
  std::array<std::int64_t, kPageChunks> first_{};
  std::array<Integers, kFieldCount> packed_{};
  std::array<unsigned, kFieldCount> widths_{};
};

}  // namespace
}  // namespace page_format

PageBounds appendPage(ByteBuffer& out, std::span<const ChunkEntry> chunks, std::uint32_t bareCrc) {
  CHECK(!chunks.empty() && chunks.size() <= kPageChunks);
  return page_format::PageWriter(out, chunks).write(bareCrc);
}

}  // namespace seriesdb
