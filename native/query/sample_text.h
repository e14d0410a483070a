// Samples as text in pieces, series by series.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "query/rows/series_frames.h"
#include "query/samples/column_reader.h"

namespace seriesdb {

class SampleText {
 public:
  // Replaces the batch by the next samples. The batch is empty at the end.
  using Read = std::function<Status(ColumnBatch&)>;
  // The parameters have the meaning and the lifetime of SeriesFrames.
  SampleText(Read read, const SeriesIndex& index, std::vector<SeriesRef> refs, TextPlan plan)
      : read_(std::move(read)), frames_(index, std::move(refs), std::move(plan)) {}

  // Replaces `piece` by the next 256 KiB or so; it has no rows at the end. Fails as `read` does.
  Status next(RowTexts& piece);

 private:
  const Read read_;
  SeriesFrames frames_;
  ColumnBatch batch_;
  std::size_t at_ = 0;    // A place in the batch.
  std::size_t part_ = 0;  // The part of the batch at `at_`.
  bool isEnd_ = false;
};

}  // namespace seriesdb
