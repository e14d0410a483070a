// Answers Prometheus' remote_read with a response of type STREAMED_XOR_CHUNKS. Frames are written
// while samples are read. So memory holds one frame and the lists of series, however many samples
// they have. Samples are returned as stored, stale markers included.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "query/answers/json_reader.h"
#include "query/remote_read/chunk_frame.h"
#include "query/remote_read/named_series.h"
#include "query/remote_read/selected_series.h"
#include "query/samples/query_memory.h"
#include "storage/engine/engine.h"
#include "storage/view/merge_cursor.h"

namespace seriesdb {

class ChunkStream final : public JsonReader {
 public:
  // `engine` must outlive it.
  ChunkStream(Engine& engine, RemoteReadRequest request);

  // Each piece ends with a whole frame. kQueryLimit, kClosed, kStorageCorrupt.
  Status next(std::string& piece) override;
  bool isShort() const override { return false; }
  Stage stage() const override { return Stage::kRangeRead; }

 private:
  struct OpenQuery {
    PinnedView view;
    std::vector<SeriesRef> refs;
    std::size_t begun = 0;  // The count of series begun.
  };

  Status selectAll();
  bool isAtEnd() const;
  bool isQueryDone() const;
  void release();
  Status step(std::string& piece);
  Status beginQuery();
  void beginSeries();
  Status readBlock(std::string& piece);
  void roundTimes(std::size_t from);
  void addChunks(std::size_t leftMax, std::string& piece);

  Engine& engine_;
  const RemoteReadRequest request_;
  const std::int64_t perSecond_;
  SelectedSeries limited_;
  QueryLimits counted_;
  std::optional<QueryMemory> memory_;  // Counts the lists of series.
  ChunkFrame frame_;
  // The position of the read.
  bool isBegun_ = false;
  std::optional<PinnedIndex> index_;
  std::vector<std::vector<SeriesRef>> selected_;  // For each query, until it begins.
  std::uint64_t listedBytes_ = 0;                 // Bytes of all these lists.
  std::size_t queryCount_ = 0;                    // Queries begun.
  std::optional<OpenQuery> query_;
  std::optional<MergeCursor> cursor_;  // The series begun last.
  std::vector<Timestamp> ms_;          // Its samples that are in no chunk yet.
  std::vector<double> values_;
  PromLabels labels_;
};

}  // namespace seriesdb
