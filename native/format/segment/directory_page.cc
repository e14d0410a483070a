// Reads the pages of a directory.
#include "format/segment/directory_page.h"

#include <algorithm>
#include <array>
#include <limits>

namespace seriesdb {

namespace {

void setPlainNan(ChunkSummary& summary) {
  summary.min = summary.max = summary.sum = std::numeric_limits<double>::quiet_NaN();
  summary.setRest(ChunkSummary::kNoRest);
}

}  // namespace

DirectoryPage::Places DirectoryPage::placesOf(SeriesRef ref) const {
  using namespace page_format;
  const std::size_t count = chunkCount();
  // Loaded once: if the page is lost meanwhile, the step reads as 0, which must not be a divisor.
  const std::uint32_t step = evenStep();
  if (step != 0) {
    const auto first = static_cast<SeriesRef>(baseOf(kRef));
    const SeriesRef ahead = ref - first;
    if (ref < first || (step != 1 && ahead % step != 0)) return {0, 0};
    const std::size_t i = step == 1 ? ahead : ahead / step;
    return i < count ? Places{i, i + 1} : Places{0, 0};
  }
  const auto partition = [this, count](std::size_t from, auto isBefore) {
    std::size_t length = count - from;
    while (length > 0) {
      const std::size_t half = length / 2;
      const bool goesOn = isBefore(refAt(from + half));
      from += goesOn ? half + 1 : 0;
      length = goesOn ? length - half - 1 : half;
    }
    return from;
  };
  const std::size_t begin = partition(0, [ref](SeriesRef one) { return one < ref; });
  if (begin == count || refAt(begin) != ref) return {begin, begin};
  if (begin + 1 == count || refAt(begin + 1) != ref) return {begin, begin + 1};
  return {begin, partition(begin + 2, [ref](SeriesRef one) { return one <= ref; })};
}

// Separate from the stores to the entry, so that no store comes between the loads.
DirectoryPage::Fields DirectoryPage::packedFieldsAt(std::size_t i) const {
  using namespace page_format;
  const std::size_t rowBits = this->rowBits();
  const std::size_t row = i * rowBits;
  Fields packed;
  if (rowBits <= kWidthMax) {
    const auto word = loadLe<std::uint64_t>(page_ + kHeadSize + row / 8) >> (row % 8);
    for (std::uint8_t field = 0; field < kFieldCount; ++field) {
      const std::size_t place = placeInRow(Field{field}) % kWordWidth;
      packed[field] = word >> place & kMasks[widthOf(Field{field})];
    }
    return packed;
  }
  for (std::uint8_t field = 0; field < kFieldCount; ++field) {
    packed[field] = packedInRow(Field{field}, row);
  }
  return packed;
}

void DirectoryPage::readNumbers(const Fields& packed, ChunkSummary& summary) const {
  using namespace page_format;
  const auto value = [&](Field field) { return baseOf(field) + packed[field]; };
  const std::uint64_t first = isRaw(kFirst) ? 0 : value(kFirst);
  const double power = kPowersOfTen[page_[kPlacesAt]];
  const auto number = [&](Field field, std::uint64_t mantissa) {
    if (isRaw(field)) return std::bit_cast<double>(value(field));
    return static_cast<double>(static_cast<std::int64_t>(mantissa)) / power;
  };
  const double firstNumber = number(kFirst, first);
  const double last = number(kLast, first + value(kLast));
  const double min = number(kMin, first - value(kMin));
  const double max = number(kMax, first + value(kMax));
  const double told = number(kSum, value(kSum));
  const std::uint64_t ulps = value(kUlps);
  const std::uint64_t rest = value(kRest) << page_[kRestShiftAt];
  summary.first = firstNumber;
  summary.last = last;
  summary.min = min;
  summary.max = max;
  summary.sum = std::bit_cast<double>(std::bit_cast<std::uint64_t>(told) + ulps);
  summary.setRest(static_cast<std::int64_t>(rest));
}

void DirectoryPage::read(std::size_t i, ChunkEntry& entry) const {
  using namespace page_format;
  const Fields packed = packedFieldsAt(i);
  const std::uint64_t end = offsetAt(i + 1);
  const auto refStep = loadLe<std::uint32_t>(page_ + kRefStepAt);
  const auto offsetStep = loadLe<std::uint32_t>(page_ + kOffsetStepAt);
  const auto unit = loadLe<std::uint64_t>(page_ + kTimeUnitAt);
  const std::uint64_t offset = baseOf(kOffset) + packed[kOffset] + offsetStep * std::uint64_t{i};
  const std::uint64_t tsMin = baseOf(kTsMin) + packed[kTsMin] * unit;
  const std::uint64_t length = baseOf(kLength) + packed[kLength] * unit;
  const std::uint64_t codecs = baseOf(kCodecs) + packed[kCodecs];
  const std::uint64_t count = baseOf(kCount) + packed[kCount];
  entry.series = static_cast<SeriesRef>(baseOf(kRef) + packed[kRef] + refStep * std::uint64_t{i});
  entry.size = static_cast<std::uint32_t>(end - offset);
  entry.offset = offset;
  ChunkSummary& summary = entry.summary;
  summary.tsMin = static_cast<Timestamp>(tsMin);
  summary.tsMax = static_cast<Timestamp>(tsMin + length);
  summary.count = static_cast<std::uint16_t>(count);
  summary.valueCodec = static_cast<ValueCodec>(codecs & kValueCodecMask);
  summary.timestampCodec = static_cast<TimestampCodec>(codecs >> kTimestampCodecShift);
  readNumbers(packed, summary);
  if ((codecs & kNanFlag) != 0) setPlainNan(summary);
}

namespace page_format {

// Reads several entries of a page, field by field.
class PageRows {
 public:
  PageRows(const DirectoryPage& page, std::span<const std::uint16_t> rows,
           std::span<ChunkEntry> entries)
      : page_(page), rows_(rows), entries_(entries) {}

  void read() {
    const auto refStep = loadLe<std::uint32_t>(page_.page_ + kRefStepAt);
    load(kRef);
    each([&](ChunkEntry& entry, std::size_t i) {
      entry.series = static_cast<SeriesRef>(values_[i] + refStep * std::uint64_t{rows_[i]});
    });
    readPlaces();
    readTimes();
    readCodecs();
    readNumbers();
    readSums();
  }

 private:
  using Values = std::array<std::uint64_t, kPageChunks>;

  template <typename Set>
  void each(Set set) {
    for (std::size_t i = 0; i < entries_.size(); ++i) set(entries_[i], i);
  }
  // Loads a field into `values_`, base included.
  void load(Field field, std::uint64_t unit = 1) {
    const unsigned width = page_.widthOf(field);
    const std::uint64_t base = page_.baseOf(field);
    if (width == 0) {
      std::fill_n(values_.begin(), entries_.size(), base);
      return;
    }
    const std::size_t rowBits = page_.rowBits();
    const std::uint8_t* rows = page_.page_ + kHeadSize;
    const std::uint64_t mask = kMasks[width];
    const std::size_t place = page_.placeInRow(field);
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      const std::size_t bit = rows_[i] * rowBits + place;
      const std::uint64_t word = loadLe<std::uint64_t>(rows + bit / 8) >> (bit % 8);
      values_[i] = base + (word & mask) * unit;
    }
  }

  void readPlaces() {
    const auto step = loadLe<std::uint32_t>(page_.page_ + kOffsetStepAt);
    load(kOffset);
    each([&](ChunkEntry& entry, std::size_t i) {
      entry.offset = values_[i] + step * std::uint64_t{rows_[i]};
    });
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      const bool isNextThere = i + 1 < entries_.size() && rows_[i + 1] == rows_[i] + 1;
      const std::uint64_t end =
          isNextThere ? entries_[i + 1].offset : page_.offsetAt(rows_[i] + std::size_t{1});
      entries_[i].size = static_cast<std::uint32_t>(end - entries_[i].offset);
    }
  }
  void readTimes() {
    const auto unit = loadLe<std::uint64_t>(page_.page_ + kTimeUnitAt);
    load(kTsMin, unit);
    each([&](ChunkEntry& entry, std::size_t i) {
      entry.summary.tsMin = static_cast<Timestamp>(values_[i]);
    });
    load(kLength, unit);
    each([&](ChunkEntry& entry, std::size_t i) {
      const auto tsMin = static_cast<std::uint64_t>(entry.summary.tsMin);
      entry.summary.tsMax = static_cast<Timestamp>(tsMin + values_[i]);
    });
  }
  void readCodecs() {
    load(kCount);
    each([&](ChunkEntry& entry, std::size_t i) {
      entry.summary.count = static_cast<std::uint16_t>(values_[i]);
    });
    load(kCodecs);
    each([&](ChunkEntry& entry, std::size_t i) {
      const std::uint64_t codecs = values_[i];
      entry.summary.valueCodec = static_cast<ValueCodec>(codecs & kValueCodecMask);
      entry.summary.timestampCodec = static_cast<TimestampCodec>(codecs >> kTimestampCodecShift);
    });
    std::copy_n(values_.begin(), entries_.size(), codecs_.begin());
  }
  // Turns `values_`, mantissas relative to those in `first_`, into doubles.
  void toDoubles(Field field) {
    const std::uint64_t sign = field == kMin ? ~std::uint64_t{0} : 0;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      // The difference if the sign is set, else the sum.
      values_[i] = first_[i] + ((values_[i] ^ sign) - sign);
    }
    for (std::size_t at = 0; at < entries_.size(); at += kBlockSize) {
      kernels().decimalFor(values_.data() + at, 0, power_, doubles_.data() + at);
    }
  }
  template <double ChunkSummary::*kNumber>
  void readNumber(Field field) {
    load(field);
    if (page_.isRaw(field)) {
      each([&](ChunkEntry& entry, std::size_t i) {
        entry.summary.*kNumber = std::bit_cast<double>(values_[i]);
      });
      return;
    }
    toDoubles(field);
    each([&](ChunkEntry& entry, std::size_t i) { entry.summary.*kNumber = doubles_[i]; });
  }
  void readNumbers() {
    readNumber<&ChunkSummary::first>(kFirst);
    if (!page_.isRaw(kFirst)) std::copy_n(values_.begin(), entries_.size(), first_.begin());
    readNumber<&ChunkSummary::last>(kLast);
    readNumber<&ChunkSummary::min>(kMin);
    readNumber<&ChunkSummary::max>(kMax);
    std::fill_n(first_.begin(), entries_.size(), 0);
    readNumber<&ChunkSummary::sum>(kSum);
  }
  void readSums() {
    load(kUlps);
    each([&](ChunkEntry& entry, std::size_t i) {
      const auto told = std::bit_cast<std::uint64_t>(entry.summary.sum);
      entry.summary.sum = std::bit_cast<double>(told + values_[i]);
    });
    load(kRest);
    const unsigned shift = page_.page_[kRestShiftAt];
    each([&](ChunkEntry& entry, std::size_t i) {
      entry.summary.setRest(static_cast<std::int64_t>(values_[i] << shift));
      if ((codecs_[i] & kNanFlag) != 0) setPlainNan(entry.summary);
    });
  }

  const DirectoryPage& page_;
  const std::span<const std::uint16_t> rows_;
  const std::span<ChunkEntry> entries_;
  const double power_ = kPowersOfTen[page_.page_[kPlacesAt]];
  Values values_{};
  Values first_{};
  Values codecs_;
  std::array<double, kPageChunks> doubles_;
};

}  // namespace page_format

void DirectoryPage::readRows(std::span<const std::uint16_t> rows,
                             std::span<ChunkEntry> entries) const {
  page_format::PageRows(*this, rows, entries).read();
}

void DirectoryPage::readAll(std::span<ChunkEntry> entries) const {
  static constexpr auto kAllRows = [] {
    std::array<std::uint16_t, kPageChunks> rows{};
    for (std::size_t i = 0; i < kPageChunks; ++i) rows[i] = static_cast<std::uint16_t>(i);
    return rows;
  }();
  readRows(std::span(kAllRows).first(entries.size()), entries);
}

}  // namespace seriesdb
