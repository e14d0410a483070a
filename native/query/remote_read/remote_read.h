// The samples that queries of Prometheus' remote_read select, as its response of the type SAMPLES:
// a protobuf message in one block of snappy, in which its length stands first.
//
// So the message is held whole, within limits, and made by the first piece; the block is made of it
// piece by piece. Samples are as they are stored, the ends of series among them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "query/answers/json_reader.h"
#include "query/remote_read/named_series.h"
#include "query/remote_read/read_response.h"
#include "query/remote_read/selected_series.h"
#include "query/samples/query_memory.h"
#include "storage/engine/engine.h"

namespace seriesdb {

class RemoteReadAnswer final : public JsonReader {
 public:
  // `engine` must outlive it.
  RemoteReadAnswer(Engine& engine, RemoteReadRequest request)
      : engine_(engine),
        request_(std::move(request)),
        selected_(request_),
        response_(engine.options().unit),
        labels_(request_.isEscaped) {
    counted_.countedIn = &engine;
    memory_.emplace(counted_);
  }

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
  ReadResponse response_;
  QueryLimits counted_;
  std::optional<QueryMemory> memory_;  // Of the message, until the end.
  bool isRead_ = false;
  std::size_t at_ = 0;  // Of the message: what is in pieces so far.
  std::uint64_t sampleCount_ = 0;
  PromLabels labels_;
  // Scratch.
  std::vector<Timestamp> ts_;
  std::vector<double> values_;
  ByteBuffer block_;
};

}  // namespace seriesdb
