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

// Samples in columns, ascending, one a timestamp.
struct SampleBlock {
  std::span<const Timestamp> ts;
  std::span<const double> values;
  // No value is farther from zero.
  double reach = kUnknownReach;
  bool hasNulls = false;  // Some may be: NaN.
  std::size_t size() const { return ts.size(); }
  bool empty() const { return ts.empty(); }
};

class StretchReader {
 public:
  // The sources must live as long as this.
  explicit StretchReader(SeriesSources& sources) : sources_(sources) {}

  // Begins with a stretch of what was captured last.
  void open(const Stretch& stretch);
  // The next samples but stale markers, valid until the next call; empty at the end.
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
  // A chunk: its segment, and its place there.
  struct ChunkPlace {
    const Segment* segment = nullptr;
    std::uint32_t place = 0;
    bool operator==(const ChunkPlace&) const = default;
  };
  ChunkPlace held_;    // All of it is in the columns,
  ChunkPlace partly_;  // or was so in part.
  KeptValues decoded_;
  StripReader strip_;
  PartMerge merge_;
  std::vector<Timestamp> ts_;
  std::vector<double> values_;
};

}  // namespace seriesdb
