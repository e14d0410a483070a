// The order of all locks of the core. A thread that holds a lock takes only locks of higher ranks,
// so no two threads wait for each other's locks. Waits for conditions and for the end of a thread
// are not checked. See docs/decisions/0150-order-of-locks.md.
//
// Debug builds and builds with a sanitizer check this, and that no thread takes two locks of one
// rank. In a release build, an OrderedMutex is a std::mutex.
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "common/base/locks.h"

namespace seriesdb {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(NDEBUG)
inline constexpr bool kChecksLockOrder = true;
#else
inline constexpr bool kChecksLockOrder = false;
#endif

// From the outermost to the innermost.
enum class LockRank : std::uint8_t {
  kSessionClosing,  // One thread at a time closes the engine of a session.
  kPastStates,      // The open past states of the process; held while one is opened.
  kOpenEngine,      // The users of an engine; held while the last one closes it.
  kSharedEngines,   // The engines that other environments of the process may join.
  kEngineClosing,   // One thread at a time ends the threads of an engine.
  kQueryState,      // Which state a query is in; held while a state ends.
  kTaskEnd,         // The last line of a compaction or migration that a client watches.
  kSegmentWriting,  // New segment files, until MANIFEST names them; outputs of merges excepted.
  kManifest,        // The ledger: MANIFEST and REFS.
  kRefsReading,     // The file of REFS that many readers share; held while one opens it.
  kReserve,         // RESERVE, the disk space that a flush may need.
  kTombstones,      // Writers that replace the tombstones of the view.
  kViewWriting,     // Writers of the view; held while one changes a copy.
  kView,            // The pointer to the current view.
  kAnnotations,     // The annotations.
  kIndexHolder,     // The pointer to the current generation of the index.
  kIndexTables,     // The tables of one generation.
  kIndexMemory,     // The counted memory of one generation.
  kMemtable,        // The samples of one memtable.
  kBlockFigures,    // The counts of the memtables' small blocks.
  kRemoverQueue,    // Deletions that wait for the remover.
  kCommitterQueue,  // Requests that wait for the committer.
  kCompactorQueue,  // Requests that wait for the compactor.
  kFlusherQueue,    // Requests that wait for the flusher.
  kPublisher,       // Whether the publisher to a bucket should end.
  kLogShipping,     // The shipper of the WAL to a bucket, and whether it is over.
  kLogShipper,      // What the bucket has of the WAL.
  kAnswers,         // Answers that wait until the bucket has their records.
  kSharedStores,    // The stores of the process.
  kStoreQueue,      // Requests that wait for the client of a store.
  kTaskQueue,       // Tasks that wait for a thread. The last user of a memtable posts one.
  kCompletions,     // Completions that wait for the JavaScript thread.
  kWalEnd,          // The end of the WAL, for its readers.
  kSegmentDamage,   // The damage that reads of one segment have met.
  kLimits,          // The current limits of an engine.
  kTaskWatch,       // The progress of a compaction or migration.
  kHealth,          // The reasons of a degraded engine.
  kWorkPace,        // The pace that several threads share.
  kParts,           // The parts of a task that several threads share.
  kStoreBlocks,     // The blocks of an object of a bucket, which its readers share.
  kPauser,          // Whether pauses of a task have ended.
  kMappings,        // The mapped files of the process.
};

// The ranks that a thread holds.
class HeldLocks {
 public:
  // A held lock that must not be held while one of `rank` is taken.
  std::optional<LockRank> conflictWith(LockRank rank) const;
  void add(LockRank rank);
  void remove(LockRank rank);

 private:
  static constexpr std::size_t kHeldMax = 16;

  std::array<LockRank, kHeldMax> ranks_{};
  std::size_t count_ = 0;
};

// What the locks below do beside locking if kChecksLockOrder. For the calling thread.
namespace lock_order {
// Ends the process with both ranks on stderr if the order forbids to take the lock now.
void check(LockRank rank);
void noteTaken(LockRank rank);
void noteReleased(LockRank rank);
}  // namespace lock_order

template <LockRank kRank>
class OrderedMutex : public std::mutex {
 public:
  void lock() {
    checkOrder();
    std::mutex::lock();
    if constexpr (kChecksLockOrder) lock_order::noteTaken(kRank);
  }
  // Does not wait, so any order is safe.
  bool try_lock() {
    const bool isTaken = std::mutex::try_lock();
    if constexpr (kChecksLockOrder) {
      if (isTaken) lock_order::noteTaken(kRank);
    }
    return isTaken;
  }
  void unlock() {
    std::mutex::unlock();
    if constexpr (kChecksLockOrder) lock_order::noteReleased(kRank);
  }
  // For a caller that first tries and then waits.
  static void checkOrder() {
    if constexpr (kChecksLockOrder) lock_order::check(kRank);
  }
};

template <LockRank kRank>
class OrderedSharedMutex : public SharedMutex {
 public:
  using SharedMutex::SharedMutex;

  void lock() {
    if constexpr (kChecksLockOrder) lock_order::check(kRank);
    SharedMutex::lock();
    if constexpr (kChecksLockOrder) lock_order::noteTaken(kRank);
  }
  void unlock() {
    SharedMutex::unlock();
    if constexpr (kChecksLockOrder) lock_order::noteReleased(kRank);
  }
  void lock_shared() {
    if constexpr (kChecksLockOrder) lock_order::check(kRank);
    SharedMutex::lock_shared();
    if constexpr (kChecksLockOrder) lock_order::noteTaken(kRank);
  }
  // Does not wait, so any order is safe.
  bool try_lock_shared() {
    const bool isTaken = SharedMutex::try_lock_shared();
    if constexpr (kChecksLockOrder) {
      if (isTaken) lock_order::noteTaken(kRank);
    }
    return isTaken;
  }
  void unlock_shared() {
    SharedMutex::unlock_shared();
    if constexpr (kChecksLockOrder) lock_order::noteReleased(kRank);
  }
};

// std::condition_variable for locks of an OrderedMutex. The thread counts as a holder while it
// waits: it takes no other lock meanwhile.
class OrderedCondition {
 public:
  template <LockRank kRank>
  using Lock = std::unique_lock<OrderedMutex<kRank>>;

  template <LockRank kRank, typename Is>
  void wait(Lock<kRank>& lock, Is is) {
    Plain plain(*lock.mutex());
    condition_.wait(plain.lock, std::move(is));
  }
  template <LockRank kRank>
  void wait(Lock<kRank>& lock) {
    Plain plain(*lock.mutex());
    condition_.wait(plain.lock);
  }
  template <LockRank kRank, typename Duration, typename Is>
  bool wait_for(Lock<kRank>& lock, const Duration& duration, Is is) {
    Plain plain(*lock.mutex());
    return condition_.wait_for(plain.lock, duration, std::move(is));
  }
  void notify_one() { condition_.notify_one(); }
  void notify_all() { condition_.notify_all(); }

 private:
  // The lock as std::condition_variable wants it. The caller's lock stays the owner.
  struct Plain {
    explicit Plain(std::mutex& mutex) : lock(mutex, std::adopt_lock) {}
    ~Plain() { lock.release(); }
    Plain(const Plain&) = delete;
    Plain& operator=(const Plain&) = delete;

    std::unique_lock<std::mutex> lock;
  };

  std::condition_variable condition_;
};

}  // namespace seriesdb
