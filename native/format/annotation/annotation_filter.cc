#include "format/annotation/annotation_filter.h"

#include <algorithm>

namespace seriesdb {
namespace {

bool matchesLabels(const AnnotationFilter& filter, const Annotation& annotation) {
  if (filter.labels.empty() || !filter.isAnyLabel) return hasLabels(annotation, filter.labels);
  return std::ranges::any_of(filter.labels,
                             [&](const auto& label) { return hasLabel(annotation, label); });
}

}  // namespace

bool matches(const AnnotationFilter& filter, const Annotation& annotation) {
  if (annotation.start > filter.range.end || annotation.end < filter.range.start) return false;
  if (filter.kind && *filter.kind != annotation.kind) return false;
  if (filter.metric && filter.metric != annotation.metric) return false;
  return hasLabels(annotation, filter.required) && matchesLabels(filter, annotation);
}

}  // namespace seriesdb
