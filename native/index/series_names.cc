#include "index/series_names.h"

#include <algorithm>

#include "common/base/check.h"

namespace seriesdb {

std::uint32_t SeriesNames::intern(std::string_view text, std::uint32_t hash) {
  const std::uint32_t known = find(text, hash);
  if (known != RefTable::kNone) return known;

  std::copy(text.begin(), text.end(), texts_.reserveRun(text.size()));
  SeriesName name;
  name.textAt = texts_.size() - text.size();
  name.textSize = static_cast<std::uint32_t>(text.size());
  const auto number = static_cast<std::uint32_t>(names_.size());
  names_.push(name);
  numbers_.insert(hash, number);
  sorted_.insert(number, [&](std::uint32_t a, std::uint32_t b) { return textOf(a) < textOf(b); });
  return number;
}

namespace {

auto placeOf(std::vector<NameLabelKey>& keys, std::uint32_t key) {
  return std::partition_point(keys.begin(), keys.end(),
                              [key](const NameLabelKey& one) { return one.key < key; });
}

}  // namespace

void SeriesNames::addLabelKey(std::uint32_t name, std::uint32_t key) {
  auto& keys = names_[name].labelKeys;
  const auto at = placeOf(keys, key);
  if (at != keys.end() && at->key == key) {
    ++at->seriesCount;
    return;
  }
  keys.insert(at, {key, 1});
  labelKeyBytes_ += sizeof(NameLabelKey);
}

void SeriesNames::removeLabelKey(std::uint32_t name, std::uint32_t key) {
  auto& keys = names_[name].labelKeys;
  const auto at = placeOf(keys, key);
  CHECK(at != keys.end() && at->key == key);
  if (--at->seriesCount > 0) return;
  keys.erase(at);
  labelKeyBytes_ -= sizeof(NameLabelKey);
}

}  // namespace seriesdb
