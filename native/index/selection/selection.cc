#include "index/selection/selection.h"

#include <algorithm>
#include <optional>
#include <shared_mutex>
#include <string>

#include "common/types/identity.h"

namespace seriesdb {
namespace {

// The number of names or values looked up under one lock, before other users get a turn.
constexpr std::size_t kLookupsPerLock = 256;
// From 1/kBitmapShare of all series on, a bitmap collects a union instead of sorting it.
constexpr std::size_t kBitmapShare = 32;

// If a list is this many times as long as the candidates, checking their own labels is cheaper.
constexpr std::size_t kGallopRatio = 64;

// Keeps the refs that the list contains; both ascend. By galloping search: J. L. Bentley and A. C.
// Yao, "An almost optimal algorithm for unbounded searching", 1976.
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

bool isGalloped(const FilterCondition& condition, std::size_t candidateCount) {
  return condition.listCount == 1 && condition.seriesCount / kGallopRatio < candidateCount;
}

}  // namespace

std::vector<LabelTerm> termsOf(const OwnedLabels& labels) {
  std::vector<LabelTerm> terms;
  for (const auto& [key, value] : labels) terms.push_back({key, {value}, false, value.empty()});
  return terms;
}

SeriesSelection::SeriesSelection(const SeriesTables& tables, const SeriesFilter& filter,
                                 std::size_t namesMax)
    : tables_(tables),
      visible_(tables.visible.load(std::memory_order_acquire)),
      created_(tables.createdCount()),
      held_(created_ - tables.gone.load(std::memory_order_acquire)) {
  resolveName(filter.name, namesMax);
  std::vector<TermCondition>& asked = filter.op == FilterOp::kOr ? any_ : all_;
  for (const LabelTerm& term : filter.terms) resolveTerm(term, asked);
  for (const LabelTerm& term : filter.required) resolveTerm(term, all_);
  if (!filter.ids) chooseSources();
}

void SeriesSelection::resolveName(const NameFilter& filter, std::size_t namesMax) {
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

void SeriesSelection::resolvePrefix(std::string_view prefix, std::size_t namesMax) {
  // The last name seen. Names are never removed, so the walk continues behind it.
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

void SeriesSelection::resolveTerm(const LabelTerm& term, std::vector<TermCondition>& conditions) {
  TermCondition& condition = conditions.emplace_back();
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

void SeriesSelection::chooseSources() {
  const FilterCondition* source = hasName_ ? &name_ : nullptr;
  for (const TermCondition& term : all_) {
    if (!term.isListed()) continue;
    if (source == nullptr || term.seriesCount < source->seriesCount) source = &term;
  }
  std::size_t sum = 0;
  bool isListed = !any_.empty();
  for (const TermCondition& term : any_) {
    sum += term.seriesCount;
    isListed = isListed && term.isListed();
  }
  if (isListed && (source == nullptr || sum < source->seriesCount)) {
    for (const TermCondition& term : any_) sources_.push_back(&term);
  } else if (source != nullptr) {
    sources_.push_back(source);
  }
}

std::size_t SeriesSelection::candidateCount() const {
  if (sources_.empty()) return held_;
  std::size_t sum = 0;
  for (const FilterCondition* source : sources_) sum += source->seriesCount;
  return sum;
}

std::vector<SeriesRef> SeriesSelection::candidates() const {
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

std::vector<SeriesRef> SeriesSelection::unionOf(
    std::span<const FilterCondition* const> conditions) const {
  std::size_t sum = 0;
  std::size_t listCount = 0;
  SeriesRef end = 0;
  for (const FilterCondition* condition : conditions) {
    sum += condition->seriesCount;
    listCount += condition->listCount;
    for (const PostingSpan span : condition->spans) end = std::max(end, span.back() + 1);
  }
  std::vector<SeriesRef> refs;
  if (listCount > 1 && sum > end / kBitmapShare) {
    std::vector<std::uint64_t> bits((std::size_t{end} + 63) / 64);
    for (const FilterCondition* condition : conditions) {
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
  for (const FilterCondition* condition : conditions) {
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

std::vector<SeriesRef> SeriesSelection::keep(std::vector<SeriesRef> refs) const {
  keepAll(refs);
  keepNamed(refs);
  keepAny(refs);
  const auto first =
      visible_ == created_ ? std::lower_bound(refs.begin(), refs.end(), created_) : refs.begin();
  const auto isHidden = [&](SeriesRef ref) { return !tables_.isVisible(ref); };
  refs.erase(std::remove_if(first, refs.end(), isHidden), refs.end());
  return refs;
}

void SeriesSelection::keepNamed(std::vector<SeriesRef>& refs) const {
  if (!hasName_ || isSource(name_)) return;
  if (isGalloped(name_, refs.size())) return intersect(refs, name_.spans);
  std::erase_if(refs, [&](SeriesRef ref) { return !isNameAccepted(ref); });
}

void SeriesSelection::keepAll(std::vector<SeriesRef>& refs) const {
  std::vector<const TermCondition*> order;
  for (const TermCondition& term : all_) order.push_back(&term);
  // Listed and short terms first, so that the others are checked for fewer candidates.
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

void SeriesSelection::keepAny(std::vector<SeriesRef>& refs) const {
  if (any_.empty()) return;
  std::erase_if(refs, [&](SeriesRef ref) {
    return std::none_of(any_.begin(), any_.end(),
                        [&](const TermCondition& term) { return term.accepts(tables_, ref); });
  });
}

}  // namespace seriesdb
