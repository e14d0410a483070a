#include "storage/view/merge_cursor.h"

#include <algorithm>
#include <utility>

namespace seriesdb {
namespace {
// The constructor looks up a series in at most so many segments; with more, the first read does.
constexpr std::size_t kQuickSegments = 512;
}  // namespace

MergeCursor::MergeCursor(PinnedView view, SeriesRef ref, TimeRange range)
    : view_(std::move(view)), ref_(ref), range_(range), opened_(std::make_unique<Opened>()) {
  estimate();
}

void MergeCursor::estimate() {
  isFound_ = view_->segments.size() <= kQuickSegments &&
             areDirectoriesInMemory(*view_, ref_, range_);
  if (!isFound_) {
    estimatedSamples_ = UINT64_MAX;
    return;
  }
  findChunks(*view_, {&ref_, 1}, range_, opened_->chunks);
  for (const SeriesChunks::Run& run : opened_->chunks.runs()) {
    for (const ChunkEntry& chunk : run.chunks) {
      estimatedSamples_ += chunk.summary.count;
      files_.add(*run.segment, chunk);
    }
  }
  for (const auto& frozen : view_->frozen) {
    estimatedSamples_ += frozen->memtable->sampleCountOf(ref_);
  }
  estimatedSamples_ += view_->active->sampleCountOf(ref_);
}

MergeCursor::Opened& MergeCursor::opened() {
  if (isCaptured_) return *opened_;
  isCaptured_ = true;
  if (!isFound_) findChunks(*view_, {&ref_, 1}, range_, opened_->chunks);
  opened_->sources.captureHeld(*view_, opened_->chunks, range_);
  opened_->merge.begin(opened_->sources, opened_->sources.parts());
  return *opened_;
}

Status MergeCursor::next(std::size_t countMax, std::vector<Timestamp>& ts,
                         std::vector<double>& values) {
  PartMerge& merge = opened().merge;
  for (std::size_t wanted = countMax; wanted > 0;) {
    const auto count = merge.nextSamples(wanted, ts, values);
    if (!count.ok()) return count.status();
    if (count.value() == 0) break;
    wanted -= count.value();
  }
  return Status::okStatus();
}

}  // namespace seriesdb
