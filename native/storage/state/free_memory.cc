#include "storage/state/free_memory.h"

#include <cstdlib>
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

// Two that exist at once may restore early; the later one then keeps some megabytes.
void setTrimThreshold([[maybe_unused]] int bytes) {
#ifdef __GLIBC__
  if (std::getenv("MALLOC_TRIM_THRESHOLD_") == nullptr) ::mallopt(M_TRIM_THRESHOLD, bytes);
#endif
}

}  // namespace

void fixAllocatorThresholds() {
#ifdef __GLIBC__
  static std::once_flag once;
  std::call_once(once, [] {
    if (std::getenv("MALLOC_MMAP_THRESHOLD_") == nullptr)
      ::mallopt(M_MMAP_THRESHOLD, kMapThreshold);
    setTrimThreshold(kTrimThreshold);
  });
#endif
}

void returnFreeMemory() {
#ifdef __GLIBC__
  static_cast<void>(::malloc_trim(0));
#endif
}

FreeingForGood::FreeingForGood() { setTrimThreshold(kTrimThresholdForGood); }

FreeingForGood::~FreeingForGood() {
  setTrimThreshold(kTrimThreshold);
  returnFreeMemory();
}

}  // namespace seriesdb
