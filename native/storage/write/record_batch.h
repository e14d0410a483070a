// The records of one WAL append: their sequences, their series definitions, and the rollback if the
// append fails. Only the committer's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/base/bytes.h"
#include "common/types/tombstone.h"
#include "format/annotation/annotation.h"
#include "ingest/staged_samples.h"
#include "storage/state/counters.h"
#include "storage/state/sources.h"
#include "storage/state/write_path.h"

namespace seriesdb {

class RecordBatch {
 public:
  // All must outlive it. `recordSizeMax`: the most bytes of a record with its frame.
  RecordBatch(const Sources& sources, WritePath& writes, Counters& counters,
              std::size_t recordSizeMax)
      : sources_(sources), writes_(writes), counters_(counters), recordSizeMax_(recordSizeMax) {}

  // Begins the next batch. REQUIRES: keep() or takeBack() ended the previous one.
  void begin();
  // Each add() adds a record; if the record would be too large, kPayloadTooLarge and no record. The
  // annotation gets its id.
  Status add(Annotation& annotation);
  // The tombstone gets its sequence; `payload` is its encoding.
  Status add(Tombstone& tombstone, Bytes payload);
  // REQUIRES: the series are resolved. Series without a definition are defined in the record, or in
  // records before it if there are very many. The same holds for descriptors, which this call
  // takes: if an append fails, its descriptors wait for the next one.
  Status add(StagedSamples& samples);

  Bytes bytes() const { return buffer_; }
  std::uint64_t count() const { return count_; }
  // Call after the append succeeded.
  void keep();
  // Call after the append failed: the sequences are free again, and later records define the
  // series.
  void takeBack();
  // bytes() is no longer needed: frees the memory of a large batch.
  void release();

 private:
  Status addSamples(const StagedSamples& samples, std::span<const SeriesDefinition> series);
  Status encodeDefinitions(std::vector<SeriesDefinition>& series);
  Status encodeDescriptors();
  void carry(std::size_t count);
  void countMemory();
  template <typename Encode>
  Status addRecord(std::uint8_t type, const Encode& encode);

  const Sources& sources_;
  WritePath& writes_;
  Counters& counters_;
  const std::size_t recordSizeMax_;
  ByteBuffer buffer_;
  std::uint64_t countedBytes_ = 0;  // The bytes counted in Counters::requestBytes.
  std::uint64_t count_ = 0;
  std::uint64_t firstSequence_ = 0;
  std::uint64_t annotationId_ = 0;  // The last assigned id.
  std::uint32_t definedCount_ = 0;  // Series below this ref are defined, this batch included.
  std::vector<MetricDescriptor> waiting_;  // Descriptors that no record carries yet.
  std::vector<MetricDescriptor> carried_;  // Descriptors in records of this batch.
};

}  // namespace seriesdb
