#include "query/samples/column_reader.h"

namespace seriesdb {
namespace {
constexpr std::size_t kColumnBatch = 16384;
}  // namespace

// Returns false if no stretch is left.
bool ColumnReader::openNextStretch() {
  while (stretchAt_ == stretches_.size()) {
    if (seriesAt_ == refs_.size()) return false;
    stretchAt_ = 0;
    stretches_.clear();
    const auto series = std::span(refs_).subspan(seriesAt_++);
    const SeriesRef ref = series.front();
    if (ref == kNoSeries || isCancelled_.load(std::memory_order_relaxed)) continue;
    locateChunks(slice_, series, chunks_);
    sources_.captureHeld(*view_, chunks_, slice_.range);
    findStretches(sources_, stretches_);
    ++stats_.seriesScanned;
    stats_.chunksSkipped += countChunks(slice_, {&ref, 1});
  }
  const Stretch& stretch = stretches_[stretchAt_++];
  stats_.chunksScanned += stretch.chunkCount;
  stats_.chunksSkipped -= stretch.chunkCount;
  stats_.bytesRead += stretch.chunkBytes;
  reader_.open(stretch);
  return true;
}

Status ColumnReader::next(ColumnBatch& batch) {
  batch.series.clear();
  batch.ends.clear();
  batch.ts.clear();
  batch.values.clear();
  while (batch.ts.size() < kColumnBatch) {
    if (!isOpen_) isOpen_ = openNextStretch();
    if (isCancelled_.load(std::memory_order_relaxed)) {
      return {StatusCode::kClosed, "the query was cancelled"};
    }
    if (!isOpen_) break;
    const auto block = reader_.next();
    if (!block.ok()) return block.status();
    const SampleBlock& samples = block.value();
    isOpen_ = !samples.empty();
    if (!isOpen_) continue;
    batch.ts.insert(batch.ts.end(), samples.ts.begin(), samples.ts.end());
    batch.values.insert(batch.values.end(), samples.values.begin(), samples.values.end());
    stats_.rowsScanned += samples.size();
    const auto series = static_cast<std::uint32_t>(seriesAt_ - 1);
    if (batch.series.empty() || batch.series.back() != series) {
      batch.series.push_back(series);
      batch.ends.push_back(0);
    }
    batch.ends.back() = static_cast<std::uint32_t>(batch.ts.size());
  }
  return Status::okStatus();
}

}  // namespace seriesdb
