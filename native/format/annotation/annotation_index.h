// All annotations in memory, found by time. Thread-safe: one writer, any number of readers.
//
// They stand in blocks sorted by (start, public id); each block knows its latest end, so that a
// query steps over blocks that ended before its range. What was said stays: a change is an
// annotation of its own that takes the place of another, so that a pointer to one stays good for
// the life of the index, and what there was at a time is known.
#pragma once

#include <atomic>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include "common/base/locks.h"
#include "format/annotation/annotation.h"
#include "format/annotation/annotation_filter.h"

namespace seriesdb {

class AnnotationIndex {
 public:
  // REQUIRES: its id is count() + 1, start <= end, and what it changes is there and no change. One
  // that changes what was erased is kept, and never found.
  void add(Annotation annotation);
  // Takes one from a log. An equal one known is fine; a gap or a contradiction is kStorageCorrupt.
  Status restore(Annotation annotation);

  // The last words of the one with this public id; null where there is none, or it was erased.
  const Annotation* current(std::uint64_t publicId) const;

  // How many there are, changes among them: ids go from 1 up to this.
  std::uint64_t count() const { return count_.load(std::memory_order_acquire); }
  std::uint64_t memoryBytes() const { return memoryBytes_.load(std::memory_order_relaxed); }

  // REQUIRES: 1 <= id <= count(). Valid for the life of the index.
  const Annotation& at(std::uint64_t id) const;

  // Where a search goes on: behind this one.
  struct Position {
    Timestamp start;
    std::uint64_t publicId;
    std::uint64_t id;
    auto operator<=>(const Position&) const = default;
  };
  // Appends at most `countMax` matches as they were when `idMax` was the last id, by (start, public
  // id), that stand behind `after`, and moves it. Looks at a bounded number of annotations, so that
  // the lock is held shortly; false when nothing is left.
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

  static Position positionOf(const Annotation& one) { return {one.start, one.publicId(), one.id}; }
  bool isThere(const Annotation& one, std::uint64_t idMax) const;
  bool link(const Annotation& one);
  void insert(const Annotation* one);
  std::size_t blockFor(const Position& position) const;
  void split(std::size_t at);

  mutable SharedMutex mutex_;
  std::deque<Annotation> all_;  // By id.
  std::vector<Block> blocks_;   // None is empty. Without erasures.
  std::unordered_map<std::uint64_t, std::uint64_t> nextById_;   // Of what was changed.
  std::unordered_map<std::uint64_t, std::uint64_t> lastByPublicId_;  // The same.
  std::atomic<std::uint64_t> count_{0};
  std::atomic<std::uint64_t> memoryBytes_{0};
};

}  // namespace seriesdb
