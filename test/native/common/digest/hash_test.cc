#include "common/digest/hash.h"

#include <memory>
#include <random>
#include <string>
#include <unordered_set>

#include "harness.h"

using namespace seriesdb;

namespace {

// The test buffer of the xxHash project: bytes made by repeated multiplication with its prime.
ByteBuffer sanityBuffer(std::size_t size) {
  ByteBuffer buffer(size);
  std::uint64_t generator = 0x9E3779B1;
  for (auto& byte : buffer) {
    byte = static_cast<std::uint8_t>(generator >> 56);
    generator *= 0x9E3779B185EBCA8D;
  }
  return buffer;
}

}  // namespace

TEST("xxh64 gives the published values") {
  EXPECT(xxh64({}) == 0xEF46DB3751D8E999);
  EXPECT(xxh64(asBytes("abc")) == 0x44BC2CF5AD770999);
  EXPECT(xxh64(asBytes("a")) == 0xD24EC4F1A98C6E5B);
  EXPECT(xxh64(asBytes("Nobody inspects the spammish repetition")) == 0xFBCEA83C8A378BF1);
}

TEST("xxh64 gives the values of xxHash's own sanity check, with and without a seed") {
  constexpr std::uint64_t kSeed = 0x9E3779B1;
  const ByteBuffer buffer = sanityBuffer(222);
  const Bytes bytes = buffer;
  EXPECT(xxh64(bytes.first(1)) == 0xE934A84ADB052768);
  EXPECT(xxh64(bytes.first(1), kSeed) == 0x5014607643A9B4C3);
  EXPECT(xxh64(bytes.first(14)) == 0x8282DCC4994E35C8);
  EXPECT(xxh64(bytes.first(14), kSeed) == 0xC3BD6BF63DEB6DF0);
  EXPECT(xxh64(bytes.first(222)) == 0xB641AE8CB691C174);
  EXPECT(xxh64(bytes.first(222), kSeed) == 0x20CB8AB7AE10C14A);
}

TEST("tableHash depends only on the content, not the address, and reads only the key") {
  std::mt19937_64 random(test::seed());
  for (std::size_t size = 0; size <= 320; ++size) {
    // Blocks of the exact size, so that the address sanitizer sees a read past either end.
    const auto first = std::make_unique<std::uint8_t[]>(size);
    const auto second = std::make_unique<std::uint8_t[]>(size);
    for (std::size_t i = 0; i < size; ++i) first[i] = second[i] = std::uint8_t(random());
    EXPECT(tableHash({first.get(), size}, 7) == tableHash({second.get(), size}, 7));
  }
}

TEST("tableHash tells apart every bit, every length and every seed") {
  std::mt19937_64 random(test::seed());
  for (std::size_t size = 1; size <= 200; ++size) {
    ByteBuffer key(size);
    for (auto& byte : key) byte = std::uint8_t(random());
    const std::uint64_t hash = tableHash(key, 1);
    EXPECT(tableHash(key, 2) != hash);
    EXPECT(tableHash(Bytes(key).first(size - 1), 1) != hash);
    for (std::size_t bit = 0; bit < size * 8; ++bit) {
      key[bit / 8] ^= std::uint8_t(1u << (bit % 8));
      EXPECT(tableHash(key, 1) != hash);
      key[bit / 8] ^= std::uint8_t(1u << (bit % 8));
    }
  }
}

TEST("tableHash spreads similar keys evenly over its top and bottom bits") {
  constexpr std::size_t kKeys = 1 << 18;
  constexpr std::size_t kBuckets = 1 << 10;
  std::vector<std::size_t> top(kBuckets);
  std::vector<std::size_t> bottom(kBuckets);
  for (std::size_t i = 0; i < kKeys; ++i) {
    const std::string key = "cpu_usage|{\"host\":\"server-" + std::to_string(i) + "\"}";
    const std::uint64_t hash = tableHash(asBytes(key), 99);
    ++top[hash >> 54];
    ++bottom[hash % kBuckets];
  }
  // Each bucket expects 256 with a deviation of 16; ten deviations never occur.
  for (std::size_t i = 0; i < kBuckets; ++i) {
    EXPECT(top[i] > 96 && top[i] < 416);
    EXPECT(bottom[i] > 96 && bottom[i] < 416);
  }
}

TEST("randomSeed differs from call to call") {
  std::unordered_set<std::uint64_t> seen;
  for (int i = 0; i < 100; ++i) seen.insert(randomSeed());
  EXPECT(seen.size() == 100);
}
