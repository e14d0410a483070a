#include "query/remote_read/named_series.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace seriesdb {
namespace {

// A sort key that orders as the labels do, pair by pair. No text has a zero byte, which sorts
// first.
std::string labelOrderOf(std::span<const Label> labels) {
  std::string order;
  for (const Label& label : labels) {
    order.append(label.key).push_back('\0');
    order.append(label.value).push_back('\0');
  }
  return order;
}

// True if Prometheus before 3.0 accepts the byte in a name. Only metrics may have colons.
bool isPlain(char byte, bool isFirst, bool isMetric) {
  if (byte == '_' || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z')) return true;
  return byte == ':' ? isMetric : byte >= '0' && byte <= '9' && !isFirst;
}

bool isPlainName(std::string_view name, bool isMetric) {
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (!isPlain(name[i], i == 0, isMetric)) return false;
  }
  return true;
}

// Writes one underscore for each refused UTF-8 character.
std::string escapedName(std::string_view name, bool isMetric) {
  std::string escaped;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (isPlain(name[i], i == 0, isMetric)) {
      escaped.push_back(name[i]);
    } else if ((static_cast<unsigned char>(name[i]) & 0xc0) != 0x80) {
      escaped.push_back('_');
    }
  }
  return escaped;
}

}  // namespace

std::span<const Label> PromLabels::of(const SeriesIndex& index, SeriesRef ref) {
  index.labelsOf(ref, labels_);
  std::erase_if(labels_,
                [](const Label& label) { return label.value.empty() || label.key == kMetricKey; });
  const auto isBefore = [](const Label& label, std::string_view key) { return label.key < key; };
  const auto at = std::lower_bound(labels_.begin(), labels_.end(), kMetricKey, isBefore);
  labels_.insert(at, Label{kMetricKey, index.nameOf(ref)});
  if (isEscaped_) escape();
  return labels_;
}

void PromLabels::escape() {
  texts_.clear();
  texts_.reserve(labels_.size() + 1);  // No reallocation: labels have views of these texts.
  std::vector<Label> changed;
  std::vector<Label> plain;
  for (Label label : labels_) {
    if (label.key == kMetricKey && !isPlainName(label.value, true)) {
      label.value = texts_.emplace_back(escapedName(label.value, true));
    }
    const bool isChanged = !isPlainName(label.key, false);
    if (isChanged) label.key = texts_.emplace_back(escapedName(label.key, false));
    (isChanged ? changed : plain).push_back(label);
  }
  if (changed.empty()) return;
  plain.insert(plain.end(), changed.begin(), changed.end());
  const auto isBefore = [](const Label& left, const Label& right) { return left.key < right.key; };
  std::stable_sort(plain.begin(), plain.end(), isBefore);
  const auto isSame = [](const Label& left, const Label& right) { return left.key == right.key; };
  plain.erase(std::unique(plain.begin(), plain.end(), isSame), plain.end());
  labels_.swap(plain);
}

Status sortByPromLabels(const SeriesIndex& index, PromLabels& labels, std::vector<SeriesRef>& refs,
                        const HoldBytes& hold) {
  std::vector<std::pair<std::string, SeriesRef>> ordered;
  ordered.reserve(refs.size());
  std::uint64_t bytes = refs.size() * sizeof(ordered[0]);
  for (const SeriesRef ref : refs) {
    ordered.emplace_back(labelOrderOf(labels.of(index, ref)), ref);
    bytes += ordered.back().first.size();
    if (Status held = hold(bytes); !held.ok()) return held;
  }
  std::sort(ordered.begin(), ordered.end());
  std::transform(ordered.begin(), ordered.end(), refs.begin(),
                 [](const auto& one) { return one.second; });
  return Status::okStatus();
}

}  // namespace seriesdb
