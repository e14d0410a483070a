// Reads the samples of a stretch in blocks. Not thread-safe.
#pragma once

#include <span>
#include <vector>

#include "common/base/status.h"
#include "common/base/value_fold.h"
#include "query/samples/null_values.h"
#include "query/samples/series_stretches.h"
#include "storage/view/part_merge.h"
#include "storage/view/series_sources.h"

namespace seriesdb {

// Samples in columns. Timestamps ascend and are distinct.
struct SampleBlock {
  std::span<const Timestamp> ts;
  std::span<const double> values;
  // The maximum absolute value.
  double reach = kUnknownReach;
  bool hasNulls = false;  // True if some values may be null (NaN).
  std::size_t size() const { return ts.size(); }
  bool empty() const { return ts.empty(); }
};

class StretchReader {
 public:
  // The sources must outlive it.
  explicit StretchReader(SeriesSources& sources) : sources_(sources) {}

  // Starts a stretch of the last capture.
  void open(const Stretch& stretch);
  // The next samples without stale markers, valid until the next call; empty at the end.
  Result<SampleBlock> next();

 private:
  Result<SampleBlock> readChunk();
  Result<SamplePlaces> decodePart(const Segment& segment, const ChunkEntry& chunk);
  void makeRoom(std::size_t count);
  Status decode(const Segment& segment, const ChunkEntry& chunk);
  SampleBlock readRow();
  Result<SampleBlock> readMerged();

  SeriesSources& sources_;
  Stretch stretch_{};
  bool isDone_ = true;
  // A chunk, by its segment and its place there.
  struct ChunkPlace {
    const Segment* segment = nullptr;
    std::uint32_t place = 0;
    bool operator==(const ChunkPlace&) const = default;
  };
  ChunkPlace held_;    // The chunk that is wholly decoded in the columns.
  ChunkPlace partly_;  // The chunk whose part was decoded last.
  KeptValues decoded_;
  StripReader strip_;
  PartMerge merge_;
  std::vector<Timestamp> ts_;
  std::vector<double> values_;
};

}  // namespace seriesdb
