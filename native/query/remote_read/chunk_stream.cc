#include "query/remote_read/chunk_stream.h"

#include <algorithm>
#include <utility>

#include "common/base/work_pace.h"
#include "common/types/milliseconds.h"
#include "query/remote_read/named_series.h"
#include "query/remote_read/xor_chunk.h"
#include "storage/state/engine_options.h"

namespace seriesdb {

ChunkStream::ChunkStream(Engine& engine, RemoteReadRequest request)
    : engine_(engine),
      request_(std::move(request)),
      perSecond_(unitsPerSecond(engine.options().unit)),
      limited_(request_),
      labels_(request_.isEscaped) {
  counted_.countedIn = &engine;
  memory_.emplace(counted_);
}

Status ChunkStream::next(std::string& piece) {
  piece.clear();
  if (!std::exchange(isBegun_, true)) {
    if (Status selected = selectAll(); !selected.ok()) return selected;
  }
  do {
    PacedThread::giveWay();
    if (isCancelled()) return readCancelled();
    if (isAtEnd()) {
      release();
      break;
    }
    if (Status made = step(piece); !made.ok()) return made;
  } while (piece.size() < kPieceSize);
  return Status::okStatus();
}

// Selects before anything is written, so that a limit can still be reported as an error.
Status ChunkStream::selectAll() {
  index_ = engine_.index();
  for (const RemoteReadQuery& query : request_.queries) {
    if (isCancelled()) return readCancelled();
    std::vector<SeriesRef>& refs = selected_.emplace_back();
    if (query.range.start > query.range.end) continue;
    if (Status found = limited_.select(**index_, query.filter, refs); !found.ok()) return found;
    listedBytes_ += refs.capacity() * sizeof(refs[0]);
    if (Status held = memory_->hold(listedBytes_); !held.ok()) return held;
  }
  return Status::okStatus();
}

bool ChunkStream::isAtEnd() const {
  return !cursor_.has_value() && isQueryDone() && queryCount_ == request_.queries.size();
}

bool ChunkStream::isQueryDone() const {
  return !query_.has_value() || query_->begun == query_->refs.size();
}

// Free the memory now: the client may keep the reader for a while.
void ChunkStream::release() {
  query_.reset();
  selected_.clear();
  index_.reset();
  memory_->giveBack();
}

Status ChunkStream::step(std::string& piece) {
  if (cursor_.has_value()) return readBlock(piece);
  if (isQueryDone()) return beginQuery();
  beginSeries();
  return Status::okStatus();
}

Status ChunkStream::beginQuery() {
  query_.reset();
  const std::size_t place = queryCount_++;
  std::vector<SeriesRef> refs = std::move(selected_[place]);
  if (refs.empty()) return Status::okStatus();
  const auto hold = [this](std::uint64_t bytes) {
    return isCancelled() ? readCancelled() : memory_->hold(listedBytes_ + bytes);
  };
  Status sorted = sortByPromLabels(**index_, labels_, refs, hold);
  if (sorted.ok()) sorted = memory_->hold(listedBytes_);
  if (!sorted.ok()) return sorted;
  auto view = engine_.pinView(request_.queries[place].range);
  if (!view.ok()) return view.status();
  query_.emplace(OpenQuery{std::move(view).value(), std::move(refs)});
  return Status::okStatus();
}

void ChunkStream::beginSeries() {
  const SeriesRef ref = query_->refs[query_->begun++];
  const std::size_t place = queryCount_ - 1;
  cursor_.emplace(query_->view, ref, request_.queries[place].range);
  frame_.beginSeries(place, labels_.of(**index_, ref));
  ms_.clear();
  values_.clear();
}

Status ChunkStream::readBlock(std::string& piece) {
  const std::size_t from = ms_.size();
  if (Status read = cursor_->next(kRemoteBlockSamples, ms_, values_); !read.ok()) return read;
  if (ms_.size() > from) {
    roundTimes(from);
    // The last sample may be replaced by a later one of its millisecond.
    addChunks(kXorChunkSamplesMax, piece);
    return Status::okStatus();
  }
  addChunks(0, piece);
  frame_.endSeries(piece);
  cursor_.reset();
  return Status::okStatus();
}

// If samples share a millisecond, the last one stays.
void ChunkStream::roundTimes(std::size_t from) {
  if (perSecond_ == unitsPerSecond(TimestampUnit::kMilliseconds)) return;
  std::size_t kept = from;
  for (std::size_t i = from; i < ms_.size(); ++i) {
    const std::int64_t ms = millisecondsOf(ms_[i], perSecond_);
    if (kept > 0 && ms_[kept - 1] == ms) --kept;
    ms_[kept] = ms;
    values_[kept++] = values_[i];
  }
  ms_.resize(kept);
  values_.resize(kept);
}

// Adds chunks until at most `leftMax` samples are left.
void ChunkStream::addChunks(std::size_t leftMax, std::string& piece) {
  std::size_t at = 0;
  while (ms_.size() - at > leftMax) {
    const std::size_t count = std::min(kXorChunkSamplesMax, ms_.size() - at);
    frame_.addChunk(std::span(ms_).subspan(at, count), std::span(values_).subspan(at, count),
                    piece);
    at += count;
  }
  const auto taken = static_cast<std::ptrdiff_t>(at);
  ms_.erase(ms_.begin(), ms_.begin() + taken);
  values_.erase(values_.begin(), values_.begin() + taken);
}

}  // namespace seriesdb
