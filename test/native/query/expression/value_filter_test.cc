// Filters over value ranges and many values, against filters over single values.
#include "query/expression/value_filter.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "harness.h"
#include "query/expression/kernel_inputs.h"

using namespace seriesdb;

namespace {

constexpr std::size_t kDeepest = 5;

// Steps that form one condition; `constant` makes its constants.
template <typename Constant>
std::vector<ValueFilter::Step> anySteps(std::mt19937_64& random, Constant constant) {
  std::vector<ValueFilter::Step> steps;
  std::size_t depth = 0;
  while (depth != 1 || random() % 3 == 0) {
    if (depth < 2 || (depth < kDeepest && random() % 2 == 0)) {
      const auto step = static_cast<FilterStep>(random() % 6);
      steps.push_back({step, constant()});
      ++depth;
    } else {
      steps.push_back({random() % 2 == 0 ? FilterStep::kAnd : FilterStep::kOr, 0});
      --depth;
    }
    if (random() % 4 == 0) steps.push_back({FilterStep::kNot, 0});
  }
  return steps;
}

bool plainHolds(const ValueFilter::Step& step, double value) {
  switch (step.step) {
    case FilterStep::kEqual:
      return value == step.constant;
    case FilterStep::kNotEqual:
      return value != step.constant;
    case FilterStep::kLess:
      return value < step.constant;
    case FilterStep::kLessEqual:
      return value <= step.constant;
    case FilterStep::kGreater:
      return value > step.constant;
    default:
      return value >= step.constant;
  }
}

// Evaluates all steps for one value.
bool plainPasses(const std::vector<ValueFilter::Step>& steps, double value) {
  std::vector<bool> stack;
  for (const ValueFilter::Step& step : steps) {
    if (step.step < FilterStep::kAnd) {
      stack.push_back(plainHolds(step, value));
      continue;
    }
    const bool last = stack.back();
    stack.pop_back();
    if (step.step == FilterStep::kNot) {
      stack.push_back(!last);
    } else if (step.step == FilterStep::kAnd) {
      stack.back() = stack.back() && last;
    } else {
      stack.back() = stack.back() || last;
    }
  }
  return stack.empty() || stack.back();
}

}  // namespace

TEST("a filter's verdict on a range of values agrees with its results for single values") {
  std::mt19937_64 random(test::seed());
  for (int round = 0; round < 2000; ++round) {
    const auto steps = anySteps(random, [&random] { return static_cast<double>(random() % 7); });
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

TEST("a filter over many values keeps the same values as one by one") {
  std::mt19937_64 random(test::seed() + 1);
  std::vector<std::uint8_t> keep;
  test::forEachPlace([&](std::size_t size, std::size_t offset) {
    test::Placed<double> values(size, offset, [&] { return test::anyFloat(random); });
    auto steps = anySteps(random, [&random] { return test::anyOrdered(random); });
    // Some steps compare with an existing value. Occasionally there is no condition.
    for (ValueFilter::Step& step : steps) {
      const double known = size == 0 ? 0 : values[random() % size];
      if (random() % 2 == 0 && !std::isnan(known)) step.constant = known;
    }
    if (random() % 50 == 0) steps.clear();
    const auto filter = ValueFilter::make(steps);
    REQUIRE(filter.ok());
    filter.value().apply(std::span<const double>(values.data(), size), keep);
    REQUIRE(keep.size() >= size);
    for (std::size_t i = 0; i < size; ++i) {
      EXPECT(keep[i] == (plainPasses(steps, values[i]) ? 1 : 0));
    }
  });
}
