#include "index/label_keys.h"

#include <algorithm>

namespace seriesdb {

std::uint32_t LabelKeys::intern(std::string_view text) {
  const std::uint32_t known = find(text);
  if (known != RefTable::kNone) return known;

  std::copy(text.begin(), text.end(), texts_.reserveRun(text.size()));
  Key& key = *keys_.reserveRun(1);
  key.textAt = texts_.size() - text.size();
  key.textSize = static_cast<std::uint32_t>(text.size());
  const auto number = static_cast<std::uint32_t>(keys_.size() - 1);
  numbers_.insert(hashOf(text), number);
  sorted_.insert(number, [&](std::uint32_t a, std::uint32_t b) { return textOf(a) < textOf(b); });
  return number;
}

std::size_t LabelKeys::memoryBytes() const {
  return keys_.memoryBytes() + texts_.memoryBytes() + numbers_.memoryBytes() +
         sorted_.memoryBytes() + pairBytes_;
}

}  // namespace seriesdb
