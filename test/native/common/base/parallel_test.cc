// Parts that run in parallel, and parts that are taken in order.
#include "common/base/parallel.h"

#include <atomic>
#include <random>
#include <thread>
#include <vector>

#include "harness.h"

using namespace seriesdb;

TEST("parts are taken in order after they are prepared, and at most `ahead` of them wait") {
  std::mt19937_64 random(test::seed());
  for (int round = 0; round < 200; ++round) {
    const std::size_t count = random() % 60;
    const std::size_t ahead = 1 + random() % 5;
    const std::size_t threads = 1 + random() % 4;
    std::vector<std::atomic<bool>> prepared(count);
    std::atomic<std::size_t> begun = 0;
    std::size_t taken = 0;
    const auto prepare = [&](std::size_t part) {
      EXPECT(!prepared[part].exchange(true));
      begun.fetch_add(1);
    };
    const auto take = [&](std::size_t part) {
      EXPECT(part == taken && prepared[part].load());
      EXPECT(begun.load() <= taken + ahead);
      ++taken;
      return true;
    };
    runOrdered({count, ahead, prepare, take}, threads);
    EXPECT(taken == count && begun.load() == count);
  }
}

TEST("the part that ends the run is the last taken, and preparation stays within its limit") {
  for (const std::size_t last : {std::size_t{0}, std::size_t{7}, std::size_t{99}}) {
    std::atomic<std::size_t> begun = 0;
    std::size_t taken = 0;
    runOrdered({100, 3, [&](std::size_t) { begun.fetch_add(1); },
                [&](std::size_t part) { return taken++, part < last; }},
               3);
    EXPECT(taken == last + 1);
    EXPECT(begun.load() <= last + 4);
  }
}

TEST("parts that wait are prepared on as many threads as asked for, whatever the number of cores") {
  constexpr std::size_t kCount = 12;
  std::atomic<std::size_t> begun = 0;
  std::size_t taken = 0;
  // Each part waits until all have begun.
  const auto prepare = [&begun](std::size_t) {
    begun.fetch_add(1);
    while (begun.load() < kCount) std::this_thread::yield();
  };
  const auto take = [&taken](std::size_t) { return ++taken <= kCount; };
  runOrderedWaits({kCount, kCount, prepare, take}, kCount);
  EXPECT(taken == kCount);
}
