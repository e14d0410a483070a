#include "index/selection/series_listing.h"

#include <algorithm>
#include <map>
#include <shared_mutex>
#include <string>
#include <utility>

#include "index/series_tables.h"

namespace seriesdb {

namespace {

// The number of names or values examined under one lock, before other users get a turn.
constexpr std::size_t kListedPerLock = 256;

TimeRange boundsOf(const SeriesBounds& bounds, std::uint32_t number) {
  return bounds.of(number).value_or(TimeRange{0, 0});
}

std::uint32_t keyOf(std::uint32_t key) { return key; }
std::uint32_t keyOf(const NameLabelKey& one) { return one.key; }

template <typename Keys>
std::vector<std::string_view> textsOf(const LabelKeys& keys, const Keys& numbers) {
  std::vector<std::string_view> texts;
  texts.reserve(numbers.size());
  for (const auto& number : numbers) texts.push_back(keys.textOf(keyOf(number)));
  std::sort(texts.begin(), texts.end());
  return texts;
}

// Numbers in the order of their texts.
template <typename TextOf>
struct SortedTexts {
  const SortedNumbers& numbers;
  TextOf textOf;
};
template <typename TextOf>
SortedTexts(const SortedNumbers&, TextOf) -> SortedTexts<TextOf>;

// The beginning of the part.
template <typename TextOf>
SortedNumbers::Position beginOf(const SortedTexts<TextOf>& sorted, const ListPart& part) {
  return sorted.numbers.firstNot([&](std::uint32_t number) {
    const std::string_view text = sorted.textOf(number);
    return part.after && *part.after >= part.prefix ? text <= *part.after : text < part.prefix;
  });
}

// Visits the numbers of the part in order, under the lock, until `visit` returns false. After every
// kListedPerLock numbers it releases the lock and calls `pause`.
template <typename TextOf, typename Visit, typename Pause>
void walk(const SeriesTables& tables, const SortedTexts<TextOf>& sorted, ListPart part,
          const Visit& visit, const Pause& pause) {
  const SortedNumbers& numbers = sorted.numbers;
  for (bool isDone = false; !isDone; pause()) {
    const std::shared_lock lock(tables.mutex);
    auto place = beginOf(sorted, part);
    for (std::size_t step = 0; step < kListedPerLock; ++step, place = numbers.after(place)) {
      isDone = numbers.isEnd(place);
      if (isDone) break;
      part.after = sorted.textOf(numbers[place]);
      isDone = !part.after->starts_with(part.prefix) || !visit(numbers[place]);
      if (isDone) break;
    }
  }
}

template <typename IsWanted>
bool hasAny(const PostingLists& lists, const PostingList& list, const IsWanted& isWanted) {
  std::vector<PostingSpan> spans;
  lists.addSpans(list, spans);
  return std::any_of(spans.begin(), spans.end(), [&](PostingSpan span) {
    return std::any_of(span.begin(), span.end(), isWanted);
  });
}

std::uint32_t countInactive(const SeriesTables& tables, std::span<const PostingSpan> spans,
                            Timestamp before) {
  std::uint32_t count = 0;
  for (const PostingSpan span : spans) {
    for (const SeriesRef ref : span) {
      const auto bounds = tables.bounds.of(ref);
      if (bounds && bounds->end < before) ++count;
    }
  }
  return count;
}

}  // namespace

void sortById(const SeriesTables& tables, std::vector<SeriesRef>& refs, std::size_t countMax) {
  struct Entry {
    SeriesId id;
    SeriesRef ref;
    bool operator<(const Entry& other) const { return id < other.id; }
  };
  std::vector<Entry> entries;
  const bool isCut = countMax < refs.size();
  entries.reserve(isCut ? countMax : refs.size());
  if (countMax == 0) return refs.clear();
  // If cut: a heap of the lowest ids so far, its highest on top. Ids are hashes, so few of many
  // enter the heap.
  for (std::size_t i = 0; i < refs.size(); ++i) {
    if (i + kSeriesAhead < refs.size()) __builtin_prefetch(&tables.series[refs[i + kSeriesAhead]]);
    const Entry entry{tables.series[refs[i]].id, refs[i]};
    if (!isCut || entries.size() < countMax) {
      entries.push_back(entry);
      if (isCut) std::push_heap(entries.begin(), entries.end());
    } else if (entry < entries.front()) {
      std::pop_heap(entries.begin(), entries.end());
      entries.back() = entry;
      std::push_heap(entries.begin(), entries.end());
    }
  }
  std::sort(entries.begin(), entries.end());
  refs.resize(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) refs[i] = entries[i].ref;
}

// Works in rounds, so that each round prefetches the memory of the next one: series, pair numbers,
// pairs, texts.
void describeSeries(const SeriesTables& tables, std::span<const SeriesRef> refs,
                    SeriesBatch& batch) {
  batch.series.clear();
  batch.pairs.clear();
  for (const SeriesRef ref : refs) __builtin_prefetch(&tables.series[ref]);
  for (const SeriesRef ref : refs) {
    __builtin_prefetch(&tables.pairRuns[tables.series[ref].pairsAt]);
    tables.bounds.prefetch(ref);
  }
  for (const SeriesRef ref : refs) {
    for (const std::uint32_t pair : tables.pairsOf(ref)) tables.pairs.prefetch(pair);
  }
  for (const SeriesRef ref : refs) {
    const auto bounds = tables.bounds.of(ref);
    if (!bounds) continue;
    const SeriesEntry& entry = tables.series[ref];
    const auto pairs = tables.pairsOf(ref);
    batch.series.push_back({entry.id, tables.names.textOf(entry.name), *bounds,
                            static_cast<std::uint32_t>(pairs.size())});
    for (const std::uint32_t pair : pairs) {
      batch.pairs.push_back(tables.pairs.canonicalOf(pair));
      __builtin_prefetch(batch.pairs.back().data());
    }
  }
}

std::vector<MetricFacts> listMetrics(const SeriesTables& tables, const ListPart& part,
                                     std::optional<Timestamp> inactiveBefore) {
  std::vector<MetricFacts> all;
  // For partly inactive metrics: their place in `all`, and the lists to count in.
  std::vector<std::pair<std::size_t, std::vector<PostingSpan>>> uncounted;
  const auto visit = [&](std::uint32_t number) {
    const SeriesName& name = tables.names[number];
    if (name.visibleCount == 0) return true;
    if (all.size() >= part.countMax) return false;
    MetricFacts facts{tables.names.textOf(number), name.visibleCount, 0,
                      boundsOf(tables.nameBounds, number), textsOf(tables.keys, name.labelKeys)};
    if (inactiveBefore && facts.bounds.end < *inactiveBefore) {
      facts.inactiveCount = facts.seriesCount;
    } else if (inactiveBefore && facts.bounds.start < *inactiveBefore) {
      tables.lists.addSpans(name.series, uncounted.emplace_back(all.size(), 0).second);
    }
    all.push_back(std::move(facts));
    return true;
  };
  const auto textOf = [&](std::uint32_t number) { return tables.names.textOf(number); };
  walk(tables, SortedTexts{tables.names.sorted(), textOf}, part, visit, [&] {
    for (const auto& [at, spans] : uncounted) {
      // Not more than seriesCount, in case series became visible meanwhile.
      all[at].inactiveCount =
          std::min(all[at].seriesCount, countInactive(tables, spans, *inactiveBefore));
    }
    uncounted.clear();
  });
  return all;
}

std::vector<MetricFacts> groupByMetric(const SeriesTables& tables, std::span<const SeriesRef> refs,
                                       std::optional<Timestamp> inactiveBefore) {
  struct Group {
    MetricFacts facts;
    std::vector<std::uint32_t> keys;  // Numbers, ascending.
  };
  std::map<std::uint32_t, Group> groups;
  for (std::size_t i = 0; i < refs.size(); ++i) {
    if (i + kSeriesAhead < refs.size()) __builtin_prefetch(&tables.series[refs[i + kSeriesAhead]]);
    const auto bounds = tables.bounds.of(refs[i]);
    if (!bounds) continue;
    Group& group = groups[tables.series[refs[i]].name];
    TimeRange& all = group.facts.bounds;
    if (group.facts.seriesCount++ == 0) all = *bounds;
    all = {std::min(all.start, bounds->start), std::max(all.end, bounds->end)};
    if (inactiveBefore && bounds->end < *inactiveBefore) ++group.facts.inactiveCount;
    for (const std::uint32_t pair : tables.pairsOf(refs[i])) {
      const std::uint32_t key = tables.pairs.keyOf(pair);
      const auto at = std::lower_bound(group.keys.begin(), group.keys.end(), key);
      if (at == group.keys.end() || *at != key) group.keys.insert(at, key);
    }
  }
  std::vector<MetricFacts> all;
  for (auto& [name, group] : groups) {
    group.facts.name = tables.names.textOf(name);
    group.facts.labelKeys = textsOf(tables.keys, group.keys);
    all.push_back(std::move(group.facts));
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return all;
}

namespace {

// The values of the part for which `isWanted(pair)`, called under the lock, is true.
template <typename IsWanted>
std::vector<std::string_view> valuesWhere(const SeriesTables& tables, std::uint32_t key,
                                          const ListPart& part, const IsWanted& isWanted) {
  std::vector<std::string_view> values;
  const auto textOf = [&](std::uint32_t pair) { return tables.pairs.labelOf(pair).value; };
  const auto visit = [&](std::uint32_t pair) {
    if (values.size() >= part.countMax) return false;
    if (isWanted(pair)) values.push_back(textOf(pair));
    return true;
  };
  walk(tables, SortedTexts{tables.keys.pairsOf(key), textOf}, part, visit, [] {});
  return values;
}

// The distinct values of these series.
std::vector<std::string_view> valuesOf(const SeriesTables& tables, std::uint32_t key,
                                       const ListPart& part, std::span<const SeriesRef> refs) {
  std::vector<std::uint32_t> numbers;
  for (const SeriesRef ref : refs) {
    for (const std::uint32_t pair : tables.pairsOf(ref)) {
      if (tables.pairs.keyOf(pair) == key) numbers.push_back(pair);
    }
  }
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  std::vector<std::string_view> values;
  for (const std::uint32_t pair : numbers) {
    const std::string_view value = tables.pairs.labelOf(pair).value;
    if (!value.starts_with(part.prefix) || (part.after && value <= *part.after)) continue;
    values.push_back(value);
  }
  std::sort(values.begin(), values.end());
  if (values.size() > part.countMax) values.resize(part.countMax);
  return values;
}

struct KeyFacts {
  std::uint32_t number = RefTable::kNone;
  std::size_t valueCount = 0;
};
KeyFacts factsOf(const SeriesTables& tables, std::string_view key) {
  const std::shared_lock lock(tables.mutex);
  const std::uint32_t number = tables.keys.find(key);
  if (number == RefTable::kNone) return {};
  return {number, tables.keys.pairsOf(number).count()};
}

}  // namespace

std::vector<std::string_view> listLabelValues(const SeriesTables& tables, std::string_view key,
                                              const ListPart& part) {
  const KeyFacts facts = factsOf(tables, key);
  if (facts.number == RefTable::kNone) return {};
  return valuesWhere(tables, facts.number, part, [&](std::uint32_t pair) {
    return hasAny(tables.lists, tables.pairs.seriesOf(pair),
                  [&](SeriesRef ref) { return tables.isVisible(ref); });
  });
}

std::vector<std::string_view> listLabelValues(const SeriesTables& tables, std::string_view key,
                                              const ListPart& part,
                                              std::span<const SeriesRef> refs) {
  const KeyFacts facts = factsOf(tables, key);
  if (facts.number == RefTable::kNone) return {};
  // With few series, look at each. With many, look for one of them in each value's list, up to the
  // first hit.
  if (refs.size() < facts.valueCount) return valuesOf(tables, facts.number, part, refs);
  std::vector<std::uint64_t> bits(refs.empty() ? 0 : refs.back() / 64 + 1);
  for (const SeriesRef ref : refs) bits[ref / 64] |= std::uint64_t{1} << (ref % 64);
  return valuesWhere(tables, facts.number, part, [&](std::uint32_t pair) {
    return hasAny(tables.lists, tables.pairs.seriesOf(pair), [&](SeriesRef ref) {
      return ref / 64 < bits.size() && (bits[ref / 64] >> (ref % 64) & 1) != 0;
    });
  });
}

}  // namespace seriesdb
