#include "common/file/page_residency.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace seriesdb {
namespace {

// A page has at least 4 KiB; a part of a block may begin and end within a page.
constexpr std::size_t kPagesMax = PageResidency::kBlockSize / 4096 + 1;

#ifdef __linux__
using PageState = unsigned char;
#else
using PageState = char;
#endif

bool isInMemory(Bytes mapped) {
  static const auto pageSize = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto address = reinterpret_cast<std::uintptr_t>(mapped.data());
  const std::uintptr_t begin = address / pageSize * pageSize;
  const std::size_t size = address - begin + mapped.size();
  const std::size_t pages = (size + pageSize - 1) / pageSize;
  std::array<PageState, kPagesMax> states;
  if (pages > states.size()) return false;
  if (mincore(reinterpret_cast<void*>(begin), size, states.data()) != 0) return false;
  return std::all_of(states.begin(), states.begin() + static_cast<std::ptrdiff_t>(pages),
                     [](PageState state) { return (state & 1) != 0; });
}

}  // namespace

bool PageResidency::holds(std::size_t offset, std::size_t size, std::uint64_t nowMs) const {
  if (size == 0 || size > kBlockSize || offset > mapped_.size() || size > mapped_.size() - offset) {
    return false;
  }
  const std::size_t end = offset + size;
  for (std::size_t at = offset; at < end;) {
    const std::size_t block = at / kBlockSize;
    const std::size_t next = std::min(end, (block + 1) * kBlockSize);
    if (!holdsIn(block, mapped_.subspan(at, next - at), nowMs)) return false;
    at = next;
  }
  return true;
}

bool PageResidency::holdsIn(std::size_t block, Bytes wanted, std::uint64_t nowMs) const {
  std::atomic<std::uint64_t>& seenAt = seenAt_[block];
  const std::uint64_t seen = seenAt.load(std::memory_order_relaxed);
  if (seen != 0 && nowMs - seen < kRememberedMs) return true;
  const std::size_t begin = block * kBlockSize;
  if (isInMemory(mapped_.subspan(begin, std::min(kBlockSize, mapped_.size() - begin)))) {
    seenAt.store(nowMs, std::memory_order_relaxed);
    return true;
  }
  return isInMemory(wanted);
}

}  // namespace seriesdb
