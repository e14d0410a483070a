#include "index/series_names.h"

#include <algorithm>
#include <utility>

namespace seriesdb {

std::uint32_t SeriesNames::intern(std::string_view text) {
  const std::uint32_t known = find(text);
  if (known != RefTable::kNone) return known;

  std::copy(text.begin(), text.end(), texts_.reserveRun(text.size()));
  SeriesName name;
  name.textAt = texts_.size() - text.size();
  name.textSize = static_cast<std::uint32_t>(text.size());
  const auto number = static_cast<std::uint32_t>(names_.size());
  names_.push(name);
  numbers_.insert(hashOf(text), number);
  sorted_.insert(number, [&](std::uint32_t a, std::uint32_t b) { return textOf(a) < textOf(b); });
  return number;
}

void SeriesNames::addLabelKey(std::uint32_t name, std::uint32_t key) {
  auto& keys = names_[name].labelKeys;
  const auto at = std::lower_bound(keys.begin(), keys.end(), key);
  if (at != keys.end() && *at == key) return;
  keys.insert(at, key);
  labelKeyBytes_ += sizeof key;
}

void SeriesNames::replaceLabelKeys(std::uint32_t name, std::vector<std::uint32_t> keys) {
  labelKeyBytes_ -= names_[name].labelKeys.size() * sizeof(std::uint32_t);
  labelKeyBytes_ += keys.size() * sizeof(std::uint32_t);
  names_[name].labelKeys = std::move(keys);
}

}  // namespace seriesdb
