#include "base/page_residency.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace seriesdb {
namespace {

// Of larger pieces nobody need know: what reads them is no short read.
constexpr std::size_t kPagesMax = 64;

#ifdef __linux__
using PageState = unsigned char;
#else
using PageState = char;
#endif

}  // namespace

bool isInMemory(Bytes mapped) {
  static const auto pageSize = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  if (mapped.empty()) return false;
  const auto address = reinterpret_cast<std::uintptr_t>(mapped.data());
  const std::uintptr_t begin = address / pageSize * pageSize;
  const std::size_t size = address - begin + mapped.size();
  const std::size_t pages = (size + pageSize - 1) / pageSize;
  if (pages > kPagesMax) return false;
  std::array<PageState, kPagesMax> states{};
  if (mincore(reinterpret_cast<void*>(begin), size, states.data()) != 0) return false;
  return std::all_of(states.begin(), states.begin() + static_cast<std::ptrdiff_t>(pages),
                     [](PageState state) { return (state & 1) != 0; });
}

}  // namespace seriesdb
