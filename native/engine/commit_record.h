// The meaning of a WAL record: one ingest request, whole. See docs/format/wal.md.
//
//   series count, series definitions | descriptor count, descriptors |
//   sample count, column of refs, column of ts, column of values
#pragma once

#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/status.h"
#include "index/series_index.h"
#include "ndjson/ingest_parser.h"

namespace seriesdb {

// On disk: do not renumber.
inline constexpr std::uint8_t kCommitRecordType = 1;

struct CommitRecord {
  std::vector<SeriesDefinition> series;
  std::vector<PendingDescriptor> descriptors;
  std::vector<SeriesRef> refs;
  std::vector<Timestamp> ts;
  std::vector<double> values;
};

// Appends the payload. Columns have equal lengths.
void encodeCommit(ByteBuffer& out, std::span<const SeriesDefinition> series,
                  std::span<const PendingDescriptor> descriptors, std::span<const SeriesRef> refs,
                  std::span<const Timestamp> ts, std::span<const double> values);

Result<CommitRecord> decodeCommit(Bytes payload);

}  // namespace seriesdb
