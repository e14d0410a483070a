// The first and last timestamp of every series (or name), read and widened without a lock.
//
// Cells never move. addCell(), shareCell() and skipCells() make them; the owner serializes these
// calls. A series has bounds from its first widen() on.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "common/base/chunk_directory.h"
#include "common/types/sample.h"

namespace seriesdb {

class SeriesBounds {
  static constexpr unsigned kChunkBits = 14;
  static constexpr std::uint32_t kChunkSize = 1u << kChunkBits;
  // Start after end: not set.
  struct Cell {
    std::atomic<Timestamp> tsMin = std::numeric_limits<Timestamp>::max();
    std::atomic<Timestamp> tsMax = std::numeric_limits<Timestamp>::min();
  };
  using Cells = ChunkDirectory<Cell>;

 public:
  // Makes the cell of the next series. REQUIRES (addCell, shareCell, skipCells): called by one
  // thread at a time, and `ref` is the number of cells so far.
  void addCell(SeriesRef ref) {
    if (hasCell(ref)) return;
    putChunk(ref >> kChunkBits, Cells::Chunk(std::make_unique<Cell[]>(kChunkSize)));
  }
  // Shares the cell of `other`, and so its chunk. REQUIRES: if this adds cells to a shared chunk,
  // `other` no longer does.
  void shareCell(SeriesRef ref, const SeriesBounds& other) {
    if (!hasCell(ref)) putChunk(ref >> kChunkBits, other.cells_.owned(ref >> kChunkBits));
  }
  // Adds cells up to `end` that are never set. REQUIRES: there are fewer.
  void skipCells(SeriesRef end) {
    while (cells_.count() << kChunkBits < end) cells_.add(nullptr);
  }

  // REQUIRES (all below): the cell was made before this call (happens-before). One thread at a time
  // calls widen().
  bool isSet(SeriesRef ref) const { return of(ref).has_value(); }
  std::optional<TimeRange> of(SeriesRef ref) const {
    const Cell* const chunk = cells_.chunk(ref >> kChunkBits);
    if (chunk == nullptr) return std::nullopt;
    const Cell& cell = chunk[ref & (kChunkSize - 1)];
    const TimeRange range{cell.tsMin.load(std::memory_order_relaxed),
                          cell.tsMax.load(std::memory_order_relaxed)};
    if (range.start > range.end) return std::nullopt;
    return range;
  }
  // REQUIRES: the cell was not skipped.
  void widen(SeriesRef ref, TimeRange range) {
    Cell& cell = at(ref);
    if (range.start < cell.tsMin.load(std::memory_order_relaxed)) {
      cell.tsMin.store(range.start, std::memory_order_relaxed);
    }
    if (range.end > cell.tsMax.load(std::memory_order_relaxed)) {
      cell.tsMax.store(range.end, std::memory_order_relaxed);
    }
  }

  // Sets other bounds, even narrower ones, or removes them. A concurrent reader may see one old and
  // one new end. REQUIRES: as widen().
  void replace(SeriesRef ref, std::optional<TimeRange> range) {
    Cell& cell = at(ref);
    const TimeRange next = range.value_or(
        TimeRange{std::numeric_limits<Timestamp>::max(), std::numeric_limits<Timestamp>::min()});
    cell.tsMin.store(next.start, std::memory_order_relaxed);
    cell.tsMax.store(next.end, std::memory_order_relaxed);
  }

  // Prefetches the cell into the cache.
  void prefetch(SeriesRef ref) const {
    const Cell* const chunk = cells_.chunk(ref >> kChunkBits);
    if (chunk != nullptr) __builtin_prefetch(&chunk[ref & (kChunkSize - 1)]);
  }

  std::size_t memoryBytes() const {
    return ownChunks_ * kChunkSize * sizeof(Cell) + cells_.memoryBytes();
  }

 private:
  bool hasCell(SeriesRef ref) const {
    const std::size_t chunk = ref >> kChunkBits;
    return chunk < cells_.count() && cells_.owned(chunk) != nullptr;
  }
  void putChunk(std::size_t number, Cells::Chunk chunk) {
    if (number == cells_.count()) {
      cells_.add(std::move(chunk));
    } else {
      cells_.put(number, std::move(chunk));
    }
    ++ownChunks_;
  }
  Cell& at(SeriesRef ref) const { return cells_.chunk(ref >> kChunkBits)[ref & (kChunkSize - 1)]; }

  Cells cells_;
  std::size_t ownChunks_ = 0;
};

}  // namespace seriesdb
