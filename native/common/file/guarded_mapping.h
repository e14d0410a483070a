// A file mapped for reading of which a page may fail.
//
// A page that the disk cannot give, or that lies behind the end of a file which was cut, raises
// SIGBUS in the thread that touches it, and the process would end. Here the whole mapping is given
// up instead: it is marked as lost and shows zeros from then on. Whoever reads from it looks at
// isLost() afterwards and throws away what it got when that is true.
//
// All of a process share one signal handler, which knows every live mapping. A SIGBUS elsewhere, or
// one that was sent, goes to the handler that was there before. Nothing is raised, thrown or jumped
// over, so that the code which reads need not know of it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "common/base/bytes.h"

namespace seriesdb {

// What was read so far is read before whatever follows. A load that acquires holds back only what
// comes after it. ThreadSanitizer knows no fences.
inline void finishReads() {
#if !defined(__SANITIZE_THREAD__)
  std::atomic_thread_fence(std::memory_order_acquire);
#endif
}

class GuardedMapping {
  struct Key {};

 public:
  GuardedMapping(Key key, Bytes bytes, std::uint32_t slot);
  // A process has at most so many. Every one counts against the kernel's vm.max_map_count, of which
  // they take a quarter at most: past it the allocator gets no memory either.
  static constexpr std::size_t kCountMax = 16384;

  // Null when there is no mapping left, or the kernel refuses. The descriptor may be closed
  // afterwards. REQUIRES: size > 0
  static std::unique_ptr<GuardedMapping> make(int descriptor, std::size_t size);
  GuardedMapping(const GuardedMapping&) = delete;
  GuardedMapping& operator=(const GuardedMapping&) = delete;
  ~GuardedMapping();

  Bytes bytes() const { return bytes_; }
  // Whether a page of it has failed. What was read before this said false is what the file holds.
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
