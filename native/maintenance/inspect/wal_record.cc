#include "maintenance/inspect/wal_record.h"

#include <algorithm>

#include "common/base/later_program.h"
#include "format/log/wal_reader.h"
#include "storage/write/commit_record.h"

namespace seriesdb {
namespace {

Result<WalRecordFacts> lookAtSamples(const LogRecord& record) {
  const auto decoded = decodeCommit(record.payload);
  if (!decoded.ok()) return decoded.status();
  WalRecordFacts facts{.kind = "samples"};
  facts.newSeries = decoded.value().series.size();
  facts.samples = decoded.value().ts.size();
  for (const Timestamp ts : decoded.value().ts) {
    facts.range.start = std::min(facts.range.start, ts);
    facts.range.end = std::max(facts.range.end, ts);
  }
  return facts;
}

Result<WalRecordFacts> lookAtDeletion(const LogRecord& record) {
  const auto decoded = decodeTombstoneRecord(record.payload);
  if (!decoded.ok()) return decoded.status();
  WalRecordFacts facts{.kind = "deletion"};
  facts.series = decoded.value().refs.size();
  facts.range = decoded.value().range;
  return facts;
}

Result<WalRecordFacts> lookAtAnnotation(const LogRecord& record) {
  const auto decoded = decodeAnnotationRecord(record.payload);
  if (!decoded.ok()) return decoded.status();
  WalRecordFacts facts{.kind = "annotation"};
  facts.range = {decoded.value().start, decoded.value().end};
  return facts;
}

}  // namespace

Result<WalRecordFacts> lookAtRecord(const LogRecord& record) {
  switch (record.type) {
    case kCommitRecordType:
      return lookAtSamples(record);
    case kAnnotationRecordType:
      return lookAtAnnotation(record);
    case kTombstoneRecordType:
      return lookAtDeletion(record);
    case kBeginMarkType:
      return WalRecordFacts{.kind = "begin"};
    case kContinuedMarkType:
      return WalRecordFacts{.kind = "continued"};
    case kClosedMarkType:
      return WalRecordFacts{.kind = "closed"};
    default:
      return unknownType(record.type, kClosedMarkType);
  }
}

}  // namespace seriesdb
