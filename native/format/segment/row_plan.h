// The layout of a page's rows. Internal to segment/.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "format/segment/directory_page.h"

namespace seriesdb::page_format {

// A sum with more ulps than this from its decimal is stored as raw bits.
inline constexpr std::int64_t kUlpsMax = 1 << 15;

// The bit positions of the fields in a row; fields of whole words come first.
struct RowPlan {
  std::array<std::size_t, kFieldCount> places{};
  std::size_t bits = 0;
};
template <typename WidthOf>
RowPlan planRow(WidthOf widthOf) {
  RowPlan plan;
  bool hasWords = false;
  for (const bool isWord : {true, false}) {
    for (std::uint8_t field = 0; field < kFieldCount; ++field) {
      const unsigned width = widthOf(Field{field});
      if ((width == kWordWidth) != isWord) continue;
      hasWords = hasWords || isWord;
      plan.places[field] = plan.bits;
      plan.bits += width;
    }
  }
  // Words begin at a byte in every row.
  if (hasWords) plan.bits = (plan.bits + 7) / 8 * 8;
  return plan;
}

inline std::size_t sizeOfRows(const RowPlan& plan, std::size_t count) {
  return (count * plan.bits + 7) / 8;
}

}  // namespace seriesdb::page_format
