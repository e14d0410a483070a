// Checks whether bytes are a page of a directory.
#include <algorithm>

#include "format/segment/directory_page.h"
#include "format/segment/row_plan.h"

namespace seriesdb {

namespace page_format {

// The checks of isPage(), one after the other.
class PageCheck {
 public:
  PageCheck(Bytes bytes, const PageBounds& bounds, ChunkArea area)
      : bytes_(bytes), bounds_(bounds), area_(area), page_(bytes.data()) {}

  bool run() {
    if (!isFramed()) return false;
    for (std::size_t i = 0; i < bounds_.chunkCount; ++i) {
      if (!isEntry(i)) return false;
    }
    return tsMin_ == bounds_.tsMin && tsMax_ == bounds_.tsMax;
  }

 private:
  // Checks that head, rows and end mark fill the page.
  bool isFramed() const {
    const std::uint8_t* head = bytes_.data();
    if (bytes_.size() < kHeadSize + kEndMarkSize) return false;
    const std::size_t count = page_.chunkCount();
    if (count == 0 || count > kPageChunks || count != bounds_.chunkCount) return false;
    if (head[kPlacesAt] > kDecimalPlacesMax || head[kFlagsAt] > kFlagsMax) return false;
    if (head[kRestShiftAt] >= ChunkSummary::kRestBits) return false;
    for (std::uint8_t field = 0; field < kFieldCount; ++field) {
      const unsigned width = page_.widthOf(Field{field});
      if (width > kWidthMax && width != kWordWidth) return false;
    }
    const RowPlan plan = planRow([this](Field field) { return page_.widthOf(field); });
    if (page_.rowBits() != plan.bits) return false;
    for (std::uint8_t field = 0; field < kFieldCount; ++field) {
      if (page_.placeInRow(Field{field}) != plan.places[field]) return false;
    }
    const std::size_t end = kHeadSize + sizeOfRows(plan, count);
    return end + kEndMarkSize == bytes_.size() && loadLe<std::uint32_t>(head + end) == kEndMark;
  }

  bool isEntry(std::size_t i) {
    const std::uint64_t count = page_.at(kCount, i);
    if (count == 0 || count > kChunkSamplesMax) return false;
    return isCodec(page_.at(kCodecs, i)) && isPlaced(i) && isTimed(i, count) && isSum(i);
  }
  static bool isCodec(std::uint64_t codecs) {
    return (codecs & kValueCodecMask) <= kValueCodecMax &&
           codecs >> kTimestampCodecShift <= kTimestampCodecMax;
  }
  bool isPlaced(std::size_t i) const {
    const std::uint64_t begin = page_.offsetAt(i);
    const std::uint64_t end = page_.offsetAt(i + 1);
    const bool isBare = area_.hasBare && page_.sampleCountAt(i) < kBareSamplesEnd;
    const std::uint64_t least = isBare ? 0 : 1;
    const std::uint64_t most = isBare ? kBareBytesMax : std::numeric_limits<std::uint32_t>::max();
    return begin >= area_.begin && begin <= end && end <= area_.end && end - begin >= least &&
           end - begin <= most;
  }
  // Checks the order by series, then time, the bounds, and a length sufficient for the samples.
  bool isTimed(std::size_t i, std::uint64_t count) {
    const auto step = loadLe<std::uint32_t>(bytes_.data() + kRefStepAt);
    const std::uint64_t ref = page_.at(kRef, i) + step * std::uint64_t{i};
    const Timestamp tsMin = page_.tsMinAt(i);
    const Timestamp tsMax = page_.tsMaxAt(i);
    const std::uint64_t length = page_.timeAt(kLength, i);
    if (ref > std::numeric_limits<SeriesRef>::max() || length < count - 1) return false;
    if (length != 0 && (tsMax <= tsMin || difference(tsMax, tsMin) != length)) return false;
    const bool isInOrder =
        i == 0 ? ref == bounds_.firstRef : ref > ref_ || (ref == ref_ && tsMin > before_);
    ref_ = ref;
    before_ = tsMax;
    tsMin_ = i == 0 ? tsMin : std::min(tsMin_, tsMin);
    tsMax_ = i == 0 ? tsMax : std::max(tsMax_, tsMax);
    return isInOrder;
  }
  bool isSum(std::size_t i) const {
    const auto shift = bytes_[kRestShiftAt];
    const auto rest = static_cast<std::int64_t>(page_.at(kRest, i));
    constexpr std::int64_t kRestMax = -ChunkSummary::kNoRest;
    const std::int64_t most = kRestMax >> shift;
    if (rest > most || rest < -most) return false;
    if (rest == most && most << shift == kRestMax) return false;
    const auto ulps = static_cast<std::int64_t>(page_.at(kUlps, i));
    if (ulps > kUlpsMax || ulps < -kUlpsMax) return false;
    ChunkEntry entry;
    page_.read(i, entry);
    const std::int64_t whole = entry.summary.rest();
    return whole == 0 || whole == ChunkSummary::kNoRest ||
           ChunkSummary::mayHaveRest(entry.summary.sum);
  }

  const Bytes bytes_;
  const PageBounds& bounds_;
  const ChunkArea area_;
  const DirectoryPage page_;
  std::uint64_t ref_ = 0;
  Timestamp before_ = 0;
  Timestamp tsMin_ = 0;
  Timestamp tsMax_ = 0;
};

}  // namespace page_format

bool isPage(Bytes bytes, const PageBounds& bounds, ChunkArea area) {
  return page_format::PageCheck(bytes, bounds, area).run();
}

}  // namespace seriesdb
