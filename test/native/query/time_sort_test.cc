// Rows sorted by time, for any number of runs.

#include "query/rows/time_sort.h"

#include <algorithm>
#include <random>

#include "harness.h"

using namespace seriesdb;

TEST("rows of few or many runs are sorted by time in the order of a stable sort") {
  std::mt19937_64 random(test::seed());
  const std::uint64_t spans[] = {0, 1, 1000, 3'600'000, std::uint64_t{1} << 50, UINT64_MAX};
  for (int round = 0; round < test::rounds(400); ++round) {
    const bool isDescending = random() % 2 == 0;
    const auto isBefore = [isDescending](const SampleRow& a, const SampleRow& b) {
      return isDescending ? b.ts < a.ts : a.ts < b.ts;
    };
    const std::uint64_t span = spans[random() % std::size(spans)];
    const std::size_t runCount = 1 + random() % (round % 2 == 0 ? 4 : 300);
    std::vector<SampleRow> rows;
    std::vector<std::size_t> runs;
    for (std::size_t run = 0; run < runCount; ++run) {
      runs.push_back(rows.size());
      for (std::uint64_t i = random() % 12; i > 0; --i) {
        const std::uint64_t after = span == UINT64_MAX ? random() : random() % (span + 1);
        const auto ts = static_cast<Timestamp>(static_cast<std::uint64_t>(INT64_MIN) + after);
        rows.push_back({ts, static_cast<std::uint32_t>(rows.size()), 0});
      }
      std::stable_sort(rows.begin() + static_cast<std::ptrdiff_t>(runs.back()), rows.end(),
                       isBefore);
    }
    std::vector<SampleRow> expected = rows;
    std::stable_sort(expected.begin(), expected.end(), isBefore);
    sortByTime(rows, runs, isDescending);
    EXPECT(runs.size() == 1);
    EXPECT(std::ranges::equal(rows, expected, [](const SampleRow& a, const SampleRow& b) {
      return a.ts == b.ts && a.place == b.place;
    }));
  }
}
