#include "query/promql/label_table.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

namespace seriesdb {
namespace {

// Neighbouring series mostly have the same keys, in the same order and at the same address.
std::set<std::string_view> keysOf(const SeriesIndex& index, std::span<const SeriesRef> refs) {
  std::set<std::string_view> keys;
  std::vector<Label> labels;
  std::vector<Label> before;
  for (const SeriesRef ref : refs) {
    index.labelsOf(ref, labels);
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const bool isKnown = i < before.size() && before[i].key.data() == labels[i].key.data() &&
                           before[i].key.size() == labels[i].key.size();
      if (!isKnown) keys.insert(labels[i].key);
    }
    before.swap(labels);
  }
  return keys;
}

// An empty text counts as absent; it would be the first.
LabelColumn columnOf(std::string_view key, TextCodes coded) {
  LabelColumn column{std::string(key), std::move(coded.texts), std::move(coded.codes)};
  const bool hasEmpty = !column.texts.empty() && column.texts.front().empty();
  if (hasEmpty) column.texts.erase(column.texts.begin());
  for (std::uint32_t& code : column.codes) {
    code = code == TextCodes::kMissing ? 0 : code + (hasEmpty ? 0 : 1);
  }
  return column;
}

LabelTable tableOf(const SeriesIndex& index, std::span<const SeriesRef> refs,
                   const std::set<std::string_view>& keys) {
  LabelTable table;
  for (const std::string_view key : keys) {
    TextCodes coded = key == kMetricKey ? index.codeNames(refs) : index.codeLabel(key, refs);
    LabelColumn column = columnOf(key, std::move(coded));
    if (!column.texts.empty()) table.columns.push_back(std::move(column));
  }
  return table;
}

// Numbers pairs of numbers densely, in the order of their arrival.
class PairNumbers {
 public:
  // `first` is below firstCount, `second` below secondCount.
  PairNumbers(std::uint64_t firstCount, std::uint64_t secondCount) : secondCount_(secondCount) {
    constexpr std::uint64_t kDenseMax = std::uint64_t{1} << 20;
    if (firstCount * secondCount <= kDenseMax) dense_.assign(firstCount * secondCount, kNone);
  }
  std::uint32_t count() const { return count_; }
  std::uint32_t of(std::uint32_t first, std::uint32_t second) {
    const std::uint64_t pair = first * secondCount_ + second;
    std::uint32_t& number =
        dense_.empty() ? sparse_.try_emplace(pair, kNone).first->second : dense_[pair];
    if (number == kNone) number = count_++;
    return number;
  }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  const std::uint64_t secondCount_;
  std::vector<std::uint32_t> dense_;
  std::unordered_map<std::uint64_t, std::uint32_t> sparse_;
  std::uint32_t count_ = 0;
};

}  // namespace

std::uint64_t LabelTable::bytes() const {
  std::uint64_t bytes = 0;
  for (const LabelColumn& column : columns) {
    bytes += column.codes.capacity() * sizeof(column.codes[0]) +
             column.texts.capacity() * sizeof(column.texts[0]);
  }
  return bytes;
}

LabelTable labelsOfSeries(const SeriesIndex& index, std::span<const SeriesRef> refs) {
  std::set<std::string_view> keys = keysOf(index, refs);
  keys.insert(kMetricKey);
  return tableOf(index, refs, keys);
}

LabelTable labelsOfSeries(const SeriesIndex& index, std::span<const SeriesRef> refs,
                          const LabelChoice& choice) {
  std::set<std::string_view> keys;
  if (choice.isBy) {
    keys.insert(choice.keys.begin(), choice.keys.end());
  } else {
    keys = keysOf(index, refs);
    keys.erase(kMetricKey);
    for (const std::string& key : choice.keys) keys.erase(key);
  }
  return tableOf(index, refs, keys);
}

RowGroups groupsOf(const LabelTable& table, std::size_t rowCount) {
  RowGroups groups;
  groups.groupOf.assign(rowCount, 0);
  std::uint32_t count = 1;
  for (const LabelColumn& column : table.columns) {
    PairNumbers numbers(count, column.texts.size() + 1);
    for (std::size_t row = 0; row < rowCount; ++row) {
      groups.groupOf[row] = numbers.of(groups.groupOf[row], column.codes[row]);
    }
    count = numbers.count();
  }
  for (std::uint32_t row = 0; row < rowCount; ++row) {
    if (groups.groupOf[row] == groups.firstOf.size()) groups.firstOf.push_back(row);
  }
  return groups;
}

}  // namespace seriesdb
