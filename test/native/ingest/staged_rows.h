// Staged samples as text: `name{key=value,…} time value`, one row a sample.
#pragma once

#include <bit>
#include <string>
#include <vector>

#include "common/base/numbers/json_number.h"
#include "common/types/stale_marker.h"
#include "ingest/ingest_fixture.h"

namespace seriesdb::test {

inline std::string seriesText(const auto& series) {
  std::string out = series.name + "{";
  for (const auto& [key, value] : series.labels) {
    if (!out.ends_with('{')) out += ',';
    out.append(key).append("=").append(value);
  }
  return out + "}";
}

inline std::string valueText(double value) {
  if (isStale(value)) return "stale";
  std::string out;
  appendValue(out, value);
  return out == "null" ? std::to_string(std::bit_cast<std::uint64_t>(value)) : out;
}

inline std::vector<std::string> rowsOf(Fixture& fixture, const StagedSamples& staged) {
  std::vector<std::string> rows;
  const auto index = fixture.indexes.current();
  for (std::size_t i = 0; i < staged.refs.size(); ++i) {
    const SeriesRef ref = staged.refs[i];
    const bool isPending = (ref & kPendingBit) != 0;
    const std::string series = isPending ? seriesText(staged.pendingSeries[ref & ~kPendingBit])
                                         : seriesText(index->definition(ref));
    rows.push_back(series + " " + std::to_string(staged.ts[i]) + " " + valueText(staged.values[i]));
  }
  return rows;
}

}  // namespace seriesdb::test
