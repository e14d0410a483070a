#include "index/series_selection.h"

#include <algorithm>
#include <optional>
#include <shared_mutex>
#include <string>

#include "model/identity.h"

namespace seriesdb {

namespace {

// How many names or values are looked up before other users of the index get their turn.
constexpr std::size_t kLookupsPerLock = 256;
// From one of this many series on, a union is collected in a bitmap and not sorted.
constexpr std::size_t kBitmapShare = 32;
// A list this many times as long as the candidates is asked less cheaply than their own labels.
constexpr std::size_t kGallopRatio = 64;
// How often selectFewSeries() may ask a series for a part of the filter.
constexpr std::size_t kFewQuestions = 1024;

// A part of the filter: the numbers (of names, or of the pairs of one key) that it speaks of, and
// the lists of their series.
struct Condition {
  std::vector<std::uint32_t> numbers;  // Ascending.
  std::vector<PostingSpan> spans;
  std::size_t listCount = 0;
  std::size_t seriesCount = 0;

  void add(const PostingLists& lists, std::uint32_t number, const PostingList& list) {
    numbers.push_back(number);
    lists.addSpans(list, spans);
    ++listCount;
    seriesCount += list.count;
  }
  bool holds(std::uint32_t number) const {
    return std::binary_search(numbers.begin(), numbers.end(), number);
  }
};

struct TermCondition : Condition {
  std::uint32_t key = RefTable::kNone;
  bool isNegated = false;
  bool acceptsMissing = false;

  // Whether every series that matches stands in the lists.
  bool isListed() const { return !isNegated && !acceptsMissing; }
  bool accepts(const SeriesTables& tables, SeriesRef ref) const {
    const auto pairs = tables.pairsOf(ref);
    const auto isHeld = [this](std::uint32_t pair) { return holds(pair); };
    if (std::any_of(pairs.begin(), pairs.end(), isHeld)) return !isNegated;
    // Another value and no value: where both count the same, it does not matter which it is.
    if (isNegated == acceptsMissing) return acceptsMissing;
    const auto isOfKey = [&](std::uint32_t pair) { return tables.pairs.keyOf(pair) == key; };
    return std::any_of(pairs.begin(), pairs.end(), isOfKey) ? isNegated : acceptsMissing;
  }
};

class Selection {
 public:
  // Of a prefix at most so many names are looked at, and a few more.
  Selection(const SeriesTables& tables, const SeriesFilter& filter, std::size_t namesMax);
  bool hasAllNames() const { return hasAllNames_; }
  // At least as many as there are candidates.
  std::size_t candidateCount() const;
  // A superset of the answer, as small as the lists tell.
  std::vector<SeriesRef> candidates() const;
  // Those of the candidates that match.
  std::vector<SeriesRef> keep(std::vector<SeriesRef> refs) const;

 private:
  void resolveName(const NameFilter& filter, std::size_t namesMax);
  void resolvePrefix(std::string_view prefix, std::size_t namesMax);
  void chooseSources();
  void resolveTerm(const LabelTerm& term);
  std::vector<SeriesRef> unionOf(std::span<const Condition* const> conditions) const;
  bool isNameAccepted(SeriesRef ref) const {
    return !hasName_ || name_.holds(tables_.series[ref].name);
  }
  // Whether every candidate is known to meet the condition.
  bool isSource(const Condition& condition) const {
    return sources_.size() == 1 && sources_[0] == &condition;
  }
  void keepNamed(std::vector<SeriesRef>& refs) const;
  void keepAll(std::vector<SeriesRef>& refs) const;
  void keepAny(std::vector<SeriesRef>& refs) const;

  const SeriesTables& tables_;
  const bool isAny_;  // One matching term is enough.
  // Read in this order: when they are equal, all series below created_ are visible.
  const std::uint32_t visible_;
  const std::uint32_t created_;
  const std::uint32_t held_;
  bool hasName_ = false;
  Condition name_;
  bool hasAllNames_ = true;
  std::vector<TermCondition> terms_;
  // Whose lists the candidates come from; where there are none, from all series or from ids.
  std::vector<const Condition*> sources_;
};

Selection::Selection(const SeriesTables& tables, const SeriesFilter& filter, std::size_t namesMax)
    : tables_(tables),
      isAny_(filter.op == FilterOp::kOr && !filter.terms.empty()),
      visible_(tables.visible.load(std::memory_order_acquire)),
      created_(tables.createdCount()),
      held_(created_ - tables.gone.load(std::memory_order_acquire)) {
  resolveName(filter.name, namesMax);
  terms_.reserve(filter.terms.size());
  for (const LabelTerm& term : filter.terms) resolveTerm(term);
  if (!filter.ids) chooseSources();
}

void Selection::resolveName(const NameFilter& filter, std::size_t namesMax) {
  hasName_ = filter.kind != NameFilter::Kind::kAny;
  if (!hasName_) return;
  if (filter.kind == NameFilter::Kind::kPrefix) return resolvePrefix(filter.names[0], namesMax);
  const std::vector<std::string_view> names = filter.names.distinct();
  for (std::size_t at = 0; at < names.size();) {
    const std::shared_lock lock(tables_.mutex);
    const std::size_t end = std::min(names.size(), at + kLookupsPerLock);
    for (; at < end; ++at) {
      const std::uint32_t name = tables_.names.find(names[at]);
      if (name == RefTable::kNone) continue;
      name_.add(tables_.lists, name, tables_.names[name].series);
    }
  }
  std::sort(name_.numbers.begin(), name_.numbers.end());
}

void Selection::resolvePrefix(std::string_view prefix, std::size_t namesMax) {
  // The last name seen; names never go away, so that the walk goes on behind it.
  std::optional<std::string_view> last;
  for (bool isDone = false; !isDone;) {
    hasAllNames_ = name_.numbers.size() < namesMax;
    if (!hasAllNames_) break;
    const std::shared_lock lock(tables_.mutex);
    const SortedNumbers& sorted = tables_.names.sorted();
    auto place = sorted.firstNot([&](std::uint32_t name) {
      const std::string_view text = tables_.names.textOf(name);
      return last ? text <= *last : text < prefix;
    });
    for (std::size_t step = 0; step < kLookupsPerLock; ++step, place = sorted.after(place)) {
      isDone = sorted.isEnd(place);
      if (isDone) break;
      const std::uint32_t name = sorted[place];
      last = tables_.names.textOf(name);
      isDone = !last->starts_with(prefix);
      if (isDone) break;
      name_.add(tables_.lists, name, tables_.names[name].series);
    }
  }
  std::sort(name_.numbers.begin(), name_.numbers.end());
}

void Selection::resolveTerm(const LabelTerm& term) {
  TermCondition& condition = terms_.emplace_back();
  condition.isNegated = term.isNegated;
  condition.acceptsMissing = term.acceptsMissing;
  const std::vector<std::string_view> values = term.values.distinct();
  std::string canonical;
  std::size_t at = 0;
  do {
    const std::shared_lock lock(tables_.mutex);
    condition.key = tables_.keys.find(term.key);
    if (condition.key == RefTable::kNone) return;
    const std::size_t end = std::min(values.size(), at + kLookupsPerLock);
    for (; at < end; ++at) {
      canonical.clear();
      appendJsonString(canonical, term.key);
      canonical.push_back(':');
      appendJsonString(canonical, values[at]);
      const std::uint32_t pair = tables_.pairs.find(canonical);
      if (pair == RefTable::kNone) continue;
      condition.add(tables_.lists, pair, tables_.pairs.seriesOf(pair));
    }
  } while (at < values.size());
  std::sort(condition.numbers.begin(), condition.numbers.end());
}

std::vector<SeriesRef> Selection::keep(std::vector<SeriesRef> refs) const {
  if (isAny_) {
    keepNamed(refs);
    keepAny(refs);
  } else {
    keepAll(refs);
    keepNamed(refs);
  }
  const auto first =
      visible_ == created_ ? std::lower_bound(refs.begin(), refs.end(), created_) : refs.begin();
  const auto isHidden = [&](SeriesRef ref) { return !tables_.isVisible(ref); };
  refs.erase(std::remove_if(first, refs.end(), isHidden), refs.end());
  return refs;
}

void Selection::chooseSources() {
  const Condition* source = hasName_ ? &name_ : nullptr;
  if (isAny_) {
    std::size_t sum = 0;
    bool isListed = true;
    for (const TermCondition& term : terms_) {
      sum += term.seriesCount;
      isListed = isListed && term.isListed();
    }
    if (isListed && (source == nullptr || sum < source->seriesCount)) {
      for (const TermCondition& term : terms_) sources_.push_back(&term);
      return;
    }
  } else {
    for (const TermCondition& term : terms_) {
      if (!term.isListed()) continue;
      if (source == nullptr || term.seriesCount < source->seriesCount) source = &term;
    }
  }
  if (source != nullptr) sources_.push_back(source);
}

std::size_t Selection::candidateCount() const {
  if (sources_.empty()) return held_;
  std::size_t sum = 0;
  for (const Condition* source : sources_) sum += source->seriesCount;
  return sum;
}

std::vector<SeriesRef> Selection::candidates() const {
  if (!sources_.empty()) return unionOf(sources_);
  std::vector<SeriesRef> all;
  all.reserve(held_);
  const auto& series = tables_.series;
  for (std::size_t ref = series.firstKept(0, created_); ref < created_;
       ref = series.firstKept(ref + 1, created_)) {
    if (tables_.has(static_cast<SeriesRef>(ref))) all.push_back(static_cast<SeriesRef>(ref));
  }
  return all;
}

std::vector<SeriesRef> Selection::unionOf(std::span<const Condition* const> conditions) const {
  std::size_t sum = 0;
  std::size_t listCount = 0;
  SeriesRef end = 0;
  for (const Condition* condition : conditions) {
    sum += condition->seriesCount;
    listCount += condition->listCount;
    for (const PostingSpan span : condition->spans) end = std::max(end, span.back() + 1);
  }
  std::vector<SeriesRef> refs;
  if (listCount > 1 && sum > end / kBitmapShare) {
    std::vector<std::uint64_t> bits((std::size_t{end} + 63) / 64);
    for (const Condition* condition : conditions) {
      for (const PostingSpan span : condition->spans) {
        for (const SeriesRef ref : span) bits[ref / 64] |= std::uint64_t{1} << (ref % 64);
      }
    }
    refs.reserve(sum);
    for (std::size_t word = 0; word < bits.size(); ++word) {
      for (std::uint64_t rest = bits[word]; rest != 0; rest &= rest - 1) {
        refs.push_back(static_cast<SeriesRef>(word * 64) +
                       static_cast<SeriesRef>(__builtin_ctzll(rest)));
      }
    }
    return refs;
  }
  refs.reserve(sum);
  for (const Condition* condition : conditions) {
    for (const PostingSpan span : condition->spans) {
      refs.insert(refs.end(), span.begin(), span.end());
    }
  }
  if (listCount > 1) {
    std::sort(refs.begin(), refs.end());
    refs.erase(std::unique(refs.begin(), refs.end()), refs.end());
  }
  return refs;
}

// Keeps the refs that stand in the list, both ascending: J. L. Bentley and A. C. Yao, "An almost
// optimal algorithm for unbounded searching", 1976.
void intersect(std::vector<SeriesRef>& refs, std::span<const PostingSpan> list) {
  std::size_t kept = 0;
  std::size_t span = 0;
  std::size_t at = 0;
  for (const SeriesRef ref : refs) {
    while (span < list.size() && list[span].back() < ref) {
      ++span;
      at = 0;
    }
    if (span == list.size()) break;
    const PostingSpan run = list[span];
    std::size_t step = 1;
    while (at + step < run.size() && run[at + step] < ref) {
      at += step;
      step *= 2;
    }
    const auto end = run.begin() + static_cast<std::ptrdiff_t>(std::min(at + step + 1, run.size()));
    const auto found = std::lower_bound(run.begin() + static_cast<std::ptrdiff_t>(at), end, ref);
    at = static_cast<std::size_t>(found - run.begin());
    if (*found == ref) refs[kept++] = ref;
  }
  refs.resize(kept);
}

bool isGalloped(const Condition& condition, std::size_t candidateCount) {
  return condition.listCount == 1 && condition.seriesCount / kGallopRatio < candidateCount;
}

void Selection::keepNamed(std::vector<SeriesRef>& refs) const {
  if (!hasName_ || isSource(name_)) return;
  if (isGalloped(name_, refs.size())) return intersect(refs, name_.spans);
  std::erase_if(refs, [&](SeriesRef ref) { return !isNameAccepted(ref); });
}

void Selection::keepAll(std::vector<SeriesRef>& refs) const {
  std::vector<const TermCondition*> order;
  for (const TermCondition& term : terms_) order.push_back(&term);
  // What is listed and short first, so that the others are asked of fewer.
  std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    if (a->isListed() != b->isListed()) return a->isListed();
    return a->seriesCount < b->seriesCount;
  });
  for (const TermCondition* term : order) {
    if (isSource(*term)) continue;
    if (term->isListed() && isGalloped(*term, refs.size())) {
      intersect(refs, term->spans);
      continue;
    }
    std::erase_if(refs, [&](SeriesRef ref) { return !term->accepts(tables_, ref); });
  }
}

void Selection::keepAny(std::vector<SeriesRef>& refs) const {
  std::erase_if(refs, [&](SeriesRef ref) {
    return std::none_of(terms_.begin(), terms_.end(),
                        [&](const TermCondition& term) { return term.accepts(tables_, ref); });
  });
}

}  // namespace

std::vector<SeriesRef> selectSeries(const SeriesTables& tables, const SeriesFilter& filter,
                                    std::vector<SeriesRef> ofIds) {
  const Selection selection(tables, filter, SIZE_MAX);
  return selection.keep(filter.ids ? std::move(ofIds) : selection.candidates());
}

std::optional<std::vector<SeriesRef>> selectFewSeries(const SeriesTables& tables,
                                                      const SeriesFilter& filter,
                                                      std::vector<SeriesRef> ofIds) {
  std::size_t lookups = filter.name.names.size() + filter.terms.size();
  for (const LabelTerm& term : filter.terms) lookups += term.values.size();
  if (lookups > kFewLookups) return std::nullopt;
  const Selection selection(tables, filter, kFewLookups);
  const std::size_t most = kFewQuestions / (1 + filter.terms.size());
  const std::size_t count = filter.ids ? ofIds.size() : selection.candidateCount();
  if (!selection.hasAllNames() || count > most) return std::nullopt;
  return selection.keep(filter.ids ? std::move(ofIds) : selection.candidates());
}

}  // namespace seriesdb
