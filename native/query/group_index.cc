#include "query/group_index.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace seriesdb {
namespace {

// The key's text of the series; its data is null where the label is missing.
std::string_view textOf(const SeriesIndex& index, SeriesRef ref, const GroupKey& key,
                        std::vector<Label>& scratch) {
  if (key.kind == KeyKind::kMetric) return index.nameOf(ref);
  index.labelsOf(ref, scratch);
  for (const Label& label : scratch) {
    if (label.key == key.label) {
      return label.value.data() == nullptr ? std::string_view("") : label.value;
    }
  }
  return {};
}

// Codes of the series by place, as ranks among the distinct texts.
KeyColumn encodeTexts(const SeriesIndex& index, const std::vector<SeriesRef>& refs,
                      const GroupKey& key) {
  KeyColumn column;
  std::unordered_map<std::string_view, std::uint32_t> known;
  std::vector<Label> scratch;
  column.codes.reserve(refs.size());
  for (const SeriesRef ref : refs) {
    const std::string_view text = textOf(index, ref, key, scratch);
    if (text.data() == nullptr) {
      column.codes.push_back(KeyColumn::kMissing);
      continue;
    }
    const auto next = static_cast<std::uint32_t>(column.texts.size());
    const auto [found, isNew] = known.try_emplace(text, next);
    if (isNew) column.texts.push_back(text);
    column.codes.push_back(found->second);
  }
  std::vector<std::uint32_t> order(column.texts.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&column](std::uint32_t a, std::uint32_t b) {
    return column.texts[a] < column.texts[b];
  });
  std::vector<std::uint32_t> rankOf(order.size());
  std::vector<std::string_view> sorted;
  for (std::uint32_t rank = 0; rank < order.size(); ++rank) {
    rankOf[order[rank]] = rank;
    sorted.push_back(column.texts[order[rank]]);
  }
  for (std::uint32_t& code : column.codes) {
    if (code != KeyColumn::kMissing) code = rankOf[code];
  }
  column.texts = std::move(sorted);
  return column;
}

// Splits the groups by the codes of one more key.
void refine(GroupIndex& groups, const std::vector<std::uint32_t>& codes) {
  std::unordered_map<std::uint64_t, std::uint32_t> known;
  for (std::size_t place = 0; place < codes.size(); ++place) {
    const std::uint64_t pair = std::uint64_t{groups.groupOf[place]} << 32 | codes[place];
    const auto next = static_cast<std::uint32_t>(known.size());
    groups.groupOf[place] = known.try_emplace(pair, next).first->second;
  }
  groups.groupCount = static_cast<std::uint32_t>(known.size());
}

}  // namespace

GroupIndex groupSeries(const SeriesIndex& index, const std::vector<SeriesRef>& refs,
                       const std::vector<GroupKey>& keys) {
  GroupIndex groups;
  groups.groupCount = 1;
  groups.groupOf.assign(refs.size(), 0);
  for (const GroupKey& key : keys) {
    KeyColumn& column = groups.keys.emplace_back();
    if (key.kind == KeyKind::kBucket) continue;
    if (key.kind == KeyKind::kSeriesId) {
      column.codes.resize(refs.size());
      std::iota(column.codes.begin(), column.codes.end(), 0u);
    } else {
      column = encodeTexts(index, refs, key);
    }
    refine(groups, column.codes);
  }
  // From codes by series to codes by group.
  for (KeyColumn& column : groups.keys) {
    if (column.codes.empty()) continue;
    std::vector<std::uint32_t> byGroup(groups.groupCount);
    for (std::size_t place = 0; place < refs.size(); ++place) {
      byGroup[groups.groupOf[place]] = column.codes[place];
    }
    column.codes = std::move(byGroup);
  }
  return groups;
}

}  // namespace seriesdb
