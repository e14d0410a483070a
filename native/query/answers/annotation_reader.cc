#include "query/answers/annotation_reader.h"

#include <algorithm>
#include <utility>

namespace seriesdb {
namespace {
// Annotations found at a time; with the largest messages some 8 MiB of text.
constexpr std::uint64_t kFoundMax = 128;
}  // namespace

AnnotationReader::AnnotationReader(const AnnotationIndex& index, AnnotationFilter filter)
    : index_(index),
      filter_(std::move(filter)),
      search_{&filter_, index.count(), std::nullopt},
      left_(filter_.limit) {}

Status AnnotationReader::next(std::string& piece) {
  piece.clear();
  if (isDone_) return Status::okStatus();
  if (!isOpen_) piece.push_back('[');
  isOpen_ = true;
  bool hasMore = left_ > 0;
  while (hasMore && piece.size() < kPieceSize) {
    if (isCancelled()) return {StatusCode::kClosed, "the search for annotations was cancelled"};
    hasMore = appendSome(piece);
  }
  if (!hasMore) {
    piece.push_back(']');
    isDone_ = true;
  }
  return Status::okStatus();
}

// Returns true if more may follow.
bool AnnotationReader::appendSome(std::string& piece) {
  found_.clear();
  const auto wanted = static_cast<std::size_t>(std::min(left_, kFoundMax));
  const bool hasMore = index_.find(search_, wanted, found_);
  for (const Annotation* one : found_) {
    if (!std::exchange(isFirst_, false)) piece.push_back(',');
    appendAnnotationJson(piece, *one);
  }
  left_ -= found_.size();
  return hasMore && left_ > 0;
}

}  // namespace seriesdb
