// WorkPace under a simulated clock: the share of time worked, and which thread is delayed.
#include "common/base/work_pace.h"

#include <algorithm>

#include "harness.h"

using namespace seriesdb;

namespace {

constexpr std::uint64_t kMillisecond = 1'000'000;

// A simulated world in which urgent work takes a fixed part of every moment.
struct World {
  std::uint64_t now = 1;
  std::uint64_t urgentPercent = 0;
  std::uint64_t urgent = 0;
  std::uint64_t slept = 0;
  std::uint64_t longestSleep = 0;

  void pass(std::uint64_t nanos) {
    now += nanos;
    urgent += nanos * urgentPercent / 100;
  }
  PaceSurroundings surroundings() {
    return {[this] { return now; }, [this] { return urgent; },
            [this](std::uint64_t nanos) {
              pass(nanos);
              slept += nanos;
              longestSleep = std::max(longestSleep, nanos);
            }};
  }
};

// Works for `work` in steps of 20 microseconds. Returns the share of time worked, in percent.
std::uint64_t sharePercent(World& world, PacedThread& thread, std::uint64_t work) {
  const std::uint64_t begin = world.now;
  thread.begin();
  for (std::uint64_t done = 0; done < work; done += 20'000) {
    world.pass(20'000);
    thread.step();
  }
  thread.end();
  return work * 100 / (world.now - begin);
}

TEST("long work beside busy urgent work gets its share of the time") {
  World world;
  world.urgentPercent = 60;
  WorkPace pace(world.surroundings(), 20);
  PacedThread thread(pace);
  const std::uint64_t share = sharePercent(world, thread, 200 * kMillisecond);
  EXPECT(share >= 19);
  EXPECT(share <= 24);
  EXPECT(world.longestSleep <= 13 * kMillisecond);
}

TEST("long work is not delayed while urgent work is idle or almost idle") {
  for (const std::uint64_t percent : {0, 5}) {
    World world;
    world.urgentPercent = percent;
    WorkPace pace(world.surroundings(), 20);
    PacedThread thread(pace);
    EXPECT(sharePercent(world, thread, 200 * kMillisecond) == 100);
  }
}

TEST("occasional short work is not delayed beside busy urgent work") {
  World world;
  world.urgentPercent = 90;
  WorkPace pace(world.surroundings(), 20);
  PacedThread thread(pace);
  sharePercent(world, thread, 100 * kMillisecond);
  for (int i = 0; i < 100; ++i) {
    world.pass(10 * kMillisecond);
    EXPECT(sharePercent(world, thread, kMillisecond) == 100);
  }
}

TEST("many short tasks without a pause are delayed as much as one long task") {
  World world;
  world.urgentPercent = 60;
  WorkPace pace(world.surroundings(), 20);
  PacedThread thread(pace);
  const std::uint64_t begin = world.now;
  for (int i = 0; i < 1000; ++i) {
    thread.begin();
    world.pass(kMillisecond / 5);
    thread.end();
  }
  const std::uint64_t share = 200 * kMillisecond * 100 / (world.now - begin);
  EXPECT(share >= 19);
  EXPECT(share <= 24);
}

TEST("work speeds up soon after the urgent work ends") {
  World world;
  world.urgentPercent = 80;
  WorkPace pace(world.surroundings(), 20);
  PacedThread thread(pace);
  sharePercent(world, thread, 50 * kMillisecond);
  world.urgentPercent = 0;
  world.slept = 0;
  sharePercent(world, thread, 200 * kMillisecond);
  EXPECT(world.slept <= 10 * kMillisecond);
}

TEST("a step longer than the credit causes a bounded sleep") {
  World world;
  world.urgentPercent = 80;
  WorkPace pace(world.surroundings(), 20);
  PacedThread thread(pace);
  sharePercent(world, thread, 50 * kMillisecond);
  world.pass(40 * kMillisecond);
  thread.begin();
  world.longestSleep = 0;
  world.pass(45 * kMillisecond);
  thread.step();
  EXPECT(world.longestSleep > 0);
  EXPECT(world.longestSleep <= 13 * kMillisecond);
}

TEST("a thread with a Hurry does not sleep, and sleeps for that time afterwards") {
  World world;
  world.urgentPercent = 60;
  WorkPace pace(world.surroundings(), 20);
  PacedThread thread(pace);
  thread.begin();
  world.slept = 0;
  {
    const PacedThread::Hurry hurry;
    for (std::uint64_t done = 0; done < 50 * kMillisecond; done += 20'000) {
      world.pass(20'000);
      PacedThread::giveWay();
    }
  }
  EXPECT(world.slept == 0);
  PacedThread::giveWay();
  EXPECT(world.slept > 0);
  thread.end();
}

TEST("a thread without a pace does not sleep") {
  World world;
  world.urgentPercent = 80;
  WorkPace pace(world.surroundings(), 20);
  {
    PacedThread thread(pace);
    sharePercent(world, thread, 50 * kMillisecond);
    world.slept = 0;
    world.pass(5 * kMillisecond);
    PacedThread::giveWay();
    EXPECT(world.slept > 0);
  }
  world.slept = 0;
  world.pass(5 * kMillisecond);
  PacedThread::giveWay();
  EXPECT(world.slept == 0);
}

// Runs two threads of the simulated clock in turn: a step of one advances the other too.
TEST("two threads share one pace") {
  World world;
  world.urgentPercent = 60;
  WorkPace pace(world.surroundings(), 20);
  PacedThread first(pace);
  PacedThread second(pace);
  const std::uint64_t begin = world.now;
  constexpr std::uint64_t kStep = 20'000;
  constexpr std::uint64_t kSteps = 5'000;
  first.begin();
  second.begin();
  for (std::uint64_t i = 0; i < kSteps; ++i) {
    world.pass(kStep);
    // One thread cannot work while the other sleeps.
    const std::uint64_t slept = world.slept;
    first.step();
    if (world.slept > slept) second.begin();
    second.step();
    if (world.slept > slept) first.begin();
  }
  const std::uint64_t share = 2 * kStep * kSteps * 100 / (world.now - begin);
  EXPECT(share >= 19);
  EXPECT(share <= 26);
}

TEST("a pace of 100 percent never delays the thread") {
  World world;
  world.urgentPercent = 90;
  WorkPace pace(world.surroundings(), 100);
  PacedThread thread(pace);
  EXPECT(sharePercent(world, thread, 200 * kMillisecond) == 100);
}

}  // namespace
