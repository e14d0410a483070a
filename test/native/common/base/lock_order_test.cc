// A thread takes locks in the order of their ranks, or ends the process in a build that checks.
#include "common/base/lock_order.h"

#include <csignal>
#include <mutex>
#include <shared_mutex>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"

using namespace seriesdb;

namespace {

using Outer = OrderedMutex<LockRank::kManifest>;
using Inner = OrderedMutex<LockRank::kView>;

// True if a child process that runs `body` is aborted.
template <typename Body>
bool isAborted(Body body) {
  const pid_t child = ::fork();
  if (child == 0) {
    // The message of the check is expected.
    ::close(STDERR_FILENO);
    std::signal(SIGABRT, SIG_DFL);
    body();
    ::_exit(0);
  }
  int status = 0;
  EXPECT(child > 0 && ::waitpid(child, &status, 0) == child);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

TEST("a rank conflicts with the highest one that the thread holds, and with itself") {
  HeldLocks held;
  EXPECT(!held.conflictWith(LockRank::kView));
  held.add(LockRank::kView);
  held.add(LockRank::kManifest);
  EXPECT(held.conflictWith(LockRank::kViewWriting) == LockRank::kView);
  EXPECT(held.conflictWith(LockRank::kView) == LockRank::kView);
  EXPECT(!held.conflictWith(LockRank::kHealth));
  held.remove(LockRank::kView);
  EXPECT(!held.conflictWith(LockRank::kView));
  EXPECT(held.conflictWith(LockRank::kManifest) == LockRank::kManifest);
}

TEST("two locks in the wrong order end the process in a build that checks, and in no other") {
  const auto invert = [] {
    Outer outer;
    Inner inner;
    const std::lock_guard first(inner);
    const std::lock_guard second(outer);
  };
  EXPECT(isAborted(invert) == kChecksLockOrder);
}

TEST("a shared lock that follows an inner one ends the process in a build that checks") {
  const auto invert = [] {
    OrderedSharedMutex<LockRank::kIndexTables> tables;
    OrderedMutex<LockRank::kHealth> health;
    const std::lock_guard first(health);
    const std::shared_lock second(tables);
  };
  EXPECT(isAborted(invert) == kChecksLockOrder);
}

TEST("locks in the order of their ranks, attempts, and a waiting condition pass the check") {
  Outer outer;
  Inner inner;
  OrderedCondition changed;
  bool isSet = false;
  std::thread setter([&] {
    const std::lock_guard first(outer);
    const std::lock_guard second(inner);
    isSet = true;
    changed.notify_all();
  });
  {
    std::unique_lock lock(inner);
    changed.wait(lock, [&] { return isSet; });
    const std::unique_lock attempt(outer, std::try_to_lock);
    EXPECT(lock.owns_lock());
  }
  setter.join();
  const std::lock_guard first(outer);
  const std::lock_guard second(inner);
  EXPECT(isSet);
}

TEST("a lock with a rank is as large as one without") {
  EXPECT(sizeof(Outer) == sizeof(std::mutex));
}

}  // namespace
