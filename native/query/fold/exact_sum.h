// An exact sum of integers times powers of two, in two's complement words of 64 bits. The order of
// additions does not matter. Five words are in the object, more on the heap. All doubles need at
// most 36 words, their squares at most 72.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace seriesdb {

__extension__ using Int128 = __int128;
__extension__ using UInt128 = unsigned __int128;

inline constexpr int kExactWordBits = 64;

class ExactSum {
 public:
  // Adds mantissa * 2^exponent. REQUIRES: |mantissa| < 2^126
  void add(Int128 mantissa, int exponent);
  void add(const ExactSum& other) { addWords(other.words(), other.base_); }
  void clear() {
    far_.reset();
    size_ = 0;
  }

  // The words, lowest first; the highest has the sign. The lowest counts 2^(64 * base()).
  std::span<const std::uint64_t> words() const { return {data(), size_}; }
  int base() const { return base_; }

 private:
  static constexpr std::size_t kNearSize = 5;

  void addWords(std::span<const std::uint64_t> words, int base);
  void extend(std::uint64_t word);
  void cover(int base, int end);
  void resize(std::size_t size);
  const std::uint64_t* data() const { return far_ ? far_->data() : near_.data(); }
  std::uint64_t* data() { return far_ ? far_->data() : near_.data(); }

  std::array<std::uint64_t, kNearSize> near_{};
  std::unique_ptr<std::vector<std::uint64_t>> far_;  // Set if the words outgrow `near_`.
  std::int32_t base_ = 0;
  std::uint32_t size_ = 0;
};

}  // namespace seriesdb
