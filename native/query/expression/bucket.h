// Buckets of time, numbered in order: of a fixed width, or months of the calendar.
#pragma once

#include <cstdint>

#include "common/types/sample.h"

namespace seriesdb {

// Buckets [origin + k * width, origin + (k + 1) * width).
struct BucketSpec {
  std::int64_t width;  // Above 0.
  Timestamp origin;
  // If above 0: a bucket has so many calendar months in UTC, counted from January 1970; width and
  // origin are ignored. Times before the calendar's range share a bucket, and so do times after it.
  std::int64_t months = 0;
  std::int64_t unitsPerSecond = 1000;  // For months; AggregateQuery sets it from the plan.

  bool isValid() const;
  // Moves the origin to the equivalent one nearest to 0, so that int64 holds all bucket numbers.
  // REQUIRES: valid.
  void reduceOrigin();
};

// All functions REQUIRE a valid spec with a reduced origin. `bucket` is a result of bucketOf() for
// it, or lies between two results. Returns the number of the bucket with `ts`.
std::int64_t bucketOf(const BucketSpec& spec, Timestamp ts);
// True if int64 holds the bucket's first timestamp and the calendar reaches it. Only the lowest
// fixed bucket, and the lowest and highest calendar bucket, may have no start. All buckets without
// a start are one group.
bool hasStart(const BucketSpec& spec, std::int64_t bucket);
// The first timestamp, or the nearest in int64; INT64_MIN for all buckets without a start.
Timestamp bucketStart(const BucketSpec& spec, std::int64_t bucket);
// The timestamps in the bucket.
TimeRange bucketRange(const BucketSpec& spec, std::int64_t bucket);
// The number of the bucket's group: its own, or one number for all calendar buckets without a
// start.
std::int64_t groupedBucket(const BucketSpec& spec, std::int64_t bucket);

}  // namespace seriesdb
