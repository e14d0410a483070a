// Answers Prometheus' remote_read with a response of type SAMPLES: a protobuf message in one snappy
// block. The block starts with the message's length.
//
// So the whole message is held, within limits; the first piece makes it. The block is made of it
// piece by piece. Samples are returned as stored, stale markers included.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/bytes.h"
#include "query/answers/json_reader.h"
#include "query/remote_read/named_series.h"
#include "query/remote_read/selected_series.h"
#include "query/samples/query_memory.h"
#include "storage/view/pinned_view.h"

namespace seriesdb {

class Engine;
class ReadResponse;

class RemoteReadAnswer final : public JsonReader {
 public:
  // `engine` must outlive it.
  RemoteReadAnswer(Engine& engine, RemoteReadRequest request);
  ~RemoteReadAnswer() override;

  // kQueryLimit, kClosed, kStorageCorrupt.
  Status next(std::string& piece) override;
  bool isShort() const override { return false; }
  Stage stage() const override { return Stage::kRangeRead; }

 private:
  Status readAll();
  Status readQuery(const SeriesIndex& index, const RemoteReadQuery& query);
  Status readSeries(const SeriesIndex& index, SeriesRef ref, const PinnedView& view,
                    TimeRange range);
  Status countSamples(std::size_t count);
  Status checkSize();

  Engine& engine_;
  const RemoteReadRequest request_;
  SelectedSeries selected_;
  const std::unique_ptr<ReadResponse> response_;
  QueryLimits counted_;
  std::optional<QueryMemory> memory_;  // Counts the message, until the end.
  bool isRead_ = false;
  std::size_t at_ = 0;  // The bytes of the message that are in pieces so far.
  std::uint64_t sampleCount_ = 0;
  PromLabels labels_;
  // Scratch.
  std::vector<Timestamp> ts_;
  std::vector<double> values_;
  ByteBuffer block_;
};

}  // namespace seriesdb
