// The first and last timestamp of every series (or name), read and widened without a lock.
//
// Cells never move: a directory of fixed size points to chunks that are made by addCell(), which
// its owner serialises. A series has bounds from its first widen() on.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "model/sample.h"

namespace seriesdb {

class SeriesBounds {
 public:
  static constexpr unsigned kChunkBits = 14;
  static constexpr std::uint32_t kCellCountMax = 1u << 28;

  // Makes the cell of the next series. REQUIRES: called by one thread at a time;
  // `ref` is the number of cells so far, and less than kCellCountMax.
  void addCell(SeriesRef ref) {
    if ((ref & (kChunkSize - 1)) != 0) return;
    owned_.push_back(std::make_unique<Cell[]>(kChunkSize));
    directory_[ref >> kChunkBits].store(owned_.back().get(), std::memory_order_release);
  }

  // REQUIRES (all below): the cell was made, and its making happened before this call. widen() is
  // called by one thread at a time.
  bool isSet(SeriesRef ref) const { return of(ref).has_value(); }
  std::optional<TimeRange> of(SeriesRef ref) const {
    const Cell& cell = at(ref);
    const TimeRange range{cell.tsMin.load(std::memory_order_relaxed),
                          cell.tsMax.load(std::memory_order_relaxed)};
    if (range.start > range.end) return std::nullopt;
    return range;
  }
  void widen(SeriesRef ref, TimeRange range) {
    Cell& cell = at(ref);
    if (range.start < cell.tsMin.load(std::memory_order_relaxed)) {
      cell.tsMin.store(range.start, std::memory_order_relaxed);
    }
    if (range.end > cell.tsMax.load(std::memory_order_relaxed)) {
      cell.tsMax.store(range.end, std::memory_order_relaxed);
    }
  }

  // Sets other bounds, also narrower ones, or takes them away. Who reads meanwhile may see one old
  // and one new end. REQUIRES: as widen().
  void replace(SeriesRef ref, std::optional<TimeRange> range) {
    Cell& cell = at(ref);
    const TimeRange next = range.value_or(
        TimeRange{std::numeric_limits<Timestamp>::max(), std::numeric_limits<Timestamp>::min()});
    cell.tsMin.store(next.start, std::memory_order_relaxed);
    cell.tsMax.store(next.end, std::memory_order_relaxed);
  }

  // Fetches the cell into the cache.
  void prefetch(SeriesRef ref) const { __builtin_prefetch(&at(ref)); }

  std::size_t memoryBytes() const {
    return owned_.size() * kChunkSize * sizeof(Cell) + kChunkCountMax * sizeof(directory_[0]);
  }

 private:
  static constexpr std::uint32_t kChunkSize = 1u << kChunkBits;
  static constexpr std::uint32_t kChunkCountMax = kCellCountMax >> kChunkBits;
  // Start after end: not set.
  struct Cell {
    std::atomic<Timestamp> tsMin = std::numeric_limits<Timestamp>::max();
    std::atomic<Timestamp> tsMax = std::numeric_limits<Timestamp>::min();
  };

  Cell& at(SeriesRef ref) const {
    return directory_[ref >> kChunkBits].load(std::memory_order_acquire)[ref & (kChunkSize - 1)];
  }

  std::vector<std::unique_ptr<Cell[]>> owned_;
  std::unique_ptr<std::atomic<Cell*>[]> directory_ =
      std::make_unique<std::atomic<Cell*>[]>(kChunkCountMax);
};

}  // namespace seriesdb
