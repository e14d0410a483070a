// The samples that queries of Prometheus' remote_read select, as its response of the type
// STREAMED_XOR_CHUNKS: frames, written as the samples are read, so that what is held is one of them
// and the lists of series, however many samples they have. Samples are as they are stored, the
// ends of series among them.
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

  // A piece ends with a frame. kQueryLimit, kClosed, kStorageCorrupt.
  Status next(std::string& piece) override;
  bool isShort() const override { return false; }
  Stage stage() const override { return Stage::kRangeRead; }

 private:
  struct OpenQuery {
    PinnedView view;
    std::vector<SeriesRef> refs;
    std::size_t begun = 0;  // Of them.
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
  std::optional<QueryMemory> memory_;  // Of the lists of series.
  ChunkFrame frame_;
  // Where it is.
  bool isBegun_ = false;
  std::optional<PinnedIndex> index_;
  std::vector<std::vector<SeriesRef>> selected_;  // Of each query, until it begins.
  std::uint64_t listedBytes_ = 0;                 // Of all of them.
  std::size_t queryCount_ = 0;                    // Begun.
  std::optional<OpenQuery> query_;
  std::optional<MergeCursor> cursor_;  // Of the series that was begun last.
  std::vector<Timestamp> ms_;          // What of it is in no chunk yet.
  std::vector<double> values_;
  PromLabels labels_;
};

}  // namespace seriesdb
