// The table of mappings, and the signal handler that searches it.
//
// The handler may run in any thread at any moment. So it takes no lock, allocates nothing and only
// makes system calls. It needs no lock: a thread that faults in a mapping holds it, so that slot
// does not change. Other slots may change during the search. If `begin` is the same before and
// after reading `size`, both belong together. Live mappings do not overlap, so no other slot can
// claim this address.
#include "common/file/guarded_mapping.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <mutex>

#include "common/base/lock_order.h"

namespace seriesdb {
namespace {

// Our share of the mappings that the process may have: one in kPart.
#if defined(__SANITIZE_THREAD__)
constexpr std::size_t kPart = 16;  // The sanitizer makes mappings of its own beside each.
#else
constexpr std::size_t kPart = 4;
#endif

struct Slot {
  std::atomic<std::uintptr_t> begin{0};  // 0: no mapping.
  std::atomic<std::size_t> size{0};
  std::atomic<bool> isLost{false};
};

// One per process, never destroyed, because the handler stays installed. Pages without used slots
// take no memory.
struct Table {
  std::array<Slot, GuardedMapping::kCountMax> slots;
  std::atomic<std::uint32_t> usedCount{0};  // Slots from here on were never used.
  OrderedMutex<LockRank::kMappings> mutex;  // Guards the members below.
  std::array<std::uint32_t, GuardedMapping::kCountMax> freed{};
  std::size_t freedCount = 0;
};
constinit Table mappings;

struct sigaction previousAction;

// Marks the mapping that contains the address as lost, and replaces it by zeros.
bool giveUp(std::uintptr_t address) {
  const std::uint32_t count = mappings.usedCount.load(std::memory_order_acquire);
  for (std::uint32_t i = 0; i < count; ++i) {
    Slot& slot = mappings.slots[i];
    const std::uintptr_t begin = slot.begin.load(std::memory_order_acquire);
    if (begin == 0 || address < begin) continue;
    const std::size_t size = slot.size.load(std::memory_order_acquire);
    if (address - begin >= size) continue;
    if (slot.begin.load(std::memory_order_acquire) != begin) continue;
    // Mark before the zeros appear, so that no thread reads zeros and then finds the mapping
    // intact.
    slot.isLost.store(true, std::memory_order_seq_cst);
    // Not through mmap(), which sanitizers intercept.
    constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE;
    return ::syscall(SYS_mmap, begin, size, PROT_READ, kFlags, -1, 0) == static_cast<long>(begin);
  }
  return false;
}

// Does what would happen without this handler.
void passOn(int number, siginfo_t* info, void* context) {
  if ((previousAction.sa_flags & SA_SIGINFO) != 0) {
    return previousAction.sa_sigaction(number, info, context);
  }
  const bool isSent = info->si_code <= 0;
  const auto handler = previousAction.sa_handler;
  if (handler == SIG_IGN && isSent) return;
  if (handler != SIG_DFL && handler != SIG_IGN) return handler(number);
  // The failed instruction runs again and ends the process.
  struct sigaction fallback {};
  fallback.sa_handler = SIG_DFL;
  ::sigaction(number, &fallback, nullptr);
  if (isSent) ::raise(number);
}

void onBusError(int number, siginfo_t* info, void* context) {
  const int savedError = errno;
  const bool isOurs = info->si_code > 0 && giveUp(reinterpret_cast<std::uintptr_t>(info->si_addr));
  errno = savedError;
  if (!isOurs) passOn(number, info, context);
}

bool installHandler() {
  if (::sigaction(SIGBUS, nullptr, &previousAction) != 0) return false;
  struct sigaction action = previousAction;
  // If the thread has a signal stack, run on it, as other code expects.
  action.sa_flags = (previousAction.sa_flags & SA_NODEFER) | SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  action.sa_sigaction = &onBusError;
  return ::sigaction(SIGBUS, &action, nullptr) == 0;
}

std::size_t countAllowed() {
  static const bool isInstalled = installHandler();
  static const std::size_t allowed = [] {
    constexpr std::size_t kUsualMapCount = 65530;
    unsigned long mapCount = kUsualMapCount;
    if (std::FILE* file = std::fopen("/proc/sys/vm/max_map_count", "re")) {
      if (std::fscanf(file, "%lu", &mapCount) != 1) mapCount = kUsualMapCount;
      static_cast<void>(std::fclose(file));
    }
    return std::min<std::size_t>(mapCount / kPart, GuardedMapping::kCountMax);
  }();
  return isInstalled ? allowed : 0;
}

// kCountMax if no slot is left.
std::uint32_t takeSlot() {
  const std::size_t allowed = countAllowed();
  const std::lock_guard lock(mappings.mutex);
  if (mappings.freedCount > 0) return mappings.freed[--mappings.freedCount];
  const std::uint32_t next = mappings.usedCount.load(std::memory_order_relaxed);
  if (next >= allowed) return GuardedMapping::kCountMax;
  mappings.usedCount.store(next + 1, std::memory_order_release);
  return next;
}

void giveBackSlot(std::uint32_t slot) {
  const std::lock_guard lock(mappings.mutex);
  mappings.freed[mappings.freedCount++] = slot;
}

// Rounds up: the handler replaces whole pages.
std::size_t pagesOf(std::size_t size) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return (size + page - 1) / page * page;
}

}  // namespace

std::unique_ptr<GuardedMapping> GuardedMapping::make(int descriptor, std::size_t size) {
  const std::uint32_t index = takeSlot();
  if (index == kCountMax) return nullptr;
  void* memory = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, descriptor, 0);
  if (memory == MAP_FAILED) {
    giveBackSlot(index);
    return nullptr;
  }
  Slot& slot = mappings.slots[index];
  slot.isLost.store(false, std::memory_order_relaxed);
  slot.size.store(pagesOf(size), std::memory_order_release);
  slot.begin.store(reinterpret_cast<std::uintptr_t>(memory), std::memory_order_release);
  const Bytes bytes(static_cast<const std::uint8_t*>(memory), size);
  return std::make_unique<GuardedMapping>(Key{}, bytes, index);
}

GuardedMapping::GuardedMapping(Key, Bytes bytes, std::uint32_t slot)
    : bytes_(bytes), slot_(slot), isLost_(mappings.slots[slot].isLost) {}

GuardedMapping::~GuardedMapping() {
  mappings.slots[slot_].begin.store(0, std::memory_order_release);
  ::munmap(const_cast<std::uint8_t*>(bytes_.data()), bytes_.size());
  giveBackSlot(slot_);
}

}  // namespace seriesdb
