// Finds texts that stand twice among those of one line, in time that grows with their count alone.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

#include "common/digest/hash.h"
#include "ingest/text/text_table.h"

namespace seriesdb {

class EqualTexts {
 public:
  // Calls `drop` with the index of each text that a later one equals. `textAt` gives the text of an
  // index.
  template <typename TextAt, typename Drop>
  void dropEarlier(std::size_t count, TextAt textAt, Drop drop) {
    // So few are compared faster than hashed.
    constexpr std::size_t kFew = 8;
    if (count > kFew) return dropByTable(count, textAt, drop);
    for (std::size_t i = 0; i < count; ++i) {
      std::size_t later = i + 1;
      while (later < count && textAt(later) != textAt(i)) ++later;
      if (later < count) drop(i);
    }
  }
  std::size_t memoryBytes() const { return slots_.capacity() * sizeof(std::uint32_t); }

 private:
  static constexpr std::uint32_t kFree = UINT32_MAX;  // A line has fewer texts.

  template <typename TextAt, typename Drop>
  void dropByTable(std::size_t count, TextAt textAt, Drop drop) {
    slots_.assign(std::bit_ceil(2 * count), kFree);
    const std::size_t mask = slots_.size() - 1;
    const std::uint64_t seed = processSeed();
    for (std::size_t i = count; i-- > 0;) {
      const std::string_view text = textAt(i);
      std::size_t at = tableHash(asBytes(text), seed) & mask;
      while (slots_[at] != kFree && textAt(slots_[at]) != text) at = (at + 1) & mask;
      if (slots_[at] == kFree) {
        slots_[at] = static_cast<std::uint32_t>(i);
      } else {
        drop(i);
      }
    }
  }

  std::vector<std::uint32_t> slots_;  // Indexes of texts, by hash; open addressing.
};

}  // namespace seriesdb
