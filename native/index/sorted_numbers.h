// Numbers that are kept sorted by their texts (or other values) as they arrive.
//
// Two levels: blocks of at most kBlockSize numbers, and the vector of blocks. Inserting into n
// numbers costs log n comparisons and moves at most a block. A split moves the vector, once in a
// few hundred inserts. Guarded by the owner's lock.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace seriesdb {

class SortedNumbers {
 public:
  // The place of a number, valid until the next insert().
  struct Position {
    std::size_t block = 0;
    std::size_t at = 0;
  };

  // `isLess(a, b)` is the order of two numbers. REQUIRES: no number equal to `number` is present.
  template <typename IsLess>
  void insert(std::uint32_t number, const IsLess& isLess) {
    ++count_;
    if (blocks_.empty()) {
      blocks_.push_back({number});
      return;
    }
    Position place = firstNot([&](std::uint32_t held) { return isLess(held, number); });
    // Between two blocks, the number goes to the end of the left one.
    if (place.at == 0 && place.block > 0) {
      --place.block;
      place.at = blocks_[place.block].size();
    }
    if (blocks_[place.block].size() == kBlockSize) place = split(place);
    auto& block = blocks_[place.block];
    block.insert(block.begin() + static_cast<std::ptrdiff_t>(place.at), number);
  }

  // The first number for which `isBefore` is false. REQUIRES: it is true for exactly the numbers
  // before that.
  template <typename IsBefore>
  Position firstNot(const IsBefore& isBefore) const {
    const auto block =
        std::partition_point(blocks_.begin(), blocks_.end(),
                             [&](const auto& numbers) { return isBefore(numbers.back()); });
    if (block == blocks_.end()) return {blocks_.size(), 0};
    const auto at = std::partition_point(block->begin(), block->end(), isBefore);
    return {static_cast<std::size_t>(block - blocks_.begin()),
            static_cast<std::size_t>(at - block->begin())};
  }

  bool isEnd(Position place) const { return place.block == blocks_.size(); }
  // REQUIRES (both): !isEnd(place)
  std::uint32_t operator[](Position place) const { return blocks_[place.block][place.at]; }
  Position after(Position place) const {
    if (place.at + 1 < blocks_[place.block].size()) return {place.block, place.at + 1};
    return {place.block + 1, 0};
  }

  std::size_t count() const { return count_; }
  // Blocks are between half and completely full, except the newest.
  std::size_t memoryBytes() const {
    return blocks_.capacity() * sizeof(blocks_[0]) + count_ * sizeof(std::uint32_t) * 3 / 2;
  }

 private:
  static constexpr std::size_t kBlockSize = 512;

  // Makes room at `place` in a full block. Numbers in ascending order fill their blocks completely.
  Position split(Position place) {
    const bool isAtEnd = place.block + 1 == blocks_.size() && place.at == kBlockSize;
    const std::size_t kept = isAtEnd ? kBlockSize : kBlockSize / 2;
    auto& left = blocks_[place.block];
    std::vector<std::uint32_t> right(left.begin() + static_cast<std::ptrdiff_t>(kept), left.end());
    left.resize(kept);
    const bool isInRight = isAtEnd || place.at > kept;
    blocks_.insert(blocks_.begin() + static_cast<std::ptrdiff_t>(place.block) + 1,
                   std::move(right));
    return isInRight ? Position{place.block + 1, place.at - kept} : place;
  }

  std::vector<std::vector<std::uint32_t>> blocks_;
  std::size_t count_ = 0;
};

}  // namespace seriesdb
