// Sorts items that consist of a few ordered runs, such as one run per series.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace seriesdb {

// Merges neighbouring runs until one is left; stable. `runs` has the begin of each run, the first
// at 0. Afterwards it has only the 0. REQUIRES: every run is ordered by `before`.
template <typename T, typename Before>
void mergeRuns(std::vector<T>& items, std::vector<std::size_t>& runs, const Before& before) {
  std::vector<T> merged(runs.size() > 1 ? items.size() : 0);
  while (runs.size() > 1) {
    std::vector<std::size_t> next;
    for (std::size_t i = 0; i < runs.size(); i += 2) {
      const auto endOf = [&](std::size_t run) {
        return items.begin() +
               static_cast<std::ptrdiff_t>(run < runs.size() ? runs[run] : items.size());
      };
      const auto begin = items.begin() + static_cast<std::ptrdiff_t>(runs[i]);
      std::merge(begin, endOf(i + 1), endOf(i + 1), endOf(i + 2),
                 merged.begin() + static_cast<std::ptrdiff_t>(runs[i]), before);
      next.push_back(runs[i]);
    }
    items.swap(merged);
    runs = std::move(next);
  }
}

// Sorts stably; quick if there are few runs.
template <typename T, typename Before>
void sortRuns(std::vector<T>& items, const Before& before) {
  constexpr std::size_t kRunSizeMin = 16;
  std::vector<std::size_t> runs(1, 0);
  for (std::size_t i = 1; i < items.size(); ++i) {
    if (!before(items[i], items[i - 1])) continue;
    runs.push_back(i);
    if (runs.size() * kRunSizeMin > items.size() + kRunSizeMin) {
      std::stable_sort(items.begin(), items.end(), before);
      return;
    }
  }
  mergeRuns(items, runs, before);
}

}  // namespace seriesdb
