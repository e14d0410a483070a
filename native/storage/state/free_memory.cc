#include "storage/state/free_memory.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <mutex>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace seriesdb {
namespace {

constexpr int kMapThreshold = 8 << 20;
constexpr int kTrimThreshold = 32 << 20;
// glibc's own default.
constexpr int kTrimThresholdForGood = 128 << 10;

// True once fixAllocatorThresholds() has set the trim threshold: it may then change for a while.
std::atomic<bool> isTrimThresholdOurs = false;

std::atomic<bool> isReturnOwed = false;
std::atomic<bool> isLastReturnOwed = false;

// Two that exist at once may restore early; the later one then keeps some megabytes.
void setTrimThreshold([[maybe_unused]] int bytes) {
#ifdef __GLIBC__
  if (isTrimThresholdOurs.load(std::memory_order_relaxed)) ::mallopt(M_TRIM_THRESHOLD, bytes);
#endif
}

#ifdef __GLIBC__
// Whether the environment sets a threshold, by its variable or by a tunable of glibc.
bool isSetOutside(const char* variable, const char* tunable) {
  const char* const tunables = std::getenv("GLIBC_TUNABLES");
  return std::getenv(variable) != nullptr ||
         (tunables != nullptr && std::strstr(tunables, tunable) != nullptr);
}
#endif

}  // namespace

void fixAllocatorThresholds() {
#ifdef __GLIBC__
  static std::once_flag once;
  std::call_once(once, [] {
    if (!isSetOutside("MALLOC_MMAP_THRESHOLD_", "glibc.malloc.mmap_threshold")) {
      ::mallopt(M_MMAP_THRESHOLD, kMapThreshold);
    }
    isTrimThresholdOurs = !isSetOutside("MALLOC_TRIM_THRESHOLD_", "glibc.malloc.trim_threshold");
    setTrimThreshold(kTrimThreshold);
  });
#endif
}

void returnFreeMemory() {
#ifdef __GLIBC__
  static_cast<void>(::malloc_trim(0));
#endif
}

void oweReturn() {
  isReturnOwed = true;
  isLastReturnOwed = true;
}

bool takeReturn(bool isLast) {
  using Clock = std::chrono::steady_clock;
  constexpr Clock::duration kEvery = std::chrono::milliseconds(100);
  static std::atomic<Clock::rep> takenAt = 0;
  std::atomic<bool>& isOwed = isLast ? isLastReturnOwed : isReturnOwed;
  if (!isOwed.load(std::memory_order_relaxed)) return false;
  const Clock::rep now = Clock::now().time_since_epoch().count();
  if (!isLast && now - takenAt.load(std::memory_order_relaxed) < kEvery.count()) return false;
  if (!isOwed.exchange(false)) return false;
  if (isLast) isReturnOwed = false;
  takenAt = now;
  return true;
}

FreeingForGood::FreeingForGood() { setTrimThreshold(kTrimThresholdForGood); }

FreeingForGood::~FreeingForGood() {
  setTrimThreshold(kTrimThreshold);
  returnFreeMemory();
}

}  // namespace seriesdb
