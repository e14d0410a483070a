// The meaning of a WAL record. See docs/format/wal.md. Of one ingest request, whole:
//
//   series count, series definitions | descriptor count, descriptors |
//   sample count, column of refs, column of ts, column of values
#pragma once

#include <span>
#include <vector>

#include "annotation/annotation.h"
#include "base/bytes.h"
#include "base/status.h"
#include "index/series_index.h"
#include "model/tombstone.h"
#include "ingest/staged_samples.h"

namespace seriesdb {

// On disk: do not renumber.
inline constexpr std::uint8_t kCommitRecordType = 1;

struct CommitRecord {
  std::vector<SeriesDefinition> series;        // New with it, ascending by ref.
  std::vector<MetricDescriptor> descriptors;  // The same; the parts that are set are new.
  // Columns of equal length, which may be 0; of one timestamp of a series the last value counts.
  std::vector<SeriesRef> refs;  // Below kSeriesRefsMax, of series defined here or before.
  std::vector<Timestamp> ts;    // Any, in the database's unit.
  std::vector<double> values;   // Any bits.
};

// What a CommitRecord has, where it lies.
struct CommitParts {
  std::span<const SeriesDefinition> series;
  std::span<const MetricDescriptor> descriptors{};
  std::span<const SeriesRef> refs{};
  std::span<const Timestamp> ts{};
  std::span<const double> values{};
};

// Appends the payload. Columns have equal lengths.
void encodeCommit(ByteBuffer& out, const CommitParts& parts);

// kStorageCorrupt for a payload that is none, or is longer. The sequence of a tombstone is its
// record's.
Result<CommitRecord> decodeCommit(Bytes payload);
Result<Tombstone> decodeTombstoneRecord(Bytes payload);
Result<Annotation> decodeAnnotationRecord(Bytes payload);

}  // namespace seriesdb
