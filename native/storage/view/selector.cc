#include "storage/view/selector.h"

#include <algorithm>

namespace seriesdb {
namespace {

using Found = Result<std::optional<SeriesRef>>;

bool hasAll(std::span<const Label> labels, const OwnedLabels& required) {
  return std::ranges::all_of(required, [&](const auto& pair) {
    return std::ranges::any_of(labels, [&](const Label& label) {
      return label.key == pair.first && label.value == pair.second;
    });
  });
}

Found findById(const SeriesIndex& index, const Selector& selector) {
  const auto ref = index.findById(*selector.id);
  if (!ref) return ref;
  std::vector<Label> labels;
  index.labelsOf(*ref, labels);
  return hasAll(labels, selector.required) ? ref : std::nullopt;
}

// A series has each label key once, so a second value for a key matches no series.
Found findExact(const SeriesIndex& index, const Selector& selector) {
  OwnedLabels pairs = *selector.labels;
  eraseEmpty(pairs);
  for (const auto& required : selector.required) {
    if (std::ranges::find(pairs, required) == pairs.end()) pairs.push_back(required);
  }
  std::ranges::sort(pairs);
  return index.findExact(selector.name, viewsOf(pairs));
}

Found findByName(const SeriesIndex& index, const Selector& selector) {
  const auto alone = index.findExact(selector.name, viewsOf(selector.required));
  if (alone) return alone;
  SeriesFilter filter;
  filter.name = NameFilter::exact(selector.name);
  filter.required = termsOf(selector.required);
  const std::vector<SeriesRef> refs = index.select(filter);
  if (refs.empty()) return std::optional<SeriesRef>{};
  if (refs.size() == 1) return std::optional(refs[0]);
  return SeriesIndex::ambiguous(refs.size(), selector.name);
}

}  // namespace

Found selectSeries(const SeriesIndex& index, const Selector& selector) {
  if (!selector.required.empty()) {
    if (selector.id) return findById(index, selector);
    return (selector.labels ? findExact : findByName)(index, selector);
  }
  if (selector.id) return index.findById(*selector.id);
  if (!selector.labels) return index.findByName(selector.name);
  std::vector<Label> labels = viewsOf(*selector.labels);
  eraseEmpty(labels);
  return index.findExact(selector.name, labels);
}

Status checkReadable(const View& view, TimeRange range) {
  for (const SegmentFacts& facts : view.damaged) {
    if (facts.tsMin > range.end || facts.tsMax < range.start) continue;
    return Status::corrupt("samples from " + std::to_string(facts.tsMin) + " to " +
                           std::to_string(facts.tsMax) + " are in a damaged segment, " +
                           segmentNameOf(facts));
  }
  return Status::okStatus();
}

}  // namespace seriesdb
