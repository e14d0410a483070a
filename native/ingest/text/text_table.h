// A hash table of texts that grows without a long pause.
//
// A table of a hundred thousand texts takes ten milliseconds to grow. So a large table consists of
// many small tables, which grow one after another. The hash fills them evenly, but each has its own
// load factor.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/base/bytes.h"
#include "common/digest/hash.h"

namespace seriesdb {

// One seed for all requests: getting one from the system takes longer than parsing ten lines.
inline std::uint64_t processSeed() {
  static const std::uint64_t seed = randomSeed();
  return seed;
}

// Maps texts to numbers. Pointers to the numbers are valid until the next insertion.
class TextTable {
 public:
  TextTable() : sole_(0, Hash{processSeed()}) {}

  // nullptr if the text is missing.
  std::uint32_t* find(std::string_view text) {
    Shard& shard = shardOf(text);
    const auto at = shard.find(text);
    return at == shard.end() ? nullptr : &at->second;
  }
  // Inserts `number` for a new text. Returns the text's number, and whether it is new.
  std::pair<std::uint32_t*, bool> insert(std::string_view text, std::uint32_t number) {
    if (sole_.size() == kSoleSizeMax) split();
    const auto [at, isNew] = shardOf(text).try_emplace(std::string(text), number);
    return {&at->second, isNew};
  }
  void erase(std::string_view text) {
    Shard& shard = shardOf(text);
    if (const auto at = shard.find(text); at != shard.end()) shard.erase(at);
  }

 private:
  static constexpr std::size_t kSoleSizeMax = 2048;
  static constexpr unsigned kShardBits = 6;
  static constexpr std::size_t kShardCount = std::size_t{1} << kShardBits;

  struct Hash {
    using is_transparent = void;
    std::uint64_t seed;
    std::size_t operator()(std::string_view text) const { return tableHash(asBytes(text), seed); }
  };
  using Shard = std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>>;

  // Uses other bits of the hash than a shard uses first.
  std::size_t placeOf(std::string_view text) const {
    return sole_.hash_function()(text) >> (64 - kShardBits);
  }
  Shard& shardOf(std::string_view text) { return shards_.empty() ? sole_ : shards_[placeOf(text)]; }
  void split() {
    shards_.assign(kShardCount, Shard(0, sole_.hash_function()));
    // Load factors from 0.75 to 1.5, evenly in powers, because a table doubles when it grows.
    for (std::size_t i = 0; i < kShardCount; ++i) {
      const float power = static_cast<float>(i) / static_cast<float>(kShardCount);
      shards_[i].max_load_factor(0.75F * std::exp2(power));
    }
    while (!sole_.empty()) {
      auto node = sole_.extract(sole_.begin());
      shards_[placeOf(node.key())].insert(std::move(node));
    }
  }

  Shard sole_;  // All texts while they are few.
  std::vector<Shard> shards_;
};

}  // namespace seriesdb
