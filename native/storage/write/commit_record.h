// The content of a WAL record; see docs/format/wal.md. One complete ingest request:
//
//   series count, series definitions | descriptor count, descriptors |
//   sample count, column of refs, column of ts, column of values
#pragma once

#include <span>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/status.h"
#include "common/types/tombstone.h"
#include "format/annotation/annotation.h"
#include "index/series_index.h"
#include "ingest/staged_samples.h"

namespace seriesdb {

// Part of the disk format: do not renumber.
inline constexpr std::uint8_t kCommitRecordType = 1;

struct CommitRecord {
  std::vector<SeriesDefinition> series;  // Series that this record defines, ascending by ref.
  // Descriptors that this record sets; parts that are set are new.
  std::vector<MetricDescriptor> descriptors;
  // Columns of equal length, possibly 0. If a series has a timestamp twice, the last value counts.
  std::vector<SeriesRef> refs;  // Below kSeriesRefsMax; defined in this record or before.
  std::vector<Timestamp> ts;    // Any values, in the database's unit.
  std::vector<double> values;   // Any bit patterns.
};

// The parts of a CommitRecord as views.
struct CommitParts {
  std::span<const SeriesDefinition> series;
  std::span<const MetricDescriptor> descriptors{};
  std::span<const SeriesRef> refs{};
  std::span<const Timestamp> ts{};
  std::span<const double> values{};
};

// Appends the payload. Columns have equal lengths.
void encodeCommit(ByteBuffer& out, const CommitParts& parts);

// kStorageCorrupt for an invalid or too long payload. A tombstone gets the sequence of its record.
Result<CommitRecord> decodeCommit(Bytes payload);
Result<Tombstone> decodeTombstoneRecord(Bytes payload);
Result<Annotation> decodeAnnotationRecord(Bytes payload);

}  // namespace seriesdb
