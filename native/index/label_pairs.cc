#include "index/label_pairs.h"

#include <algorithm>

#include "common/base/check.h"

namespace seriesdb {

namespace {
// Four quotes and a colon.
constexpr std::size_t kPunctuationSize = 5;
}  // namespace

std::uint32_t LabelPairs::intern(const Label& label, Canonical wanted, LabelKeys& keys) {
  const auto [canonical, hash] = wanted;
  CHECK(canonical.size() <= kIdentitySizeMax);
  const std::uint32_t known = find(wanted);
  if (known != RefTable::kNone) return known;

  const std::size_t rawSize = label.key.size() + label.value.size();
  // An escape always lengthens the text, so equal sizes mean that there are no escapes.
  const bool hasEscapes = canonical.size() != rawSize + kPunctuationSize;
  const std::size_t size = canonical.size() + (hasEscapes ? rawSize : 0);
  char* to = texts_.reserveRun(size);
  to = std::copy(canonical.begin(), canonical.end(), to);
  if (hasEscapes) {
    to = std::copy(label.key.begin(), label.key.end(), to);
    std::copy(label.value.begin(), label.value.end(), to);
  }

  const auto number = static_cast<std::uint32_t>(pairs_.size());
  pairs_.push({texts_.size() - size,
               static_cast<std::uint16_t>(canonical.size()),
               static_cast<std::uint16_t>(label.key.size()),
               static_cast<std::uint16_t>(label.value.size()),
               keys.intern(label.key),
               {}});
  numbers_.insert(hash, number);
  keys.addPair(keyOf(number), number, [&](std::uint32_t a, std::uint32_t b) {
    return labelOf(a).value < labelOf(b).value;
  });
  return number;
}

Label LabelPairs::labelOf(std::uint32_t pair) const {
  const Pair& held = pairs_[pair];
  const char* text = &texts_[held.textAt];
  const std::size_t rawSize = std::size_t{held.keySize} + held.valueSize;
  if (held.canonicalSize == rawSize + kPunctuationSize) {
    return {{text + 1, held.keySize}, {text + held.keySize + 4, held.valueSize}};
  }
  const char* raw = text + held.canonicalSize;
  return {{raw, held.keySize}, {raw + held.keySize, held.valueSize}};
}

std::size_t LabelPairs::memoryBytes() const {
  return pairs_.memoryBytes() + texts_.memoryBytes() + numbers_.memoryBytes();
}

}  // namespace seriesdb
