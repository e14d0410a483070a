// The frame cache: lines known byte for byte except for their number slots.
//
// A frame is the text of a line with its slots cut out: segments, and after each but the last a
// slot. A line *hits* when its segments equal a frame's and each slot is a number of the slot's
// form: the state of a parser is a function of the bytes read, and one number is as good as
// another to it, so the line has the structure, series and labels of the line that taught the
// frame. Whoever inserts a frame vouches that its meaning never changes: descriptors are
// write-once, and a ref stands for its series as long as the index has it. What else a meaning
// hangs on (the format, names that the request gives) is a *scope*: a line hits frames of its own
// only.
//
// Three ways to a frame: `next` of the frame before (prediction, no hashing); split by a template,
// then find; neither, and the line takes the slow path.
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

// The meaning of a slot is a series ref with the form of its value above it, or one of:
inline constexpr std::uint32_t kSlotTs = 0xFFFFFFFFu;
inline constexpr std::uint32_t kSlotIgnored = 0xFFFFFFFEu;

inline constexpr unsigned kSlotRefBits = 29;
// Lines of series beyond these are not held.
inline constexpr SeriesRef kSlotRefsMax = SeriesRef{1} << kSlotRefBits;
inline constexpr std::uint32_t kSlotRefMask = kSlotRefsMax - 1;

inline std::uint32_t slotMeaning(SeriesRef ref, ValueForm form) {
  return ref | static_cast<std::uint32_t>(form) << kSlotRefBits;
}
// REQUIRES: the slot is a sample's.
inline ValueForm formOf(std::uint32_t meaning) {
  return static_cast<ValueForm>(meaning >> kSlotRefBits);
}
// Whether a number stands in the slot; else nothing does, and the text before it is the value.
inline bool isNumberSlot(std::uint32_t meaning) {
  return meaning >= kSlotIgnored || formOf(meaning) < ValueForm::kFalseWord;
}

struct FrameSlot {
  std::uint32_t segmentSize;  // Of the segment in front of the slot.
  std::uint32_t meaning;
};

// Followed in memory by its slots, then its text (all segments, joined). Never moves.
struct Frame {
  Frame* next;  // What followed it last; may be nullptr.
  std::uint64_t hash;
  std::uint32_t textSize;
  std::uint32_t tailSize;  // Of the last segment.
  std::uint32_t slotCount;
  std::uint32_t sampleCount;
  std::uint32_t scope;
  bool isLegacy;

  FrameSlot* slots() { return reinterpret_cast<FrameSlot*>(this + 1); }
  char* text() { return reinterpret_cast<char*>(slots() + slotCount); }
  std::string_view view() { return {text(), textSize}; }
  // Header, slots and text of a frame of common size.
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

// The shape of lines: where they are cut.
struct LineTemplate {
  std::vector<std::uint32_t> sizes;   // Of the segments of the line cut last.
  std::vector<std::string> literals;  // `"ts":` and the like: what ends each segment.
};

struct FrameScope {
  std::string key;
  std::uint32_t id = 0;
  std::uint64_t seed = 0;               // Of its frames' hashes.
  Frame start{};                        // What is predicted to start a request hangs on this one.
  std::vector<LineTemplate> templates;  // The latest used first.
};

class FrameCache {
 public:
  // 0 turns the cache off. `counted` holds what the cache does.
  explicit FrameCache(std::size_t bytesMax, MemoryHold counted = {});

  bool isOn() const { return bytesMax_ != 0; }

  // The scope of that key. Valid until generation() changes. May clear the cache, when there are
  // many.
  FrameScope& scopeOf(std::string_view key);

  // Cuts the line as the template numbered `index` (0 = the latest used) would; false when it does
  // not fit. The line may still differ from every frame. REQUIRES: kNumberRoom readable bytes after
  // the line.
  static bool split(FrameScope& scope, std::string_view line, std::size_t index, LineSplit& out);
  // A line cut by the template hit: it is tried first from now on.
  static void promote(FrameScope& scope, std::size_t index);

  static std::uint64_t hashOf(const FrameScope& scope, const LineSplit& split);
  // Fetches where find() will look.
  void prefetch(std::uint64_t hash) const {
    __builtin_prefetch(&table_[hash & (table_.size() - 1)]);
  }
  // A frame that in all likelihood (the hash's) has the text hashed; the caller compares that and
  // the scope. Or nullptr.
  Frame* find(std::uint64_t hash) const;

  // Holds the frame and learns its template. nullptr when there is no room or it cannot be held.
  // May clear the cache first (then generation() changes and every Frame* is void).
  Frame* insert(FrameScope& scope, const LineSplit& split, bool isLegacy);

  // Forgets all frames, so that every Frame* is void.
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
  std::size_t bytes_ = 0;     // Of all blocks.
  std::vector<Entry> table_;  // Open addressing; the size is a power of two.
  std::size_t count_ = 0;
  std::uint64_t generation_ = 0;
  // Since the cache was last cleared or found full.
  std::uint64_t hits_ = 0;
  std::uint64_t refusals_ = 0;
};

}  // namespace seriesdb
