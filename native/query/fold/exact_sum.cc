#include "query/fold/exact_sum.h"

#include <algorithm>

namespace seriesdb {
namespace {

std::uint64_t signWordOf(std::uint64_t highest) { return (highest >> 63) != 0 ? ~0ull : 0; }

// own += words, which begin at the word `at` of it. False where the highest bit of the result is
// no sign any more. REQUIRES: they lie within.
template <typename Words>
inline __attribute__((always_inline)) bool addWithin(std::span<std::uint64_t> own, std::size_t at,
                                                     const Words& words) {
  const std::uint64_t ownSign = signWordOf(own.back());
  const std::uint64_t sign = signWordOf(words.back());
  std::uint64_t carry = 0;
  const auto addWord = [&](std::uint64_t word) {
    const UInt128 next = UInt128{own[at]} + word + carry;
    own[at++] = static_cast<std::uint64_t>(next);
    carry = static_cast<std::uint64_t>(next >> kExactWordBits);
  };
  for (const std::uint64_t word : words) addWord(word);
  while (at < own.size()) addWord(sign);
  return ownSign != sign || signWordOf(own.back()) == sign;
}

}  // namespace

void ExactSum::add(Int128 mantissa, int exponent) {
  if (mantissa == 0) return;
  const int shift = exponent & (kExactWordBits - 1);
  const auto low = static_cast<std::uint64_t>(mantissa);
  const auto high = static_cast<std::uint64_t>(static_cast<UInt128>(mantissa) >> kExactWordBits);
  std::array<std::uint64_t, 3> words = {low, high, signWordOf(high)};
  if (shift > 0) {
    const int back = kExactWordBits - shift;
    words = {low << shift, (high << shift) | (low >> back),
             static_cast<std::uint64_t>(static_cast<std::int64_t>(high) >> back)};
  }
  const int base = exponent >> 6;
  const int at = base - base_;
  // Mostly it is like those before it. Then the number of words is known to the compiler.
  if (at < 0 || at + static_cast<int>(words.size()) > static_cast<int>(size_)) {
    addWords(words, base);
  } else if (!addWithin({data(), size_}, static_cast<std::size_t>(at), words)) {
    extend(signWordOf(words.back()));
  }
}

void ExactSum::addWords(std::span<const std::uint64_t> words, int base) {
  if (words.empty()) return;
  const int end = base + static_cast<int>(words.size());
  if (size_ == 0 || base < base_ || end > base_ + static_cast<int>(size_)) cover(base, end);
  const auto at = static_cast<std::size_t>(base - base_);
  if (!addWithin({data(), size_}, at, words)) extend(signWordOf(words.back()));
}

void ExactSum::extend(std::uint64_t word) {
  resize(size_ + 1);
  data()[size_ - 1] = word;
}

// Makes room for words from `base` up to `end`.
void ExactSum::cover(int base, int end) {
  if (size_ == 0) {
    base_ = base;
    resize(static_cast<std::size_t>(end - base));
    std::fill_n(data(), size_, 0);
    return;
  }
  const int ownEnd = base_ + static_cast<int>(size_);
  if (end > ownEnd) {
    const std::uint64_t sign = signWordOf(data()[size_ - 1]);
    const std::size_t before = size_;
    resize(size_ + static_cast<std::size_t>(end - ownEnd));
    std::fill(data() + before, data() + size_, sign);
  }
  if (base < base_) {
    const auto added = static_cast<std::size_t>(base_ - base);
    const std::size_t before = size_;
    resize(size_ + added);
    std::copy_backward(data(), data() + before, data() + size_);
    std::fill_n(data(), added, 0);
    base_ = base;
  }
}

void ExactSum::resize(std::size_t size) {
  if (far_) {
    far_->resize(size);
  } else if (size > kNearSize) {
    far_ = std::make_unique<std::vector<std::uint64_t>>(near_.begin(), near_.end());
    far_->resize(size);
  }
  size_ = static_cast<std::uint32_t>(size);
}

}  // namespace seriesdb
