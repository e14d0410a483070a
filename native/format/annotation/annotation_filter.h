// The conditions by which a query selects annotations.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "format/annotation/annotation.h"

namespace seriesdb {

struct AnnotationFilter {
  // Both ends inclusive. An annotation matches if it overlaps the range.
  TimeRange range{INT64_MIN, INT64_MAX};
  std::optional<std::string> kind;    // Compared exactly.
  std::optional<std::string> metric;  // Only annotations of that metric.
  // All of these pairs must match, or any one of them with `isAnyLabel`. Empty matches everything.
  OwnedLabels labels;
  bool isAnyLabel = false;
  OwnedLabels required;  // All of these pairs must match, in addition to `labels`.
  std::uint64_t limit = std::numeric_limits<std::uint64_t>::max();
};

bool matches(const AnnotationFilter& filter, const Annotation& annotation);

}  // namespace seriesdb
