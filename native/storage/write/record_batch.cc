#include "storage/write/record_batch.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "storage/write/commit_record.h"

namespace seriesdb {
namespace {

// If definitions of series exceed this size, the rest goes into further records; the same holds for
// descriptors. Far below kRecordPayloadSizeMax.
constexpr std::size_t kDefinitionBytes = std::size_t{16} << 20;
// The buffer capacity that a batch leaves to the next one.
constexpr std::size_t kKeptBytes = std::size_t{4} << 20;

}  // namespace

void RecordBatch::begin() {
  buffer_.clear();
  count_ = 0;
  firstSequence_ = writes_.nextSequence;
  annotationId_ = sources_.annotations.count();
  definedCount_ = writes_.loggedSeriesCount;
}

Status RecordBatch::add(Annotation& annotation) {
  annotation.id = annotationId_ + 1;
  const Status added = addRecord(kAnnotationRecordType, [&] {
    encodeAnnotation(buffer_, annotation);
  });
  if (!added.ok()) return added;
  ++annotationId_;
  ++count_;
  return added;
}

Status RecordBatch::add(Tombstone& tombstone, Bytes payload) {
  tombstone.sequence = writes_.nextSequence;
  const Status added = addRecord(kTombstoneRecordType, [&] {
    buffer_.insert(buffer_.end(), payload.begin(), payload.end());
  });
  if (added.ok()) ++count_;
  return added;
}

Status RecordBatch::add(StagedSamples& samples) {
  for (PendingDescriptor& one : samples.pendingDescriptors) {
    waiting_.emplace_back(std::move(one.metric), std::move(one.descriptor));
  }
  samples.pendingDescriptors.clear();
  if (samples.refs.empty() && waiting_.empty()) return {};
  std::vector<SeriesDefinition> series;
  Status added = encodeDefinitions(series);
  if (added.ok()) added = encodeDescriptors();
  if (added.ok()) added = addSamples(samples, series);
  // The next record defines them.
  if (!added.ok()) definedCount_ -= static_cast<std::uint32_t>(series.size());
  return added;
}

Status RecordBatch::addSamples(const StagedSamples& samples,
                               std::span<const SeriesDefinition> series) {
  const Status added = addRecord(kCommitRecordType, [&] {
    encodeCommit(buffer_, {series, waiting_, samples.refs, samples.ts, samples.values});
  });
  if (!added.ok()) return added;
  carry(waiting_.size());
  ++count_;
  return added;
}

// Leaves in `series` the definitions for the next record. If they exceed its size limit, writes the
// others into records before it.
Status RecordBatch::encodeDefinitions(std::vector<SeriesDefinition>& series) {
  const auto index = sources_.index.current();
  std::size_t bytes = 0;
  for (const std::uint32_t end = index->createdCount(); definedCount_ < end; ++definedCount_) {
    series.push_back(index->definition(definedCount_));
    bytes += memoryBytesOf(series.back());
    if (bytes < kDefinitionBytes) continue;
    const Status added = addRecord(kCommitRecordType, [&] { encodeCommit(buffer_, {series}); });
    if (!added.ok()) return added;
    series.clear();
    bytes = 0;
  }
  return {};
}

// If waiting descriptors exceed the size limit, writes the excess into separate records.
Status RecordBatch::encodeDescriptors() {
  std::size_t count = 0;
  std::size_t bytes = 0;
  while (count < waiting_.size()) {
    bytes += textBytesOf(waiting_[count++]);
    if (bytes < kDefinitionBytes) continue;
    const Status added = addRecord(kCommitRecordType, [&] {
      encodeCommit(buffer_, {{}, std::span(waiting_).first(count)});
    });
    if (!added.ok()) return added;
    carry(count);
    count = 0;
    bytes = 0;
  }
  return {};
}

// The first `count` waiting descriptors are in a record now.
void RecordBatch::carry(std::size_t count) {
  const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(count);
  std::move(waiting_.begin(), end, std::back_inserter(carried_));
  waiting_.erase(waiting_.begin(), end);
}

// The first record of an append says whether everything before it was synced.
template <typename Encode>
Status RecordBatch::addRecord(std::uint8_t type, const Encode& encode) {
  const bool isAfterSync = buffer_.empty() && writes_.wal->isSynced();
  const std::size_t at = beginRecord(buffer_, type, writes_.nextSequence, isAfterSync);
  encode();
  countMemory();
  const Status ended = endRecord(buffer_, at);
  if (!ended.ok()) return ended;
  if (const std::size_t size = buffer_.size() - at; size > recordSizeMax_) {
    buffer_.resize(at);
    return {StatusCode::kPayloadTooLarge,
            "the request takes " + std::to_string(size) + " bytes of the WAL; a database with a " +
                "bucket takes at most " + std::to_string(recordSizeMax_) + ": send it in parts"};
  }
  ++writes_.nextSequence;
  return {};
}

void RecordBatch::release() {
  if (buffer_.capacity() > kKeptBytes) buffer_ = {};
  countMemory();
}

// The capacity that every batch keeps is not counted.
void RecordBatch::countMemory() {
  const std::uint64_t held = buffer_.capacity() > kKeptBytes ? buffer_.capacity() : 0;
  if (held == countedBytes_) return;
  counters_.requestBytes.fetch_add(held - countedBytes_, std::memory_order_relaxed);
  countedBytes_ = held;
}

void RecordBatch::keep() {
  writes_.loggedSeriesCount = definedCount_;
  for (MetricDescriptor& one : carried_) writes_.activeDescriptors.add(std::move(one));
  carried_.clear();
}

void RecordBatch::takeBack() {
  writes_.nextSequence = firstSequence_;
  waiting_.insert(waiting_.begin(), std::make_move_iterator(carried_.begin()),
                  std::make_move_iterator(carried_.end()));
  carried_.clear();
}

}  // namespace seriesdb
