// Reads the samples of a piece in blocks. Not thread-safe.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/status.h"
#include "engine/merge_cursor.h"
#include "query/series_pieces.h"

namespace seriesdb {

// Samples in columns, ascending, one a timestamp.
struct SampleBlock {
  std::span<const Timestamp> ts;
  std::span<const double> values;
  std::size_t size() const { return ts.size(); }
  bool empty() const { return ts.empty(); }
};

class PieceReader {
 public:
  explicit PieceReader(PinnedView view) : view_(std::move(view)) {}

  // Begins with a piece of this view.
  void open(SeriesRef ref, const Piece& piece);
  // The next samples, valid until the next call; empty at the end.
  Result<SampleBlock> next();

 private:
  Result<SampleBlock> readChunk();
  SampleBlock readMemtable();
  Result<SampleBlock> readMerged();

  PinnedView view_;
  SeriesRef ref_ = 0;
  Piece piece_{};
  bool isDone_ = true;
  std::optional<MergeCursor> cursor_;
  std::vector<Timestamp> ts_;
  std::vector<double> values_;
  std::vector<Sample> samples_;
};

}  // namespace seriesdb
