// The identity of a series: name and label set, as canonical text.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/types/sample.h"

namespace seriesdb {

struct Label {
  std::string_view key;
  std::string_view value;
};

// Labels that own their texts: key and value.
using OwnedLabels = std::vector<std::pair<std::string, std::string>>;
// Views of them.
std::vector<Label> viewsOf(std::span<const std::pair<std::string, std::string>> labels);

// Their approximate heap size.
std::size_t heapBytesOf(const OwnedLabels& labels);

// A label with an empty value counts as absent.
inline void eraseEmpty(std::vector<Label>& labels) {
  std::erase_if(labels, [](const Label& label) { return label.value.empty(); });
}
inline void eraseEmpty(OwnedLabels& labels) {
  std::erase_if(labels, [](const auto& label) { return label.second.empty(); });
}

// The label key that Prometheus uses for the metric name.
inline constexpr std::string_view kMetricKey = "__name__";

inline constexpr std::size_t kNameSizeMax = 255;  // Names and label keys, bytes.
inline constexpr std::size_t kLabelCountMax = 64;
inline constexpr std::size_t kIdentitySizeMax = 16u << 10;

// Appends `text` as a JSON string with quotes, escaped exactly as JSON.stringify does.
void appendJsonString(std::string& out, std::string_view text);

// "k":"v"
void appendCanonicalPair(std::string& out, const Label& label);
// {"k":"v",…} in the order given.
void appendCanonicalLabels(std::string& out, std::span<const Label> labels);

// `name|{"k":"v",…}`. REQUIRES: labels sorted bytewise by key, keys distinct.
std::string identityText(std::string_view name, std::span<const Label> labels);

// Top 53 bits of XXH64 (seed 0) of the identity text.
SeriesId seriesIdOf(std::string_view identity);

}  // namespace seriesdb
