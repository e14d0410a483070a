// Prints a series' own columns: its id, its metric, its labels.
#pragma once

#include <string>
#include <vector>

#include "index/series_index.h"
#include "query/print/row_text.h"

namespace seriesdb {

// Not thread-safe.
class SeriesText {
 public:
  // Both must outlive this.
  SeriesText(const SeriesIndex& index, const TextPlan& plan) : index_(index), plan_(plan) {}

  // REQUIRES: a column of kSeriesId, kMetric, kLabel, kLabels or kObject.
  void append(std::string& out, const TextColumn& column, SeriesRef ref);

 private:
  const SeriesIndex& index_;
  const TextPlan& plan_;
  std::vector<Label> labels_;  // Scratch.
};

}  // namespace seriesdb
