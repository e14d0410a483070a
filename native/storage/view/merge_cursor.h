// Reads one series over all its sources in time order.
//
// Captures the sources at the first read. Decodes chunks one at a time, when the merge reaches
// them; if only one source has samples, they are copied in bulk. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "common/base/status.h"
#include "storage/view/file_spans.h"
#include "storage/view/part_merge.h"
#include "storage/view/series_sources.h"
#include "storage/view/view.h"

namespace seriesdb {

class MergeCursor {
 public:
  // Keeps `view` alive.
  MergeCursor(PinnedView view, SeriesRef ref, TimeRange range);

  // Appends at least one sample and about `countMax`, ascending; appends nothing at the end.
  Status next(std::size_t countMax, std::vector<Timestamp>& ts, std::vector<double>& values);

  // To choose a thread, before the first read: an upper bound of the samples to decode, and whether
  // all of them are in memory.
  std::uint64_t estimatedSamples() const { return estimatedSamples_; }
  bool isInMemory() const { return files_.areInMemory(); }

 private:
  // On the heap, so that its address is stable when the cursor moves.
  struct Opened {
    SeriesChunks chunks;
    SeriesSources sources;
    PartMerge merge;
  };
  void estimate();
  Opened& opened();

  PinnedView view_;
  SeriesRef ref_;
  TimeRange range_;
  std::unique_ptr<Opened> opened_;
  bool isFound_ = false;  // True once `chunks` are looked up.
  bool isCaptured_ = false;
  std::uint64_t estimatedSamples_ = 0;
  FileSpans files_;
};

}  // namespace seriesdb
