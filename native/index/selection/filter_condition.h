// The parts of a filter, resolved to numbers and posting lists. Internal to index/selection/.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/types/sample.h"
#include "index/series_tables.h"

namespace seriesdb {

// One part of a filter: its numbers (of names, or of one key's pairs), and their lists of series.
struct FilterCondition {
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

struct TermCondition : FilterCondition {
  std::uint32_t key = RefTable::kNone;
  bool isNegated = false;
  bool acceptsMissing = false;

  // True if the lists contain every matching series.
  bool isListed() const { return !isNegated && !acceptsMissing; }
  bool accepts(const SeriesTables& tables, SeriesRef ref) const {
    const auto pairs = tables.pairsOf(ref);
    const auto isHeld = [this](std::uint32_t pair) { return holds(pair); };
    if (std::any_of(pairs.begin(), pairs.end(), isHeld)) return !isNegated;
    // The series may have another value or none. If both count the same, no further look is needed.
    if (isNegated == acceptsMissing) return acceptsMissing;
    const auto isOfKey = [&](std::uint32_t pair) { return tables.pairs.keyOf(pair) == key; };
    return std::any_of(pairs.begin(), pairs.end(), isOfKey) ? isNegated : acceptsMissing;
  }
};

}  // namespace seriesdb
