#include "common/base/status.h"

namespace seriesdb {

// No default, so that the compiler reports a code without a name.
std::string_view statusName(StatusCode code) {
  switch (code) {
    case StatusCode::kOk:
      return "ok";
    case StatusCode::kInvalidArgument:
      return "invalid_argument";
    case StatusCode::kInvalidJson:
      return "invalid_json";
    case StatusCode::kInvalidRecord:
      return "invalid_record";
    case StatusCode::kLineTooLong:
      return "line_too_long";
    case StatusCode::kPayloadTooLarge:
      return "payload_too_large";
    case StatusCode::kDescriptorConflict:
      return "metric_descriptor_conflict";
    case StatusCode::kSeriesLimit:
      return "series_limit";
    case StatusCode::kAmbiguousSelector:
      return "ambiguous_selector";
    case StatusCode::kBackpressure:
      return "ingest_backpressure";
    case StatusCode::kStorageUnavailable:
      return "storage_unavailable";
    case StatusCode::kStorageCorrupt:
      return "storage_corrupt";
    case StatusCode::kIo:
      return "io";
    case StatusCode::kClosed:
      return "closed";
    case StatusCode::kLocked:
      return "locked";
    case StatusCode::kUnitMismatch:
      return "unit_mismatch";
    case StatusCode::kSeriesNotFound:
      return "series_not_found";
    case StatusCode::kQueryLimit:
      return "query_limit_exceeded";
    case StatusCode::kQueryTimeout:
      return "query_timeout";
    case StatusCode::kExhausted:
      return "resources_exhausted";
    case StatusCode::kConfiguration:
      return "invalid_configuration";
    case StatusCode::kSnapshotExists:
      return "snapshot_exists";
    case StatusCode::kStateNotFound:
      return "state_not_found";
    case StatusCode::kAnnotationNotFound:
      return "annotation_not_found";
    case StatusCode::kSnapshotNotFound:
      return "snapshot_not_found";
    case StatusCode::kFenced:
      return "fenced";
    case StatusCode::kBucketUnavailable:
      return "bucket_unavailable";
  }
  CHECK(false);
  return {};
}

}  // namespace seriesdb
