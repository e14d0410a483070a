// Selects the candidates that match.
#include <algorithm>

#include "index/selection/selection.h"

namespace seriesdb {
namespace {

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
