// The names of many series, or their values of one label, as codes: indexes into a list of the
// distinct texts.
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
  // For each series, in order: an index into `texts`, or kMissing.
  std::vector<std::uint32_t> codes;
};

TextCodes codeNames(const SeriesTables& tables, std::span<const SeriesRef> refs);
// The values of the label `key`.
TextCodes codeLabel(const SeriesTables& tables, std::string_view key,
                    std::span<const SeriesRef> refs);

}  // namespace seriesdb
