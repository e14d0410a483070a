#include "query/answers/range_reader.h"

#include "common/types/stale_marker.h"
#include "query/print/sample_json.h"

namespace seriesdb {
namespace {
// Bytes of most samples as text.
constexpr std::size_t kSampleSize = 40;
}  // namespace

Status RangeReader::next(std::string& piece) {
  piece.clear();
  if (isDone_) return Status::okStatus();
  // The last block may overshoot by its whole size.
  piece.reserve(isShort_ ? pieceSize_ : pieceSize_ + kBlockSamples * kSampleSize);
  if (!isOpen_) piece.push_back('[');
  isOpen_ = true;
  while (cursor_ && piece.size() < pieceSize_) {
    if (isCancelled()) return {StatusCode::kClosed, "the range read was cancelled"};
    if (Status read = appendBlock(piece); !read.ok()) return read;
  }
  if (!cursor_) {
    piece.push_back(']');
    isDone_ = true;
  }
  return Status::okStatus();
}

Status RangeReader::appendBlock(std::string& piece) {
  ts_.clear();
  values_.clear();
  Status read = cursor_->next(kBlockSamples, ts_, values_);
  if (!read.ok()) return read;
  if (ts_.empty()) cursor_.reset();
  const std::size_t kept = dropStale(ts_, values_);
  ts_.resize(kept);
  values_.resize(kept);
  appendSamplesJson(piece, ts_, values_, isFirst_);
  isFirst_ = isFirst_ && ts_.empty();
  return read;
}

}  // namespace seriesdb
