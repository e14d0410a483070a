// The samples that are in the WAL but not yet in a segment, in strips of (ts, value), one a series.
//
// Strips stand in order of arrival, which is the order of WAL sequence. A strip that stays
// ascending in time costs nothing to read; another is sorted by the reader (stable, so that of
// equal timestamps the last one wins).
//
// Threads: one writer (the committer), any number of readers. The writer holds the lock for a batch
// of some thousand samples, a reader for the copy of one series.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <span>
#include <vector>

#include "common/base/locks.h"
#include "common/base/memory_account.h"
#include "common/types/sample.h"
#include "common/types/tombstone.h"
#include "storage/memtable/slab_arena.h"
#include "storage/memtable/small_pool.h"

namespace seriesdb {

class Memtable {
 public:
  // With a pool, strip buffers up to SmallPool::kSizeMax come from there and go back at the end;
  // without one, all are cut from slabs of this memtable's own. The pool is shared because a reader
  // may keep a memtable longer than its engine lives. What it holds is counted in the account, if
  // there is one, and who waits for its lock in `waits`.
  explicit Memtable(std::shared_ptr<SmallPool> pool = nullptr,
                    std::shared_ptr<MemoryAccount> account = nullptr,
                    std::shared_ptr<LockWaits> waits = std::make_shared<LockWaits>())
      : mutex_(std::move(waits)), pool_(std::move(pool)), counted_(std::move(account)) {}
  ~Memtable();
  Memtable(const Memtable&) = delete;
  Memtable& operator=(const Memtable&) = delete;

  // Appends equal-length columns.
  void append(std::span<const SeriesRef> refs, std::span<const Timestamp> ts,
              std::span<const double> values);

  // Erases the samples of the tombstone; writer only, like append(). Readers see all of them go at
  // once. A large erasure is deferred: strips still hold the samples, and reads skip them, until
  // the strip takes its next sample or carryOut() reaches it.
  void erase(std::shared_ptr<const Tombstone> tombstone);
  // Whether erase() may remove anything; true as well if a precise answer takes long. Writer only.
  bool mayHold(const Tombstone& tombstone) const;
  // Applies deferred erasures to some more strips, in some hundred microseconds. False if none is
  // left. Writer only.
  bool carryOut();
  // Grows with each erasure, and with each deferred one applied to a strip. If two calls return the
  // same, all reads between them saw the same erasures.
  std::uint64_t erasureStep() const { return erasureStep_.load(std::memory_order_acquire); }
  // The number of erasures, and the erasures from a number on, in order.
  std::size_t erasureCount() const { return erasureCount_.load(std::memory_order_relaxed); }
  Tombstones erasuresFrom(std::size_t number) const;

  // Facts about a strip that need no read of its samples.
  struct Extent {
    std::size_t count = 0;     // As sampleCountOf().
    TimeRange range{0, -1};    // Holds all samples; exact where `isAscending`.
    bool isAscending = false;  // Arrived in order: `count`, `first` and `last` are exact.
    double first = 0;          // The value at range.start.
    double last = 0;           // The value at range.end.
    bool isFinite = true;      // All are numbers; false where it is not known.
    std::uint64_t erasureStep = 0;
  };
  Extent extentOf(SeriesRef ref) const;

  struct StripRead {
    TimeRange range{0, -1};
    std::size_t countMax = 0;
    // The strip as it was when it had this extent, as long as nothing is erased; null for all.
    const Extent* asOf = nullptr;
  };
  // Samples of the series in the range: ascending, one a timestamp. Replaces the content of `out`.
  // A strip that arrived in order gives at most `countMax`, so that the lock is held shortly; true
  // when more may follow after the last sample given.
  bool read(SeriesRef ref, const StripRead& wanted, std::vector<Sample>& out) const;

  // Upper bound of how many samples read() may give.
  std::size_t sampleCountOf(SeriesRef ref) const;

  // A position in a strip, to ask later for the samples that arrived since.
  struct StripMark {
    std::uint32_t count = 0;
    std::uint16_t eraseCount = 0;
  };
  StripMark markOf(SeriesRef ref) const;
  // Widens the bounds by what arrived in the strip since the mark. False, and the mark tells
  // nothing, when samples were taken out of the strip since. The writer's.
  bool widenSince(SeriesRef ref, StripMark mark, std::optional<TimeRange>& bounds) const;

  // Visits every series ascending by ref, samples ascending and unique. The span is valid for the
  // call. REQUIRES: no writer any more.
  void forEachSeries(const std::function<bool(SeriesRef, std::span<const Sample>)>& visit) const;

  std::uint64_t memoryBytes() const { return memoryBytes_.load(std::memory_order_relaxed); }
  // Read beside the writer: at least the samples that a reader has seen in the strips.
  std::uint64_t sampleCount() const { return sampleCount_.load(std::memory_order_relaxed); }

 private:
  struct Strip {
    Sample* samples = nullptr;
    std::uint32_t count = 0;
    std::uint32_t capacity = 0;
    Timestamp last = 0;
    bool isAscending = true;
    bool isFinite = true;  // Also of samples that were erased.
    std::uint16_t eraseCount = 0;  // Times that samples were taken out; wraps.
    std::uint32_t carriedOut = 0;  // How many of `largeErasures_` are applied to the strip.
  };
  static constexpr std::size_t kPageStrips = 1024;
  using Page = std::unique_ptr<Strip[]>;

  static std::uint32_t eraseFrom(Strip& strip, TimeRange range);
  void catchUp(SeriesRef ref, Strip& strip);
  std::vector<TimeRange> pendingOf(SeriesRef ref, const Strip& strip) const;
  void appendBatch(std::span<const SeriesRef> refs, const Timestamp* ts, const double* values);
  Strip& stripFor(SeriesRef ref);
  const Strip* findStrip(SeriesRef ref) const;
  void grow(Strip& strip);
  void* takeBuffer(std::size_t bytes);
  void giveBack(void* buffer, std::size_t bytes);
  static void normalize(std::vector<Sample>& samples);

  mutable SharedMutex mutex_;
  std::vector<Page> pages_;
  const std::shared_ptr<SmallPool> pool_;  // May be null.
  MemoryHold counted_;
  std::uint64_t pooledBytes_ = 0;
  SlabArena arena_;
  std::uint64_t pageBytes_ = 0;
  Tombstones erasures_;
  // Erasures not yet applied to every strip. A strip applies all pending ones before it accepts a
  // sample, so a strip that lags holds only older samples.
  Tombstones largeErasures_;
  std::size_t carriedOut_ = 0;        // How many of them are applied to every strip.
  std::size_t carriedOutSeries_ = 0;  // How many series of the next one are done.
  std::atomic<std::size_t> erasureCount_{0};
  std::atomic<std::uint64_t> erasureStep_{0};
  std::atomic<std::uint64_t> memoryBytes_{0};
  std::atomic<std::uint64_t> sampleCount_{0};
};

}  // namespace seriesdb
