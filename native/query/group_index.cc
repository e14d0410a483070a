#include "query/group_index.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "query/keys/key_word.h"

namespace seriesdb {
namespace {

// Encodes the series' ids as ranks, indexed by place.
KeyColumn encodeIds(const SeriesIndex& index, const std::vector<SeriesRef>& refs) {
  std::vector<std::pair<SeriesId, std::uint32_t>> order;
  order.reserve(refs.size());
  for (std::uint32_t place = 0; place < refs.size(); ++place) {
    order.emplace_back(index.idOf(refs[place]), place);
  }
  std::sort(order.begin(), order.end());
  KeyColumn column;
  column.ids.reserve(refs.size());
  column.codes.resize(refs.size());
  for (std::uint32_t rank = 0; rank < order.size(); ++rank) {
    column.ids.push_back(order[rank].first);
    column.codes[order[rank].second] = rank;
  }
  return column;
}

KeyValue valueAt(const SeriesColumn& column, std::size_t place) {
  switch (column.type) {
    case RegisterType::kInteger:
      return {column.nulls[place] != 0, wordOfInteger(column.integers[place])};
    case RegisterType::kFloat: {
      const bool isNull = std::isnan(column.floats[place]);
      return {isNull, isNull ? 0 : wordOfDouble(column.floats[place])};
    }
    case RegisterType::kBoolean:
      break;
  }
  return {column.booleans[place] == kUnknown, column.booleans[place]};
}

// Encodes numbers as their ranks. Texts come with their codes as values.
KeyColumn encodeColumn(const AggregatePlan& plan, const KeyValues& key) {
  KeyColumn column;
  column.texts.assign(key.texts.begin(), key.texts.end());
  const std::vector<std::uint32_t>& places = plan.read.places;
  if (!key.isText) {
    for (const std::uint32_t place : places) {
      const auto [isNull, word] = valueAt(key.values, place);
      if (!isNull) column.words.push_back(word);
    }
    std::sort(column.words.begin(), column.words.end());
    column.words.erase(std::unique(column.words.begin(), column.words.end()), column.words.end());
  }
  column.codes.reserve(places.size());
  for (const std::uint32_t place : places) {
    const auto [isNull, word] = valueAt(key.values, place);
    std::uint32_t code = KeyColumn::kMissing;
    if (!isNull && key.isText) code = static_cast<std::uint32_t>(integerOfWord(word));
    if (!isNull && !key.isText) {
      const auto found = std::lower_bound(column.words.begin(), column.words.end(), word);
      code = static_cast<std::uint32_t>(found - column.words.begin());
    }
    column.codes.push_back(code);
  }
  return column;
}

KeyColumn encodeKey(const SeriesIndex& index, const AggregatePlan& plan, const GroupKey& key) {
  const std::vector<SeriesRef>& refs = plan.read.refs;
  if (key.kind == KeyKind::kColumn) return encodeColumn(plan, plan.keyColumns[key.place]);
  if (key.kind == KeyKind::kSeriesId) return encodeIds(index, refs);
  TextCodes texts =
      key.kind == KeyKind::kMetric ? index.codeNames(refs) : index.codeLabel(key.label, refs);
  return {std::move(texts.texts), {}, {}, std::move(texts.codes)};
}

// Splits the groups by one more key. Its codes are below `codeCount` or missing.
void refine(GroupIndex& groups, const std::vector<std::uint32_t>& codes, std::size_t codeCount) {
  const std::size_t width = codeCount + 1;
  const auto numberOf = [&](std::size_t place) {
    const std::size_t code = std::min<std::size_t>(codes[place], codeCount);
    return std::uint64_t{groups.groupOf[place]} * width + code;
  };
  // If all possible pairs are at most kGroupTableShare times the series, count them in a table.
  constexpr std::uint64_t kGroupTableShare = 16;
  const std::uint64_t total = std::uint64_t{groups.groupCount} * width;
  if (total / kGroupTableShare <= codes.size()) {
    std::vector<std::uint32_t> rankOf(static_cast<std::size_t>(total));
    for (std::size_t place = 0; place < codes.size(); ++place) rankOf[numberOf(place)] = 1;
    std::uint32_t count = 0;
    for (std::uint32_t& rank : rankOf) rank = rank == 0 ? 0 : count++;
    for (std::size_t place = 0; place < codes.size(); ++place) {
      groups.groupOf[place] = rankOf[numberOf(place)];
    }
    groups.groupCount = count;
    return;
  }
  std::vector<std::uint64_t> distinct(codes.size());
  for (std::size_t place = 0; place < codes.size(); ++place) distinct[place] = numberOf(place);
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  for (std::size_t place = 0; place < codes.size(); ++place) {
    const auto found = std::lower_bound(distinct.begin(), distinct.end(), numberOf(place));
    groups.groupOf[place] = static_cast<std::uint32_t>(found - distinct.begin());
  }
  groups.groupCount = static_cast<std::uint32_t>(distinct.size());
}

}  // namespace

GroupIndex groupSeries(const SeriesIndex& index, const AggregatePlan& plan) {
  const std::vector<SeriesRef>& refs = plan.read.refs;
  GroupIndex groups;
  groups.groupCount = 1;
  groups.groupOf.assign(refs.size(), 0);
  for (const GroupKey& key : plan.keys) {
    KeyColumn& column = groups.keys.emplace_back();
    if (key.kind == KeyKind::kBucket || key.kind == KeyKind::kExpression) continue;
    column = encodeKey(index, plan, key);
    const std::size_t values = column.ids.size() + column.words.size();
    refine(groups, column.codes, std::max(column.texts.size(), values));
  }
  // Turn codes by series into codes by group.
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
