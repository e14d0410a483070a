// Filters over ranges of values against filters over each of them.
#include "query/value_filter.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "harness.h"

using namespace seriesdb;

TEST("filters judge a range of values as they judge each of them") {
  std::mt19937_64 random(test::seed());
  for (int round = 0; round < 2000; ++round) {
    std::vector<ValueFilter::Step> steps;
    std::size_t depth = 0;
    while (depth != 1 || random() % 3 == 0) {
      if (depth < 2 || (depth < 5 && random() % 2 == 0)) {
        const auto step = static_cast<FilterStep>(random() % 6);
        steps.push_back({step, static_cast<double>(random() % 7)});
        ++depth;
      } else {
        steps.push_back({random() % 2 == 0 ? FilterStep::kAnd : FilterStep::kOr, 0});
        --depth;
      }
      if (random() % 4 == 0) steps.push_back({FilterStep::kNot, 0});
    }
    const auto filter = ValueFilter::make(steps);
    REQUIRE(filter.ok());
    std::vector<double> values;
    const double low = static_cast<double>(random() % 7) - 0.5;
    const double high = low + static_cast<double>(random() % 6) / 2;
    for (double v = low; v <= high; v += 0.5) values.push_back(v);
    std::vector<std::uint8_t> keep;
    filter.value().apply(values, keep);
    const auto kept = static_cast<std::size_t>(
        std::count(keep.begin(), keep.begin() + static_cast<std::ptrdiff_t>(values.size()), 1));
    const auto verdict = filter.value().judge(low, values.back());
    EXPECT(verdict != ValueFilter::Verdict::kNone || kept == 0);
    EXPECT(verdict != ValueFilter::Verdict::kAll || kept == values.size());
  }
  EXPECT(!ValueFilter::make({{FilterStep::kAnd, 0}}).ok());
  EXPECT(!ValueFilter::make({{FilterStep::kNot, 0}}).ok());
  EXPECT(!ValueFilter::make({{FilterStep::kLess, 0}, {FilterStep::kLess, 0}}).ok());
  EXPECT(!ValueFilter::make({{FilterStep::kLess, std::nan("")}}).ok());
}
