// A file mapped for reading whose pages may fail.
//
// SIGBUS hits a thread that touches a page which the disk cannot read, or which lies behind the end
// of a cut file. Normally this ends the process. Here the whole mapping is given up instead: it is
// marked as lost and shows zeros from then on. A reader checks isLost() afterwards and discards its
// result if it is true.
//
// All mappings of a process share one signal handler, which knows every live mapping. A SIGBUS
// elsewhere, or one that was sent, goes to the previous handler. The handler neither throws nor
// jumps, so the reading code need not know about it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "common/base/bytes.h"

namespace seriesdb {

// Completes all earlier reads before anything that follows. An acquire load alone orders only the
// operations after it. ThreadSanitizer does not support fences.
inline void finishReads() {
#if !defined(__SANITIZE_THREAD__)
  std::atomic_thread_fence(std::memory_order_acquire);
#endif
}

class GuardedMapping {
  struct Key {};

 public:
  GuardedMapping(Key key, Bytes bytes, std::uint32_t slot);
  // The most mappings of a process. Each counts against the kernel's vm.max_map_count. They use at
  // most a quarter of it: beyond that limit the allocator fails, too.
  static constexpr std::size_t kCountMax = 16384;

  // Null if no mapping is left or the kernel refuses. The descriptor may be closed afterwards.
  // REQUIRES: size > 0
  static std::unique_ptr<GuardedMapping> make(int descriptor, std::size_t size);
  GuardedMapping(const GuardedMapping&) = delete;
  GuardedMapping& operator=(const GuardedMapping&) = delete;
  ~GuardedMapping();

  Bytes bytes() const { return bytes_; }
  // True if a page of the mapping has failed. If false, all earlier reads got the file's content.
  bool isLost() const {
    finishReads();
    return isLost_.load(std::memory_order_acquire);
  }

 private:
  const Bytes bytes_;
  const std::uint32_t slot_;
  const std::atomic<bool>& isLost_;
};

}  // namespace seriesdb
