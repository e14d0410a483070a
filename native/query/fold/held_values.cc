#include "query/fold/held_values.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace seriesdb {
namespace {

using Doubles = std::vector<double>::iterator;

// Values processed without a check whether the query is over.
constexpr std::ptrdiff_t kStepValues = 1 << 18;

// Puts values below the pivot first, then equal values. Returns the begin and end of the equal
// ones. The pivot is the median of three values of the part, so some value equals it.
template <typename At>
std::pair<At, At> partitionPart(At begin, At end) {
  const auto a = *begin;
  const auto b = begin[(end - begin) / 2];
  const auto c = end[-1];
  const auto pivot = std::max(std::min(a, b), std::min(std::max(a, b), c));
  const At middle = std::partition(begin, end, [pivot](auto value) { return value < pivot; });
  const At above = std::partition(middle, end, [pivot](auto value) { return !(pivot < value); });
  return {middle, above};
}

// The same as std::nth_element, in steps.
void selectPlace(Doubles begin, Doubles at, Doubles end, const GoOn& goOn) {
  while (end - begin > kStepValues) {
    if (!goOn()) return;
    const auto [middle, above] = partitionPart(begin, end);
    if (at < middle) {
      end = middle;
    } else if (at < above) {
      return;
    } else {
      begin = above;
    }
  }
  std::nth_element(begin, at, end);
}

// The same as std::sort, in steps.
template <typename At>
void sortSteps(At begin, At end, const GoOn& goOn) {
  std::vector<std::pair<At, At>> parts{{begin, end}};
  while (!parts.empty()) {
    if (!goOn()) return;
    const auto [from, to] = parts.back();
    parts.pop_back();
    if (to - from <= kStepValues) {
      std::sort(from, to);
      continue;
    }
    const auto [middle, above] = partitionPart(from, to);
    parts.emplace_back(from, middle);
    parts.emplace_back(above, to);
  }
}

template <typename T>
std::int64_t countDifferent(std::vector<T>& values, const GoOn& goOn) {
  if (!std::is_sorted(values.begin(), values.end())) {
    sortSteps(values.begin(), values.end(), goOn);
  }
  std::int64_t count = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i == 0 || values[i] != values[i - 1]) ++count;
  }
  return count;
}

// The zero at a place among zeros: -0 sorts below +0, which comparisons cannot tell.
double zeroAt(const std::vector<double>& values, std::size_t place) {
  const auto isBelow = [](double one) { return one < 0 || (one == 0 && std::signbit(one)); };
  const auto below = std::count_if(values.begin(), values.end(), isBelow);
  return place < static_cast<std::size_t>(below) ? -0.0 : 0.0;
}

}  // namespace

double percentileOf(std::vector<double>& values, double quantile, const GoOn& goOn) {
  const double rank = quantile * static_cast<double>(values.size() - 1);
  const auto low = static_cast<std::size_t>(rank);
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(low);
  selectPlace(values.begin(), at, values.end(), goOn);
  const double part = rank - static_cast<double>(low);
  if (part == 0 || at + 1 == values.end()) return *at == 0 ? zeroAt(values, low) : *at;
  const double next = *std::min_element(at + 1, values.end());
  return *at + (next - *at) * part;
}

std::int64_t countDistinct(std::vector<double>& values, const GoOn& goOn) {
  return countDifferent(values, goOn);
}

std::int64_t countDistinct(std::vector<std::int64_t>& values, const GoOn& goOn) {
  return countDifferent(values, goOn);
}

}  // namespace seriesdb
