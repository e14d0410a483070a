// All annotations in memory, found by time. Thread-safe: one writer, any number of readers.
//
// They stand in blocks sorted by (start, id); each block knows its latest end, so that a query
// steps over blocks that ended before its range. An annotation is never changed or removed, so a
// pointer to one stays good for the life of the index.
#pragma once

#include <atomic>
#include <deque>
#include <optional>
#include <vector>

#include "annotation/annotation.h"
#include "annotation/annotation_filter.h"
#include "base/shared_mutex.h"

namespace seriesdb {

class AnnotationIndex {
 public:
  // REQUIRES: its id is count() + 1, and start <= end.
  void add(Annotation annotation);
  // Takes one from a log. An equal one known is fine; a gap or a contradiction is kStorageCorrupt.
  Status restore(Annotation annotation);

  // How many there are: ids go from 1 up to this.
  std::uint64_t count() const { return count_.load(std::memory_order_acquire); }
  std::uint64_t memoryBytes() const { return memoryBytes_.load(std::memory_order_relaxed); }

  // REQUIRES: 1 <= id <= count(). Valid for the life of the index.
  const Annotation& at(std::uint64_t id) const;

  // Where a search goes on: behind this one.
  struct Position {
    Timestamp start;
    std::uint64_t id;
    auto operator<=>(const Position&) const = default;
  };
  // Appends at most `countMax` matches with ids up to `idMax`, by (start, id), that stand behind
  // `after`, and moves it. Looks at a bounded number of annotations, so that the lock is held
  // shortly; false when nothing is left.
  struct Search {
    const AnnotationFilter* filter;
    std::uint64_t idMax;
    std::optional<Position> after;
  };
  bool find(Search& search, std::size_t countMax, std::vector<const Annotation*>& out) const;

 private:
  struct Block {
    std::vector<const Annotation*> items;
    Timestamp endMax;
  };

  static Position positionOf(const Annotation& one) { return {one.start, one.id}; }
  void insert(const Annotation* one);
  std::size_t blockFor(const Position& position) const;
  void split(std::size_t at);

  mutable SharedMutex mutex_;
  std::deque<Annotation> all_;  // By id.
  std::vector<Block> blocks_;   // None is empty.
  std::atomic<std::uint64_t> count_{0};
  std::atomic<std::uint64_t> memoryBytes_{0};
};

}  // namespace seriesdb
