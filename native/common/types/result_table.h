// The rows of an answer as columns.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "common/types/sample.h"

namespace seriesdb {

struct ResultColumn {
  enum class Kind : std::uint8_t {
    kInteger,   // integers: times and counts.
    kSeriesId,  // ids
    kDouble,    // doubles; NaN is null.
    kText,      // codes into texts; kNull is null.
    kBoolean,   // booleans, as in expressions.
  };
  static constexpr std::uint32_t kNull = UINT32_MAX;

  Kind kind = Kind::kInteger;
  std::vector<std::int64_t> integers;
  std::vector<std::uint8_t> nulls;  // For integers: 1 is null. Empty: no nulls.
  // True if the least integer stands for a bucket that begins before the lowest timestamp.
  bool isLowestNull = false;
  std::vector<SeriesId> ids;
  std::vector<double> doubles;
  std::vector<std::uint8_t> booleans;
  std::vector<std::uint32_t> codes;
  std::vector<std::string_view> texts;  // Valid as long as the index and the query.
};

struct ResultTable {
  std::size_t rowCount = 0;
  std::vector<ResultColumn> columns;
};

}  // namespace seriesdb
