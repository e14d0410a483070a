// The records of one append to the log: their numbers, what they define on their way, and what is
// taken back when the append fails. Only the committer's thread.
#pragma once

#include <cstdint>
#include <vector>

#include "annotation/annotation.h"
#include "base/bytes.h"
#include "model/tombstone.h"
#include "ingest/staged_samples.h"
#include "state/engine_state.h"

namespace seriesdb {

class RecordBatch {
 public:
  // `state` must outlive it.
  explicit RecordBatch(EngineState& state) : state_(state) {}

  // Begins the next batch. REQUIRES: the one before was kept or taken back.
  void begin();
  // Each adds a record. The annotation gets its id.
  void add(Annotation& annotation);
  // The tombstone gets its sequence; `payload` is how it is encoded.
  void add(Tombstone& tombstone, Bytes payload);
  // The series are resolved; those that no record has defined yet are defined in it, and in records
  // before it where they are very many. Descriptors are taken; without samples they wait for the
  // next record.
  void add(StagedSamples& samples);

  Bytes bytes() const { return buffer_; }
  std::uint64_t count() const { return count_; }
  // The append succeeded.
  void keep();
  // It failed: the numbers are free again, and what was defined will be defined later.
  void takeBack();

 private:
  void encodeDefinitions(std::vector<SeriesDefinition>& series);
  std::size_t beginRecordOf(std::uint8_t type);

  EngineState& state_;
  ByteBuffer buffer_;
  std::uint64_t count_ = 0;
  std::uint64_t firstSequence_ = 0;
  std::uint64_t annotationId_ = 0;  // The last one given.
  std::uint32_t definedCount_ = 0;  // Series below this ref are defined, with this batch.
  std::vector<PendingDescriptor> waiting_;  // That no record carries yet.
  std::vector<PendingDescriptor> carried_;  // By records of this batch.
};

}  // namespace seriesdb
