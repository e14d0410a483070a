#include "query/rows/time_sort.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>

#include "query/samples/merge_runs.h"

namespace seriesdb {
namespace {

constexpr unsigned kDigitBits = 10;

// A radix sort by the digits of times, the least digit first (Knuth, TAOCP 5.2.5). It has no
// comparison that a branch predictor could miss.
class DigitSort {
 public:
  DigitSort(const std::vector<SampleRow>& rows, bool isDescending) : isDescending_(isDescending) {
    const auto [least, most] = std::ranges::minmax_element(rows, {}, &SampleRow::ts);
    from_ = isDescending ? most->ts : least->ts;
    bits_ = static_cast<unsigned>(std::bit_width(keyOf(isDescending ? least->ts : most->ts)));
    passes_ = std::max(1U, (bits_ + kDigitBits - 1) / kDigitBits);
  }
  unsigned passes() const { return passes_; }
  void sort(std::vector<SampleRow>& rows) const {
    std::vector<SampleRow> other(rows.size());
    const unsigned width = (bits_ + passes_ - 1) / passes_;
    for (unsigned pass = 0; pass < passes_; ++pass) {
      moveBy(pass * width, width, rows, other);
      rows.swap(other);
    }
  }

 private:
  std::uint64_t keyOf(Timestamp ts) const {
    const auto a = static_cast<std::uint64_t>(ts);
    const auto b = static_cast<std::uint64_t>(from_);
    return isDescending_ ? b - a : a - b;
  }
  void moveBy(unsigned shift, unsigned width, const std::vector<SampleRow>& from,
              std::vector<SampleRow>& to) const {
    std::array<std::size_t, std::size_t{1} << kDigitBits> begins{};
    const std::uint64_t mask = (std::uint64_t{1} << width) - 1;
    for (const SampleRow& row : from) ++begins[keyOf(row.ts) >> shift & mask];
    std::size_t at = 0;
    for (std::size_t& begin : begins) at += std::exchange(begin, at);
    for (const SampleRow& row : from) to[begins[keyOf(row.ts) >> shift & mask]++] = row;
  }

  const bool isDescending_;
  Timestamp from_;
  unsigned bits_;
  unsigned passes_;
};

}  // namespace

void sortByTime(std::vector<SampleRow>& rows, std::vector<std::size_t>& runs, bool isDescending) {
  if (runs.size() < 2) return;
  if (!rows.empty()) {
    // One pass takes about as long as merging all runs with their neighbours once.
    const DigitSort digits(rows, isDescending);
    if (digits.passes() < static_cast<unsigned>(std::bit_width(runs.size() - 1))) {
      digits.sort(rows);
      runs.assign(1, 0);
      return;
    }
  }
  mergeRuns(rows, runs, [isDescending](const SampleRow& a, const SampleRow& b) {
    return isDescending ? b.ts < a.ts : a.ts < b.ts;
  });
}

}  // namespace seriesdb
