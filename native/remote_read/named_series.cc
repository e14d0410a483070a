#include "remote_read/named_series.h"

#include <algorithm>
#include <string>
#include <utility>

namespace seriesdb {
namespace {

// Compares as the labels do, one by one: no text has a zero byte, which is before all others.
std::string labelOrderOf(std::span<const Label> labels) {
  std::string order;
  for (const Label& label : labels) {
    order.append(label.key).push_back('\0');
    order.append(label.value).push_back('\0');
  }
  return order;
}

}  // namespace

void promLabelsOf(const SeriesIndex& index, SeriesRef ref, std::vector<Label>& labels) {
  index.labelsOf(ref, labels);
  std::erase_if(labels, [](const Label& label) {
    return label.value.empty() || label.key == kMetricKey;
  });
  const auto isBefore = [](const Label& label, std::string_view key) { return label.key < key; };
  const auto at = std::lower_bound(labels.begin(), labels.end(), kMetricKey, isBefore);
  labels.insert(at, Label{kMetricKey, index.nameOf(ref)});
}

Status sortByPromLabels(const SeriesIndex& index, std::vector<SeriesRef>& refs,
                        const HoldBytes& hold) {
  std::vector<std::pair<std::string, SeriesRef>> ordered;
  ordered.reserve(refs.size());
  std::uint64_t bytes = refs.size() * sizeof(ordered[0]);
  std::vector<Label> labels;
  for (const SeriesRef ref : refs) {
    promLabelsOf(index, ref, labels);
    ordered.emplace_back(labelOrderOf(labels), ref);
    bytes += ordered.back().first.size();
    if (Status held = hold(bytes); !held.ok()) return held;
  }
  std::sort(ordered.begin(), ordered.end());
  std::transform(ordered.begin(), ordered.end(), refs.begin(),
                 [](const auto& one) { return one.second; });
  return Status::okStatus();
}

}  // namespace seriesdb
