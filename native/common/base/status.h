// Errors as values. Every fallible function returns a Status or a Result<T>; nothing in native/
// throws. JavaScript sees the code's name (statusName) as `error.code`; the error catalogue in
// src/common/errors/ lists all names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "common/base/check.h"

namespace seriesdb {

// Add at the end, with its name in statusName() and in src/common/errors/catalog.ts; move
// kLastStatusCode.
enum class StatusCode : std::uint8_t {
  kOk,
  kInvalidArgument,     // The caller broke the contract.
  kInvalidJson,         // Text that is not JSON.
  kInvalidRecord,       // JSON that is not an ingest record.
  kLineTooLong,         // An NDJSON line past max_line_bytes.
  kPayloadTooLarge,     // A body past max_body_bytes.
  kDescriptorConflict,  // kind, unit or description differ from the stored ones.
  kSeriesLimit,         // A new series or descriptor would exceed its limit.
  kAmbiguousSelector,   // A bare name that several series share.
  kBackpressure,        // The memory limit is reached; retry later.
  kStorageUnavailable,  // The database is read-only (disk full, failed fsync).
  kStorageCorrupt,      // Damage found in a file.
  kIo,                  // The operating system refused.
  kClosed,              // The handle was closed.
  kLocked,              // Another process holds the data directory.
  kUnitMismatch,        // The directory was made with another timestamp unit.
  kSeriesNotFound,      // A selector matches no series, but one is required.
  kQueryLimit,          // A query would read or hold more than a limit allows.
  kQueryTimeout,        // A query passed its deadline.
  kExhausted,           // The process has no free descriptors, memory or segments.
  kConfiguration,       // A setting of the database forbids it.
  kSnapshotExists,      // A snapshot name that already exists.
  kSnapshotNotFound,    // A snapshot name that does not exist.
  kStateNotFound,       // A state that is not in history.
  kAnnotationNotFound,  // No annotation has that id, or it was deleted.
  kFenced,              // Another owner claimed the bucket; the database is read-only for good.
  kBucketUnavailable,   // The bucket did not take a write in time. It may be stored; retry.
};

inline constexpr StatusCode kLastStatusCode = StatusCode::kBucketUnavailable;

// The snake_case name of a code, for example "invalid_json".
std::string_view statusName(StatusCode code);

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(StatusCode code, std::string message) : code_(code), message_(std::move(message)) {}

  static Status okStatus() { return {}; }
  static Status corrupt(std::string message) {
    return {StatusCode::kStorageCorrupt, std::move(message)};
  }
  static Status io(std::string message) { return {StatusCode::kIo, std::move(message)}; }
  static Status invalid(std::string message) {
    return {StatusCode::kInvalidArgument, std::move(message)};
  }

  bool ok() const { return code_ == StatusCode::kOk; }
  StatusCode code() const { return code_; }
  const std::string& message() const { return message_; }

 private:
  StatusCode code_ = StatusCode::kOk;
  std::string message_;
};

// True for a failure that says nothing about the file: the process or the machine could not read it
// now, an object store did not answer, or the caller gave up.
inline bool isUnread(const Status& status) {
  return status.code() == StatusCode::kExhausted ||
         status.code() == StatusCode::kStorageUnavailable || status.code() == StatusCode::kClosed;
}

// A value, or the Status that explains its absence.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}  // NOLINT(google-explicit-constructor)
  Result(Status status) : status_(std::move(status)) {
    CHECK(!status_.ok());
  }  // NOLINT(google-explicit-constructor)

  bool ok() const { return value_.has_value(); }
  const Status& status() const { return status_; }
  // REQUIRES: ok()
  T& value() & {
    CHECK(ok());
    return *value_;
  }
  const T& value() const& {
    CHECK(ok());
    return *value_;
  }
  T&& value() && {
    CHECK(ok());
    return std::move(*value_);
  }

 private:
  std::optional<T> value_;
  Status status_;
};

}  // namespace seriesdb
