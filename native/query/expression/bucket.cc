#include "query/expression/bucket.h"

#include <algorithm>

#include "common/types/wide.h"
#include "query/expression/calendar.h"

namespace seriesdb {
namespace {

// Bucket numbers for times before and after the calendar.
constexpr std::int64_t kBeforeCalendar = INT64_MIN;
constexpr std::int64_t kAfterCalendar = INT64_MAX;

Months monthsOf(const BucketSpec& spec) { return {spec.months, spec.unitsPerSecond}; }

TimeRange calendarBucketRange(const BucketSpec& spec, std::int64_t bucket) {
  const TimeRange all = calendarRange(spec.unitsPerSecond);
  // Such a bucket exists only if int64 has times beyond the calendar.
  if (bucket == kBeforeCalendar) return {INT64_MIN, all.start - 1};
  if (bucket == kAfterCalendar) return {all.end + 1, INT64_MAX};
  const Timestamp start = stretchStart(monthsOf(spec), bucket).value_or(INT64_MIN);
  const auto next = stretchStart(monthsOf(spec), bucket + 1);
  return {std::max(start, all.start), next ? std::min(*next - 1, all.end) : all.end};
}

}  // namespace

bool BucketSpec::isValid() const {
  return months == 0 ? width > 0 : Months{months, unitsPerSecond}.isValid();
}

void BucketSpec::reduceOrigin() {
  if (months == 0) origin %= width;
}

std::int64_t bucketOf(const BucketSpec& spec, Timestamp ts) {
  if (spec.months > 0) {
    return stretchOf(monthsOf(spec), ts).value_or(ts < 0 ? kBeforeCalendar : kAfterCalendar);
  }
  std::int64_t near = 0;
  if (!__builtin_sub_overflow(ts, spec.origin, &near)) {
    return near / spec.width - (near % spec.width < 0 ? 1 : 0);
  }
  const Wide distance = Wide{ts} - spec.origin;
  Wide bucket = distance / spec.width;
  if (distance % spec.width < 0) --bucket;
  return clampToTimestamp(bucket);
}

bool hasStart(const BucketSpec& spec, std::int64_t bucket) {
  if (spec.months > 0) {
    return bucket != kBeforeCalendar && bucket != kAfterCalendar &&
           stretchStart(monthsOf(spec), bucket).has_value();
  }
  const Wide start = Wide{spec.origin} + Wide{bucket} * spec.width;
  return start >= INT64_MIN && start <= INT64_MAX;
}

Timestamp bucketStart(const BucketSpec& spec, std::int64_t bucket) {
  if (spec.months > 0) {
    return hasStart(spec, bucket) ? *stretchStart(monthsOf(spec), bucket) : INT64_MIN;
  }
  return clampToTimestamp(Wide{spec.origin} + Wide{bucket} * spec.width);
}

TimeRange bucketRange(const BucketSpec& spec, std::int64_t bucket) {
  if (spec.months > 0) return calendarBucketRange(spec, bucket);
  const Wide start = Wide{spec.origin} + Wide{bucket} * spec.width;
  return {clampToTimestamp(start), clampToTimestamp(start + spec.width - 1)};
}

std::int64_t groupedBucket(const BucketSpec& spec, std::int64_t bucket) {
  return spec.months == 0 || hasStart(spec, bucket) ? bucket : kBeforeCalendar;
}

}  // namespace seriesdb
