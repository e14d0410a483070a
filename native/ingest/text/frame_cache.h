// The frame cache: knows lines byte for byte, except for their number slots.
//
// A frame is the text of a line without its slots: segments, and a slot after each but the last. A
// line *hits* a frame if its segments are equal and each slot is a number of the slot's form. Then
// the line has the structure, series and labels of the line that taught the frame. The reason: a
// parser's state depends only on the bytes read, and all numbers have the same effect on it. The
// caller of insert() guarantees that the frame's meaning never changes. This holds because
// descriptors are write-once, and a ref stands for its series as long as the index has it. A
// *scope* covers all else that a meaning depends on (the format, names that the request gives). A
// line hits only frames of its own scope.
//
// Three ways to a frame: `next` of the previous frame (prediction, no hashing); a split by a
// template, then find(); otherwise the line is read slowly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/memory_account.h"
#include "common/types/sample.h"
#include "ingest/record.h"

namespace seriesdb {

// The meaning of a slot: a series ref with the form of its value in the bits above, or one of
// these.
inline constexpr std::uint32_t kSlotTs = 0xFFFFFFFFu;
inline constexpr std::uint32_t kSlotIgnored = 0xFFFFFFFEu;

inline constexpr unsigned kSlotRefBits = 29;
// Lines with series beyond this ref are not cached.
inline constexpr SeriesRef kSlotRefsMax = SeriesRef{1} << kSlotRefBits;
inline constexpr std::uint32_t kSlotRefMask = kSlotRefsMax - 1;

inline std::uint32_t slotMeaning(SeriesRef ref, ValueForm form) {
  return ref | static_cast<std::uint32_t>(form) << kSlotRefBits;
}
// REQUIRES: the slot belongs to a sample.
inline ValueForm formOf(std::uint32_t meaning) {
  return static_cast<ValueForm>(meaning >> kSlotRefBits);
}
// True if the slot is a number. Otherwise the slot is empty, and the text before it is the value.
inline bool isNumberSlot(std::uint32_t meaning) {
  return meaning >= kSlotIgnored || formOf(meaning) < ValueForm::kFalseWord;
}

struct FrameSlot {
  std::uint32_t segmentSize;  // The size of the segment before the slot.
  std::uint32_t meaning;
};

// Followed in memory by its slots, then its text (all segments, joined). Never moves.
struct Frame {
  Frame* next;  // The frame that last followed; may be nullptr.
  std::uint64_t hash;
  std::uint32_t textSize;
  std::uint32_t tailSize;  // The size of the last segment.
  std::uint32_t slotCount;
  std::uint32_t sampleCount;
  std::uint32_t scope;
  bool isLegacy;

  FrameSlot* slots() { return reinterpret_cast<FrameSlot*>(this + 1); }
  char* text() { return reinterpret_cast<char*>(slots() + slotCount); }
  std::string_view view() { return {text(), textSize}; }
  // Prefetches header, slots and text of a frame of usual size.
  void prefetch() {
    const auto* const from = reinterpret_cast<const char*>(this);
    for (std::size_t i = 0; i < 256; i += 64) __builtin_prefetch(from + i);
  }
};

// A line cut into segments and slots.
struct LineSplit {
  std::string text;  // The segments, joined.
  std::vector<FrameSlot> slots;
  std::uint32_t tailSize = 0;
};

// The shape of lines: the places of their slots.
struct LineTemplate {
  std::vector<std::uint32_t> sizes;   // The segment sizes of the last line.
  std::vector<std::string> literals;  // The end of each segment, such as `"ts":`.
};

struct FrameScope {
  std::string key;
  std::uint32_t id = 0;
  std::uint64_t seed = 0;               // The hash seed of its frames.
  Frame start{};                        // Its `next` predicts the first frame of a request.
  std::vector<LineTemplate> templates;  // The last used first.
};

class FrameCache {
 public:
  // 0 turns the cache off. `counted` counts the memory of the cache.
  explicit FrameCache(std::size_t bytesMax, MemoryHold counted = {});

  bool isOn() const { return bytesMax_ != 0; }

  // The scope of the key. Valid until generation() changes. May clear the cache if there are many
  // scopes.
  FrameScope& scopeOf(std::string_view key);

  // Cuts the line by the template `index` (0 is the last used); false if the template does not fit.
  // The line may still differ from every frame. REQUIRES: kNumberRoom readable bytes after the
  // line.
  static bool split(FrameScope& scope, std::string_view line, std::size_t index, LineSplit& out);
  // Call after a hit by the template: it is then tried first.
  static void promote(FrameScope& scope, std::size_t index);

  static std::uint64_t hashOf(const FrameScope& scope, const LineSplit& split);
  // Prefetches the entry for find().
  void prefetch(std::uint64_t hash) const {
    __builtin_prefetch(&table_[hash & (table_.size() - 1)]);
  }
  // A frame that very likely has the hashed text, or nullptr. The caller compares the text and the
  // scope.
  Frame* find(std::uint64_t hash) const;

  // Adds the frame and learns its template. nullptr if there is no room or the line cannot be
  // cached. May clear the cache first; then generation() changes and every Frame* is invalid.
  Frame* insert(FrameScope& scope, const LineSplit& split, bool isLegacy);

  // Forgets all frames; every Frame* becomes invalid.
  void clear();

  std::uint64_t generation() const { return generation_; }
  void noteHits(std::uint64_t count) { hits_ += count; }
  std::size_t memoryBytes() const { return bytes_ + table_.size() * sizeof(Entry); }

 private:
  struct Entry {
    std::uint64_t hash = 0;
    Frame* frame = nullptr;
  };

  static void learnTemplate(FrameScope& scope, const LineSplit& split);
  bool makeRoom(std::size_t size);
  std::byte* allocate(std::size_t size);
  void place(Entry entry);
  void growTable();

  std::size_t bytesMax_;
  MemoryHold counted_;
  std::vector<std::unique_ptr<FrameScope>> scopes_;
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::size_t blockUsed_ = 0;
  std::size_t blockSize_ = 0;
  std::size_t bytes_ = 0;     // The size of all blocks.
  std::vector<Entry> table_;  // Open addressing; the size is a power of two.
  std::size_t count_ = 0;
  std::uint64_t generation_ = 0;
  // Since makeRoom() last judged the cache.
  std::uint64_t hits_ = 0;
  std::uint64_t refusals_ = 0;
};

}  // namespace seriesdb
