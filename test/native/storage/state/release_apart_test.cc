#include "storage/state/release_apart.h"

#include <atomic>
#include <thread>

#include "harness.h"

using namespace seriesdb;

namespace {

// Records the thread that freed it.
struct Probe {
  explicit Probe(std::atomic<std::thread::id>& told) : told_(told) {}
  ~Probe() { told_ = std::this_thread::get_id(); }
  std::atomic<std::thread::id>& told_;
};

TEST("large objects are freed on another thread than that of their last holder") {
  std::atomic<std::thread::id> freedBy;
  auto releases = std::make_shared<TaskPool>(1);
  auto held = releasedApart(std::make_unique<Probe>(freedBy), releases);
  auto other = held;
  held.reset();
  EXPECT(freedBy == std::thread::id());
  other.reset();
  releases->stop();
  EXPECT(freedBy != std::thread::id());
  EXPECT(freedBy != std::this_thread::get_id());
}

TEST("after the freeing thread stopped, the last holder frees an object") {
  for (const bool isGone : {false, true}) {
    std::atomic<std::thread::id> freedBy;
    auto releases = std::make_shared<TaskPool>(1);
    auto held = releasedApart(std::make_unique<Probe>(freedBy), releases);
    releases->stop();
    if (isGone) releases.reset();
    held.reset();
    EXPECT(freedBy == std::this_thread::get_id());
  }
}

}  // namespace
