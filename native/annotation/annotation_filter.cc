#include "annotation/annotation_filter.h"

#include <algorithm>

namespace seriesdb {
namespace {

bool matchesLabels(const AnnotationFilter& filter, const Annotation& annotation) {
  if (filter.labels.empty()) return true;
  const auto isThere = [&](const std::pair<std::string, std::string>& label) {
    return std::binary_search(annotation.labels.begin(), annotation.labels.end(), label);
  };
  return filter.isAnyLabel ? std::any_of(filter.labels.begin(), filter.labels.end(), isThere)
                           : std::all_of(filter.labels.begin(), filter.labels.end(), isThere);
}

}  // namespace

bool matches(const AnnotationFilter& filter, const Annotation& annotation) {
  if (annotation.start > filter.range.end || annotation.end < filter.range.start) return false;
  if (filter.kind && *filter.kind != annotation.kind) return false;
  if (filter.metric && filter.metric != annotation.metric) return false;
  return matchesLabels(filter, annotation);
}

}  // namespace seriesdb
