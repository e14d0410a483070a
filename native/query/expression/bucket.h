// Buckets of time, numbered as they follow each other: of a fixed width, or months of the calendar.
#pragma once

#include <cstdint>

#include "common/types/sample.h"

namespace seriesdb {

// Buckets [origin + k * width, origin + (k + 1) * width).
struct BucketSpec {
  std::int64_t width;  // Above 0.
  Timestamp origin;
  // Above 0: so many months of the calendar in UTC instead, counted from January 1970; width and
  // origin do not count. Times before the calendar have a bucket, and so have those after it.
  std::int64_t months = 0;
  std::int64_t unitsPerSecond = 1000;  // Of months; AggregateQuery takes the plan's.

  bool isValid() const;
  // Takes the origin nearest to 0 that makes the same buckets, so that int64 holds their numbers.
  // REQUIRES: valid.
  void reduceOrigin();
};

// REQUIRES (all): a valid spec with a reduced origin, and a number that bucketOf gave for it or one
// between two such. The number of the bucket that `ts` lies in.
std::int64_t bucketOf(const BucketSpec& spec, Timestamp ts);
// Whether int64 holds its first timestamp, and the calendar reaches it. Of fixed buckets the lowest
// may have none, of those of the calendar also the highest. All these are one group.
bool hasStart(const BucketSpec& spec, std::int64_t bucket);
// Its first timestamp, or the nearest that int64 holds; INT64_MIN for all without a start.
Timestamp bucketStart(const BucketSpec& spec, std::int64_t bucket);
// The timestamps that it holds.
TimeRange bucketRange(const BucketSpec& spec, std::int64_t bucket);
// The number of its group: its own, and one for all buckets of the calendar without a start.
std::int64_t groupedBucket(const BucketSpec& spec, std::int64_t bucket);

}  // namespace seriesdb
