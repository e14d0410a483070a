#include "engine/merge_cursor.h"

#include <utility>

namespace seriesdb {

MergeCursor::MergeCursor(PinnedView view, SeriesRef ref, TimeRange range)
    : view_(std::move(view)), range_(range), opened_(std::make_unique<Opened>()) {
  findChunks(*view_, ref, range, opened_->chunks);
  for (const ChunkRun& run : opened_->chunks.runs) {
    for (const ChunkEntry& entry : run.chunks) {
      if (entry.summary.tsMax < range.start || entry.summary.tsMin > range.end) continue;
      estimatedSamples_ += entry.summary.count;
    }
  }
  for (const auto& frozen : view_->frozen) {
    estimatedSamples_ += frozen->memtable->sampleCountOf(ref);
  }
  estimatedSamples_ += view_->active->sampleCountOf(ref);
}

MergeCursor::Opened& MergeCursor::opened() {
  if (isCaptured_) return *opened_;
  isCaptured_ = true;
  opened_->sources.captureHeld(*view_, opened_->chunks, range_);
  opened_->merge.begin(opened_->sources, opened_->sources.parts());
  return *opened_;
}

Status MergeCursor::next(std::size_t countMax, std::vector<Timestamp>& ts,
                         std::vector<double>& values) {
  for (std::size_t wanted = countMax; wanted > 0;) {
    const auto count = nextPiece(wanted, ts, values);
    if (!count.ok()) return count.status();
    if (count.value() == 0) break;
    wanted -= count.value();
  }
  return Status::okStatus();
}

}  // namespace seriesdb
