// Samples that are in the WAL but not yet in a segment: one strip of (ts, value) per series.
//
// A strip is in order of arrival, which is the order of WAL sequence. A strip that ascends in time
// needs no work to read. The reader sorts any other strip (stable, so of equal timestamps the last
// one wins).
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

#include "common/base/lock_order.h"
#include "common/base/locks.h"
#include "common/base/memory_account.h"
#include "common/types/sample.h"
#include "common/types/tombstone.h"
#include "storage/memtable/slab_arena.h"

namespace seriesdb {

class Memtable {
 public:
  // `blocks`, if given, counts the strips' buffers. It is shared because a reader may keep a
  // memtable longer than its engine lives. `account`, if given, counts the memory; `waits` counts
  // waits for the lock.
  explicit Memtable(std::shared_ptr<BlockFigures> blocks = nullptr,
                    std::shared_ptr<MemoryAccount> account = nullptr,
                    std::shared_ptr<LockWaits> waits = std::make_shared<LockWaits>())
      : mutex_(std::move(waits)), counted_(std::move(account)), arena_(std::move(blocks)) {}
  Memtable(const Memtable&) = delete;
  Memtable& operator=(const Memtable&) = delete;

  // Appends equal-length columns.
  void append(std::span<const SeriesRef> refs, std::span<const Timestamp> ts,
              std::span<const double> values);

  // Erases the samples of the tombstone; writer only, like append(). For readers all samples
  // disappear at once. A large erasure is deferred: strips still hold the samples, and reads skip
  // them, until the strip takes its next sample or carryOut() reaches it.
  void erase(std::shared_ptr<const Tombstone> tombstone);
  // Whether erase() may remove anything; true as well if a precise answer takes long. Writer only.
  bool mayHold(const Tombstone& tombstone) const;
  // Applies deferred erasures to some strips, in some hundred microseconds. False if no erasure is
  // pending. Writer only.
  bool carryOut();
  // Grows with each erasure, and with each deferred one applied to a strip. If two calls return the
  // same, all reads between them saw the same erasures.
  std::uint64_t erasureStep() const { return erasureStep_.load(std::memory_order_acquire); }
  // The number of erasures so far, and the erasures from `number` on, in order.
  std::size_t erasureCount() const { return erasureCount_.load(std::memory_order_relaxed); }
  Tombstones erasuresFrom(std::size_t number) const;

  // Facts about a strip that need no read of its samples.
  struct Extent {
    std::size_t count = 0;     // As sampleCountOf().
    TimeRange range{0, -1};    // Contains all samples; exact if `isAscending`.
    bool isAscending = false;  // Arrived in order: `count`, `first` and `last` are exact.
    double first = 0;          // The value at range.start.
    double last = 0;           // The value at range.end.
    bool isFinite = true;      // True if all values are finite; false if unknown.
    std::uint64_t erasureStep = 0;
  };
  Extent extentOf(SeriesRef ref) const;

  struct StripRead {
    TimeRange range{0, -1};
    std::size_t countMax = 0;
    // Reads the strip as it was at this extent, provided that nothing was erased since. Null: reads
    // all samples.
    const Extent* asOf = nullptr;
  };
  // Replaces `out` by the samples of the series in the range: ascending, one per timestamp. A strip
  // in order gives at most `countMax` samples, so that the lock is held briefly. True if more may
  // follow after the last one.
  bool read(SeriesRef ref, const StripRead& wanted, std::vector<Sample>& out) const;

  // An upper bound of the number of samples that read() gives.
  std::size_t sampleCountOf(SeriesRef ref) const;

  // A position in a strip, for a later request of the samples that arrived since.
  struct StripMark {
    std::uint32_t count = 0;
    std::uint16_t eraseCount = 0;
  };
  StripMark markOf(SeriesRef ref) const;
  // Widens the bounds by the samples that arrived after the mark. False if samples were erased
  // since: the mark is then useless. Writer only.
  bool widenSince(SeriesRef ref, StripMark mark, std::optional<TimeRange>& bounds) const;

  // Visits all series, ascending by ref, each with ascending, unique samples. The span is valid
  // during the call. REQUIRES: no writer left.
  void forEachSeries(const std::function<bool(SeriesRef, std::span<const Sample>)>& visit) const;

  std::uint64_t memoryBytes() const { return memoryBytes_.load(std::memory_order_relaxed); }
  // May be read concurrently with the writer. At least the number of samples that readers have
  // seen.
  std::uint64_t sampleCount() const { return sampleCount_.load(std::memory_order_relaxed); }

 private:
  struct Strip {
    Sample* samples = nullptr;
    std::uint32_t count = 0;
    std::uint32_t capacity = 0;
    Timestamp last = 0;
    bool isAscending = true;
    bool isFinite = true;          // Includes erased samples.
    std::uint16_t eraseCount = 0;  // The number of times samples were erased; wraps.
    std::uint32_t carriedOut = 0;  // The number of `largeErasures_` applied to the strip.
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
  static void normalize(std::vector<Sample>& samples);

  mutable OrderedSharedMutex<LockRank::kMemtable> mutex_;
  std::vector<Page> pages_;
  MemoryHold counted_;
  SlabArena arena_;
  std::uint64_t pageBytes_ = 0;
  Tombstones erasures_;
  // Erasures not yet applied to every strip. A strip applies all pending ones before it accepts a
  // sample, so a strip that lags holds only older samples.
  Tombstones largeErasures_;
  std::size_t carriedOut_ = 0;        // The number of them applied to every strip.
  std::size_t carriedOutSeries_ = 0;  // The number of finished series of the next one.
  std::atomic<std::size_t> erasureCount_{0};
  std::atomic<std::uint64_t> erasureStep_{0};
  std::atomic<std::uint64_t> memoryBytes_{0};
  std::atomic<std::uint64_t> sampleCount_{0};
};

}  // namespace seriesdb
