// Which annotations a query wants.
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
  // Both ends inside: an annotation is wanted when it shares one moment with the range.
  TimeRange range{INT64_MIN, INT64_MAX};
  std::optional<std::string> kind;    // Compared exactly.
  std::optional<std::string> metric;  // Only annotations of that metric.
  // All of these pairs, or with `isAnyLabel` one of them. None match everything.
  OwnedLabels labels;
  bool isAnyLabel = false;
  OwnedLabels required;  // All of these, whatever else is asked.
  std::uint64_t limit = std::numeric_limits<std::uint64_t>::max();
};

bool matches(const AnnotationFilter& filter, const Annotation& annotation);

}  // namespace seriesdb
