// All annotations in memory, found by time. Thread-safe: one writer, any number of readers.
//
// The index keeps blocks sorted by (start, public id). Each block knows its latest end, so a query
// skips blocks that ended before its range. A change is an annotation of its own that replaces
// another one. Nothing is removed: pointers stay valid for the life of the index, and past states
// stay readable.
#pragma once

#include <atomic>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include "common/base/lock_order.h"
#include "format/annotation/annotation.h"
#include "format/annotation/annotation_filter.h"

namespace seriesdb {

class AnnotationIndex {
 public:
  // REQUIRES: the id is count() + 1, start <= end, and `changes` names an original annotation. A
  // change of an erased annotation is stored and never found.
  void add(Annotation annotation);
  // Adds an annotation from a log. An equal known one is ignored; a gap or contradiction is
  // kStorageCorrupt.
  Status restore(Annotation annotation);

  // The latest version of the annotation with this public id; null if it never existed or was
  // erased.
  const Annotation* current(std::uint64_t publicId) const;

  // The number of annotations, changes included. Ids go from 1 to this number.
  std::uint64_t count() const { return count_.load(std::memory_order_acquire); }
  std::uint64_t memoryBytes() const { return memoryBytes_.load(std::memory_order_relaxed); }

  // REQUIRES: 1 <= id <= count(). Valid for the life of the index.
  const Annotation& at(std::uint64_t id) const;

  // The place of an annotation in the order. A search continues behind it.
  struct Position {
    Timestamp start;
    std::uint64_t publicId;
    std::uint64_t id;
    auto operator<=>(const Position&) const = default;
  };
  // Appends up to `countMax` matches behind `after`, in order of (start, public id), and advances
  // `after`. The matches are the versions that were current when `idMax` was the last id. A call
  // examines a bounded number of annotations, so that it holds the lock briefly. False when nothing
  // is left.
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

  mutable OrderedSharedMutex<LockRank::kAnnotations> mutex_;
  std::deque<Annotation> all_;  // By id.
  std::vector<Block> blocks_;   // No block is empty. Erasures are left out.
  // From a replaced annotation to its replacement.
  std::unordered_map<std::uint64_t, std::uint64_t> nextById_;
  // The id of the latest version, for each changed annotation.
  std::unordered_map<std::uint64_t, std::uint64_t> lastByPublicId_;
  std::atomic<std::uint64_t> count_{0};
  std::atomic<std::uint64_t> memoryBytes_{0};
};

}  // namespace seriesdb
