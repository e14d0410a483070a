#include "query/keys/key_tuples.h"

namespace seriesdb {

// Mixes every bit of a word into the low bits of the hash: many floats differ only in high bits.
std::uint64_t KeyTuples::hash(const std::uint64_t* words, std::size_t width) {
  constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15u;
  std::uint64_t hash = kGolden;
  for (std::size_t i = 0; i < width; ++i) {
    const auto product = static_cast<unsigned __int128>(hash ^ words[i]) * kGolden;
    hash = static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }
  return hash;
}

std::uint32_t KeyTuples::numberOf(const std::uint64_t* words, std::uint64_t hash) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  for (; slots_[at] != 0; at = (at + 1) & mask) {
    const std::uint32_t number = slots_[at] - 1;
    if (isSame(words, wordsOf(number), width_)) return number;
  }
  const auto number = static_cast<std::uint32_t>(size());
  words_.insert(words_.end(), words, words + width_);
  slots_[at] = number + 1;
  if (size() * 2 > slots_.size()) grow();
  return number;
}

std::vector<std::uint32_t> KeyTuples::take(const KeyTuples& other) {
  std::vector<std::uint32_t> numbers;
  numbers.reserve(other.size());
  for (std::uint32_t number = 0; number < other.size(); ++number) {
    const std::uint64_t* words = other.wordsOf(number);
    numbers.push_back(numberOf(words, hash(words, width_)));
  }
  return numbers;
}

void KeyTuples::grow() {
  std::vector<std::uint32_t> slots(slots_.size() * 2);
  const std::size_t mask = slots.size() - 1;
  for (std::uint32_t number = 0; number < size(); ++number) {
    std::size_t at = hash(wordsOf(number), width_) & mask;
    while (slots[at] != 0) at = (at + 1) & mask;
    slots[at] = number + 1;
  }
  slots_.swap(slots);
}

}  // namespace seriesdb
