#include "write/record_batch.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "write/commit_record.h"

namespace seriesdb {
namespace {

// Definitions of series past this go into a record of their own, far below kRecordPayloadSizeMax.
constexpr std::size_t kDefinitionBytes = std::size_t{16} << 20;

std::size_t sizeOf(const SeriesDefinition& series) {
  std::size_t size = series.name.size() + 32;
  for (const auto& [key, value] : series.labels) size += key.size() + value.size() + 4;
  return size;
}

}  // namespace

void RecordBatch::begin() {
  buffer_.clear();
  count_ = 0;
  firstSequence_ = state_.nextSequence;
  annotationId_ = state_.annotations.count();
  definedCount_ = state_.loggedSeriesCount;
}

void RecordBatch::add(Annotation& annotation) {
  annotation.id = ++annotationId_;
  const std::size_t at = beginRecordOf(kAnnotationRecordType);
  encodeAnnotation(buffer_, annotation);
  endRecord(buffer_, at);
  ++count_;
}

void RecordBatch::add(Tombstone& tombstone, Bytes payload) {
  tombstone.sequence = state_.nextSequence;
  const std::size_t at = beginRecordOf(kTombstoneRecordType);
  buffer_.insert(buffer_.end(), payload.begin(), payload.end());
  endRecord(buffer_, at);
  ++count_;
}

void RecordBatch::add(StagedSamples& samples) {
  std::move(samples.pendingDescriptors.begin(), samples.pendingDescriptors.end(),
            std::back_inserter(waiting_));
  if (samples.refs.empty()) return;
  std::vector<SeriesDefinition> series;
  encodeDefinitions(series);
  const std::size_t at = beginRecordOf(kCommitRecordType);
  encodeCommit(buffer_, {series, waiting_, samples.refs, samples.ts, samples.values});
  endRecord(buffer_, at);
  std::move(waiting_.begin(), waiting_.end(), std::back_inserter(carried_));
  waiting_.clear();
  ++count_;
}

// Leaves in `series` the definitions that the next record should carry, and puts what would make it
// too large into records before it.
void RecordBatch::encodeDefinitions(std::vector<SeriesDefinition>& series) {
  const auto index = state_.index.current();
  std::size_t bytes = 0;
  for (const std::uint32_t end = index->createdCount(); definedCount_ < end; ++definedCount_) {
    series.push_back(index->definition(definedCount_));
    bytes += sizeOf(series.back());
    if (bytes < kDefinitionBytes) continue;
    const std::size_t at = beginRecordOf(kCommitRecordType);
    encodeCommit(buffer_, {series});
    endRecord(buffer_, at);
    series.clear();
    bytes = 0;
  }
}

// The first record of an append says whether all before it was on disk.
std::size_t RecordBatch::beginRecordOf(std::uint8_t type) {
  const bool isAfterSync = buffer_.empty() && state_.wal->isSynced();
  return beginRecord(buffer_, type, state_.nextSequence++, isAfterSync);
}

void RecordBatch::keep() {
  state_.loggedSeriesCount = definedCount_;
  std::move(carried_.begin(), carried_.end(), std::back_inserter(state_.activeDescriptors));
  carried_.clear();
}

void RecordBatch::takeBack() {
  state_.nextSequence = firstSequence_;
  waiting_.insert(waiting_.begin(), std::make_move_iterator(carried_.begin()),
                  std::make_move_iterator(carried_.end()));
  carried_.clear();
}

}  // namespace seriesdb
