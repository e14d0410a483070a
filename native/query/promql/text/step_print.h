// Rows at steps that are to be printed as JSON, as Prometheus' API has it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/status.h"
#include "query/promql/step_plan.h"

namespace seriesdb {

// What is printed; lent.
struct StepPrint {
  struct Column {
    std::string key;
    Bytes texts;                            // One after another.
    std::span<const std::uint32_t> ends;    // Of each.
    std::span<const std::uint32_t> codes;   // By row: 0 none, else one more than the text's place.
  };

  std::size_t rowCount = 0;
  std::vector<Column> labels;  // Ascending by key.
  StepGrid grid;
  std::span<const double> values;
  std::span<const std::uint8_t> present;  // Empty: everywhere.
  // Where rows have samples of their own: where those end in `values`, and when each was.
  bool isOfSamples = false;
  std::span<const std::uint32_t> ends;
  std::span<const double> times;
  std::span<const std::uint32_t> order;  // The rows that are printed.
  bool isInstant = false;                // `"value":[t,"v"]` instead; one step, no samples.

  // kInvalidArgument. All that is printed is there then.
  Status check() const;
};

}  // namespace seriesdb
