// What each of many series is called, or has under a key, as places in a list of the distinct
// texts.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "common/types/sample.h"

namespace seriesdb {

struct SeriesTables;

struct TextCodes {
  static constexpr std::uint32_t kMissing = UINT32_MAX;
  std::vector<std::string_view> texts;  // Ascending by bytes; valid as long as the index.
  std::vector<std::uint32_t> codes;     // By place of the series: a place in `texts`, or kMissing.
};

TextCodes codeNames(const SeriesTables& tables, std::span<const SeriesRef> refs);
// The values of the label `key`.
TextCodes codeLabel(const SeriesTables& tables, std::string_view key,
                    std::span<const SeriesRef> refs);

}  // namespace seriesdb
