// The number of flushes that deletions may cause, by a clock that the test sets.
#include "harness.h"
#include "storage/write/freeze.h"

using namespace seriesdb;

namespace {

std::uint32_t takeAll(StateBudget& budget, std::uint64_t nowMs) {
  std::uint32_t taken = 0;
  for (; taken < 100 && budget.isLeft(nowMs); ++taken) budget.take();
  return taken;
}

}  // namespace

TEST("a budget gives its tokens at once, then one per interval, and never saves up more") {
  StateBudget budget(3, 100);
  EXPECT(takeAll(budget, 1000) == 3);
  EXPECT(!budget.isLeft(1099));
  EXPECT(takeAll(budget, 1100) == 1);
  EXPECT(!budget.isLeft(1199));
  EXPECT(takeAll(budget, 1350) == 2);
  // The rest of an interval counts for the next token.
  EXPECT(!budget.isLeft(1399));
  EXPECT(takeAll(budget, 1400) == 1);
  EXPECT(takeAll(budget, 1'000'000) == 3);
  EXPECT(takeAll(budget, UINT64_MAX) == 3);
}

TEST("frequent checks of a budget give no extra tokens") {
  StateBudget budget(3, 100);
  std::uint32_t taken = 0;
  for (std::uint64_t nowMs = 1000; nowMs < 2000; ++nowMs) taken += takeAll(budget, nowMs);
  EXPECT(taken == 3 + 9);
}

TEST("a token taken past the budget causes no debt, and an interval of 0 is unlimited") {
  StateBudget budget(1, 100);
  budget.take();
  budget.take();
  EXPECT(!budget.isLeft(99));
  EXPECT(takeAll(budget, 100) == 1);
  StateBudget boundless(1, 0);
  EXPECT(takeAll(boundless, 0) == 100);
}
