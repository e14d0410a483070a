// The rows of an answer at steps: cells row by row, and labels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/base/plain_array.h"
#include "query/promql/label_table.h"
#include "query/promql/row_maker.h"
#include "query/promql/step_samples.h"

namespace seriesdb {

struct StepTable {
  std::size_t rowCount = 0;
  std::optional<LabelTable> labels;  // Null for computed rows. Valid as long as the index.
  PlainArray<double> values;         // Row by row.
  PlainArray<std::uint8_t> present;  // 1 if there is a value; empty if every cell has one.
  // For kSamples: the end of each row in `values`, and each sample's time in milliseconds.
  bool isOfSamples = false;
  std::vector<std::uint32_t> ends;
  std::vector<double> times;

  // REQUIRES: the table has cells of this row at so many steps.
  StepCells cells(std::size_t row, std::size_t stepCount) {
    return {std::span(values).subspan(row * stepCount, stepCount),
            std::span(present).subspan(row * stepCount, stepCount)};
  }
  // The cells of new rows are undefined.
  void resize(std::size_t rows, std::size_t stepCount) {
    values.resize(rows * stepCount);
    present.resize(rows * stepCount);
  }
  std::uint64_t bytes() const {
    return values.capacity() * sizeof(values[0]) + present.capacity() +
           ends.capacity() * sizeof(ends[0]) + times.capacity() * sizeof(times[0]) +
           (labels ? labels->bytes() : 0);
  }
};

}  // namespace seriesdb
