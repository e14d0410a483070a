// A plain model of the series index: every query walks a list of all series.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "harness.h"
#include "index/series_index.h"

namespace seriesdb::test {

struct PlainSeries {
  std::string name;
  std::map<std::string, std::string> labels;
  bool isVisible = false;
  TimeRange bounds{0, 0};
};

inline bool isIn(const TextList& texts, std::string_view text) {
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (texts[i] == text) return true;
  }
  return false;
}

inline bool isTermMet(const PlainSeries& series, const LabelTerm& term) {
  const auto held = series.labels.find(term.key);
  if (held == series.labels.end()) return term.acceptsMissing;
  const bool isListed = isIn(term.values, held->second);
  return isListed != term.isNegated;
}

inline bool isMet(const PlainSeries& series, const SeriesFilter& filter) {
  const auto& names = filter.name.names;
  if (filter.name.kind == NameFilter::Kind::kPrefix && !series.name.starts_with(names[0])) {
    return false;
  }
  if (filter.name.kind == NameFilter::Kind::kOneOf && !isIn(names, series.name)) return false;
  const auto isMetHere = [&](const LabelTerm& term) { return isTermMet(series, term); };
  if (!std::ranges::all_of(filter.required, isMetHere)) return false;
  if (filter.terms.empty()) return true;
  std::size_t met = 0;
  for (const LabelTerm& term : filter.terms) met += isTermMet(series, term) ? 1 : 0;
  return filter.op == FilterOp::kAnd ? met == filter.terms.size() : met > 0;
}

// Random series, in an index and in a plain list.
class Model {
 public:
  explicit Model(std::uint64_t seed) : random(seed) {}

  std::uint64_t pick(std::uint64_t below) { return random() % below; }

  std::string name() { return "m" + std::to_string(pick(12)); }
  // A few values are frequent, many are rare; some need escapes.
  std::string value() {
    static const std::vector<std::string> odd = {"", "\"", "\\", "a\nb", "ü", "\xf0\x9f\x98\x80"};
    if (pick(4) == 0) return odd[pick(odd.size())];
    return pick(2) == 0 ? std::to_string(pick(3)) : std::to_string(pick(400));
  }
  std::string key() {
    static const std::vector<std::string> keys = {"host", "region", "k\"ey", "ü", "z"};
    return keys[pick(keys.size())];
  }

  // Adds series. Most become visible, with samples at random times.
  void addSeries() {
    PlainSeries one;
    one.name = name();
    for (std::uint64_t i = pick(5); i > 0; --i) one.labels[key()] = value();
    std::vector<Label> labels;
    for (const auto& [labelKey, text] : one.labels) labels.push_back({labelKey, text});
    const auto ref = index->findOrCreate(one.name, labels);
    REQUIRE(ref.ok());
    if (ref.value() == all.size()) all.push_back(one);
    if (pick(8) == 0) return;
    const auto ts = static_cast<Timestamp>(pick(1000)) - 500;
    index->noteSamples(ref.value(), ts, ts + 3);
    PlainSeries& noted = all[ref.value()];
    if (!noted.isVisible) noted.bounds = {ts, ts + 3};
    noted.bounds = {std::min(noted.bounds.start, ts), std::max(noted.bounds.end, ts + 3)};
    noted.isVisible = true;
  }

  // Removes samples from some series, or from all.
  void narrowSeries() {
    std::vector<SeriesRef> refs;
    std::vector<std::optional<TimeRange>> bounds;
    for (SeriesRef ref = 0; ref < all.size(); ++ref) {
      PlainSeries& one = all[ref];
      if (!one.isVisible || pick(6) > 0) continue;
      const TimeRange left{one.bounds.start + static_cast<Timestamp>(pick(3)),
                           one.bounds.end - static_cast<Timestamp>(pick(3))};
      one.isVisible = left.start <= left.end && pick(3) > 0;
      if (one.isVisible) one.bounds = left;
      refs.push_back(ref);
      bounds.push_back(one.isVisible ? std::optional(left) : std::nullopt);
    }
    index->replaceBounds(refs, bounds);
    index->renewNames();
  }

  SeriesFilter filter() {
    SeriesFilter made;
    switch (pick(5)) {
      case 0:
        made.name = NameFilter::exact(pick(9) == 0 ? "absent" : name());
        break;
      case 1:
        made.name = NameFilter::prefix(pick(2) == 0 ? "m1" : pick(2) == 0 ? "" : "q");
        break;
      case 2: {
        TextList names;
        for (std::uint64_t i = pick(4); i > 0; --i) names.add(name());
        made.name = NameFilter::oneOf(names);
        break;
      }
      default:
        break;
    }
    made.op = pick(2) == 0 ? FilterOp::kAnd : FilterOp::kOr;
    for (std::uint64_t i = pick(4); i > 0; --i) {
      LabelTerm term;
      term.key = pick(12) == 0 ? "absent" : key();
      // Sometimes more values than one lock covers.
      const std::uint64_t count = pick(20) == 0 ? 600 : pick(4);
      for (std::uint64_t k = 0; k < count; ++k) term.values.add(value());
      term.isNegated = pick(3) == 0;
      term.acceptsMissing = pick(3) == 0;
      made.terms.push_back(term);
    }
    for (std::uint64_t i = pick(5) == 0 ? 1 + pick(2) : 0; i > 0; --i) {
      made.required.push_back({key(), {value()}, false, false});
    }
    if (pick(4) == 0) made.ids = ids(pick(20) == 0 ? 700 : pick(5));
    return made;
  }

  // Some ids may repeat, some are unknown.
  std::vector<SeriesId> ids(std::uint64_t count) {
    std::vector<SeriesId> made;
    for (; count > 0; --count) {
      const auto known = static_cast<SeriesRef>(all.empty() ? 0 : pick(all.size()));
      made.push_back(all.empty() || pick(9) == 0 ? random() : index->idOf(known));
    }
    return made;
  }

  bool isAmong(const std::optional<std::vector<SeriesId>>& wanted, SeriesRef ref) const {
    if (!wanted) return true;
    return std::find(wanted->begin(), wanted->end(), index->idOf(ref)) != wanted->end();
  }

  std::vector<SeriesRef> expected(const SeriesFilter& filter) const {
    std::vector<SeriesRef> refs;
    for (SeriesRef ref = 0; ref < all.size(); ++ref) {
      if (!all[ref].isVisible || !isMet(all[ref], filter) || !isAmong(filter.ids, ref)) continue;
      refs.push_back(ref);
    }
    return refs;
  }

  std::mt19937_64 random;
  std::unique_ptr<SeriesIndex> index = SeriesIndex::make({});
  std::vector<PlainSeries> all;
};

}  // namespace seriesdb::test
