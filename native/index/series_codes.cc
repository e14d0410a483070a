#include "index/series_codes.h"

#include <algorithm>
#include <optional>
#include <shared_mutex>

#include "index/series_tables.h"

namespace seriesdb {
namespace {

constexpr std::uint32_t kMissing = TextCodes::kMissing;
// From 1/kTableShare of all numbers on, a table of all is cheaper than sorting.
constexpr std::size_t kTableShare = 16;
// The numbers walked under one lock, before other users get a turn.
constexpr std::size_t kWalkedPerLock = 1024;
// From 1/kWalkShare of all numbers on, walking all sorted ones is cheaper than sorting.
constexpr std::size_t kWalkShare = 16;

// The distinct values of some numbers, ascending, and the place of each.
class DistinctNumbers {
 public:
  static constexpr std::uint32_t kNowhere = UINT32_MAX;

  // REQUIRES: all numbers except kMissing are below `total`.
  DistinctNumbers(const std::vector<std::uint32_t>& numbers, std::size_t total) {
    if (numbers.size() >= total / kTableShare) {
      placeOf_.assign(total, kNowhere);
      for (const std::uint32_t number : numbers) {
        if (number != kMissing) placeOf_[number] = 0;
      }
      for (std::uint32_t number = 0; number < total; ++number) {
        if (placeOf_[number] == kNowhere) continue;
        placeOf_[number] = static_cast<std::uint32_t>(all_.size());
        all_.push_back(number);
      }
      return;
    }
    all_ = numbers;
    std::sort(all_.begin(), all_.end());
    all_.erase(std::unique(all_.begin(), all_.end()), all_.end());
    if (!all_.empty() && all_.back() == kMissing) all_.pop_back();
  }

  const std::vector<std::uint32_t>& all() const { return all_; }
  std::uint32_t placeOf(std::uint32_t number) const {
    if (!placeOf_.empty()) return number < placeOf_.size() ? placeOf_[number] : kNowhere;
    const auto found = std::lower_bound(all_.begin(), all_.end(), number);
    if (found == all_.end() || *found != number) return kNowhere;
    return static_cast<std::uint32_t>(found - all_.begin());
  }

 private:
  std::vector<std::uint32_t> all_;
  // By number; empty if there are too few numbers for a table.
  std::vector<std::uint32_t> placeOf_;
};

// Sorts the distinct numbers by their texts.
template <typename TextOf>
void rankByText(const DistinctNumbers& distinct, const SeriesTables& tables,
                const SortedNumbers& sorted, const TextOf& textOf,
                std::vector<std::uint32_t>& byText) {
  std::size_t all = 0;
  {
    const std::shared_lock lock(tables.mutex);
    all = sorted.count();
  }
  byText = distinct.all();
  if (byText.size() < all / kWalkShare) {
    std::sort(byText.begin(), byText.end(),
              [&](std::uint32_t a, std::uint32_t b) { return textOf(a) < textOf(b); });
    return;
  }
  byText.clear();
  std::optional<std::string_view> last;
  for (bool isEnd = false; !isEnd;) {
    const std::shared_lock lock(tables.mutex);
    auto place =
        sorted.firstNot([&](std::uint32_t number) { return last && textOf(number) <= *last; });
    for (std::size_t i = 0; i < kWalkedPerLock && !sorted.isEnd(place); ++i) {
      const std::uint32_t number = sorted[place];
      if (distinct.placeOf(number) != DistinctNumbers::kNowhere) byText.push_back(number);
      place = sorted.after(place);
      if (i + 1 == kWalkedPerLock) last = textOf(number);
    }
    isEnd = sorted.isEnd(place) || byText.size() == distinct.all().size();
  }
}

// REQUIRES: all numbers except kMissing are below `total`.
template <typename TextOf>
TextCodes encode(std::vector<std::uint32_t> numbers, std::size_t total, const SeriesTables& tables,
                 const SortedNumbers& sorted, const TextOf& textOf) {
  const DistinctNumbers distinct(numbers, total);
  std::vector<std::uint32_t> byText;
  rankByText(distinct, tables, sorted, textOf, byText);
  TextCodes made;
  made.texts.reserve(byText.size());
  std::vector<std::uint32_t> rankOf(byText.size());
  for (std::uint32_t rank = 0; rank < byText.size(); ++rank) {
    rankOf[distinct.placeOf(byText[rank])] = rank;
    const std::string_view text = textOf(byText[rank]);
    made.texts.push_back(text.data() == nullptr ? std::string_view("") : text);
  }
  // Neighbours often have the same text.
  std::uint32_t lastNumber = kMissing;
  std::uint32_t lastCode = kMissing;
  for (std::uint32_t& number : numbers) {
    if (number != lastNumber) {
      lastNumber = number;
      lastCode = number == kMissing ? kMissing : rankOf[distinct.placeOf(number)];
    }
    number = lastCode;
  }
  made.codes = std::move(numbers);
  return made;
}

}  // namespace

TextCodes codeNames(const SeriesTables& tables, std::span<const SeriesRef> refs) {
  std::vector<std::uint32_t> numbers(refs.size());
  std::uint32_t end = 0;
  for (std::size_t i = 0; i < refs.size(); ++i) {
    if (i + kSeriesAhead < refs.size()) __builtin_prefetch(&tables.series[refs[i + kSeriesAhead]]);
    numbers[i] = tables.series[refs[i]].name;
    end = std::max(end, numbers[i] + 1);
  }
  return encode(std::move(numbers), end, tables, tables.names.sorted(),
                [&tables](std::uint32_t name) { return tables.names.textOf(name); });
}

TextCodes codeLabel(const SeriesTables& tables, std::string_view key,
                    std::span<const SeriesRef> refs) {
  std::vector<std::uint32_t> numbers(refs.size(), kMissing);
  std::uint32_t keyNumber = RefTable::kNone;
  {
    const std::shared_lock lock(tables.mutex);
    keyNumber = tables.keys.find(key);
  }
  if (keyNumber == RefTable::kNone) return {{}, std::move(numbers)};
  std::uint32_t end = 0;
  for (std::size_t i = 0; i < refs.size(); ++i) {
    if (i + kSeriesAhead < refs.size()) __builtin_prefetch(&tables.series[refs[i + kSeriesAhead]]);
    for (const std::uint32_t pair : tables.pairsOf(refs[i])) {
      if (tables.pairs.keyOf(pair) != keyNumber) continue;
      numbers[i] = pair;
      end = std::max(end, pair + 1);
      break;
    }
  }
  return encode(std::move(numbers), end, tables, tables.keys.pairsOf(keyNumber),
                [&tables](std::uint32_t pair) { return tables.pairs.labelOf(pair).value; });
}

}  // namespace seriesdb
