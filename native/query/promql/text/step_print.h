// Rows at steps to print as JSON, in the form of Prometheus' API.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/status.h"
#include "query/promql/step_plan.h"

namespace seriesdb {

// The input of a print; all spans are borrowed.
struct StepPrint {
  struct Column {
    std::string key;
    Bytes texts;                          // Concatenated.
    std::span<const std::uint32_t> ends;  // The end of each text in `texts`.
    // Indexed by row: 0 for no label, else the text's place plus one.
    std::span<const std::uint32_t> codes;
  };

  std::size_t rowCount = 0;
  std::vector<Column> labels;  // Ascending by key.
  StepGrid grid;
  std::span<const double> values;
  std::span<const std::uint8_t> present;  // Empty if every cell has a value.
  // If rows have samples of their own: the end of each row in `values`, and each sample's time.
  bool isOfSamples = false;
  std::span<const std::uint32_t> ends;
  std::span<const double> times;
  std::span<const std::uint32_t> order;  // The rows to print.
  bool isInstant = false;                // Print `"value":[t,"v"]` instead; one step, no samples.

  // kInvalidArgument. If ok, all parts of the print are present and consistent.
  Status check() const;
};

}  // namespace seriesdb
