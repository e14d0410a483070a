#include "query/remote_read/remote_read.h"

#include <algorithm>
#include <string>
#include <utility>

#include "common/base/work_pace.h"
#include "common/encoding/snappy_encoder.h"
#include "query/remote_read/named_series.h"
#include "query/remote_read/read_response.h"
#include "storage/engine/engine.h"
#include "storage/state/engine_options.h"
#include "storage/view/merge_cursor.h"
#include "storage/view/view.h"

namespace seriesdb {

RemoteReadAnswer::RemoteReadAnswer(Engine& engine, RemoteReadRequest request)
    : engine_(engine),
      request_(std::move(request)),
      selected_(request_),
      response_(std::make_unique<ReadResponse>(engine.options().unit)),
      labels_(request_.isEscaped) {
  counted_.countedIn = &engine;
  memory_.emplace(counted_);
}

RemoteReadAnswer::~RemoteReadAnswer() = default;

Status RemoteReadAnswer::next(std::string& piece) {
  piece.clear();
  block_.clear();
  if (!std::exchange(isRead_, true)) {
    if (Status read = readAll(); !read.ok()) return read;
    appendSnappySize(block_, response_->bytes().size());
  }
  if (isCancelled()) return readCancelled();
  const Bytes left = Bytes(response_->bytes()).subspan(at_);
  const Bytes part = left.first(std::min(kPieceSize, left.size()));
  appendSnappyPart(block_, part);
  at_ += part.size();
  piece.assign(asText(block_));
  return Status::okStatus();
}

Status RemoteReadAnswer::readAll() {
  const PinnedIndex index = engine_.index();
  for (const RemoteReadQuery& query : request_.queries) {
    response_->beginResult();
    if (Status read = readQuery(*index, query); !read.ok()) return read;
    response_->endResult();
  }
  return checkSize();
}

Status RemoteReadAnswer::readQuery(const SeriesIndex& index, const RemoteReadQuery& query) {
  if (query.range.start > query.range.end) return Status::okStatus();
  std::vector<SeriesRef> refs;
  Status selected = selected_.select(index, query.filter, refs);
  if (!selected.ok()) return selected;
  const auto hold = [this](std::uint64_t bytes) {
    return isCancelled() ? readCancelled() : memory_->hold(response_->bytes().capacity() + bytes);
  };
  if (Status sorted = sortByPromLabels(index, labels_, refs, hold); !sorted.ok()) return sorted;
  const auto view = engine_.pinView(query.range);
  if (!view.ok()) return view.status();
  for (const SeriesRef ref : refs) {
    Status read = readSeries(index, ref, view.value(), query.range);
    if (!read.ok()) return read;
  }
  return Status::okStatus();
}

// Skips a series without samples in the range.
Status RemoteReadAnswer::readSeries(const SeriesIndex& index, SeriesRef ref, const PinnedView& view,
                                    TimeRange range) {
  MergeCursor cursor(view, ref, range);
  for (bool isFirst = true;; isFirst = false) {
    PacedThread::giveWay();
    if (isCancelled()) return readCancelled();
    ts_.clear();
    values_.clear();
    if (Status read = cursor.next(kRemoteBlockSamples, ts_, values_); !read.ok()) return read;
    if (ts_.empty()) {
      if (!isFirst) response_->endSeries();
      return Status::okStatus();
    }
    if (isFirst) {
      response_->beginSeries(labels_.of(index, ref));
    }
    if (Status counted = countSamples(ts_.size()); !counted.ok()) return counted;
    response_->addSamples(ts_, values_);
    if (Status held = checkSize(); !held.ok()) return held;
  }
}

Status RemoteReadAnswer::countSamples(std::size_t count) {
  sampleCount_ += count;
  const std::uint64_t most = std::min(request_.samplesMax, RemoteReadRequest::kSamplesMax);
  if (sampleCount_ <= most) return Status::okStatus();
  const bool isOfSetting = most < RemoteReadRequest::kSamplesMax;
  return answerTooLarge(std::to_string(most) + " samples",
                        isOfSetting ? ", or raise max_query_samples" : "");
}

Status RemoteReadAnswer::checkSize() {
  const ByteBuffer& message = response_->bytes();
  if (message.size() > request_.bytesMax) {
    return answerTooLarge(std::to_string(request_.bytesMax) + " bytes", "");
  }
  return memory_->hold(message.capacity());
}

}  // namespace seriesdb
