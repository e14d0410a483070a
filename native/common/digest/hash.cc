#include "common/digest/hash.h"

#include <sys/random.h>

#include <bit>
#include <cerrno>

#include "common/base/check.h"

namespace seriesdb {
namespace {

// The five primes of XXH64, section "XXH64 algorithm description" of its specification.
constexpr std::uint64_t kPrime1 = 0x9E3779B185EBCA87;
constexpr std::uint64_t kPrime2 = 0xC2B2AE3D27D4EB4F;
constexpr std::uint64_t kPrime3 = 0x165667B19E3779F9;
constexpr std::uint64_t kPrime4 = 0x85EBCA77C2B2AE63;
constexpr std::uint64_t kPrime5 = 0x27D4EB2F165667C5;

std::uint64_t xxhRound(std::uint64_t lane, std::uint64_t word) {
  return std::rotl(lane + word * kPrime2, 31) * kPrime1;
}

std::uint64_t xxhMerge(std::uint64_t hash, std::uint64_t lane) {
  return (hash ^ xxhRound(0, lane)) * kPrime1 + kPrime4;
}

// Consumes whole stripes of 32 bytes.
std::uint64_t xxhStripes(Bytes& rest, std::uint64_t seed) {
  std::uint64_t a = seed + kPrime1 + kPrime2;
  std::uint64_t b = seed + kPrime2;
  std::uint64_t c = seed;
  std::uint64_t d = seed - kPrime1;
  for (; rest.size() >= 32; rest = rest.subspan(32)) {
    a = xxhRound(a, loadLe<std::uint64_t>(rest.data()));
    b = xxhRound(b, loadLe<std::uint64_t>(rest.data() + 8));
    c = xxhRound(c, loadLe<std::uint64_t>(rest.data() + 16));
    d = xxhRound(d, loadLe<std::uint64_t>(rest.data() + 24));
  }
  std::uint64_t hash = std::rotl(a, 1) + std::rotl(b, 7) + std::rotl(c, 12) + std::rotl(d, 18);
  hash = xxhMerge(hash, a);
  hash = xxhMerge(hash, b);
  hash = xxhMerge(hash, c);
  return xxhMerge(hash, d);
}

}  // namespace

std::uint64_t xxh64(Bytes bytes, std::uint64_t seed) {
  Bytes rest = bytes;
  std::uint64_t hash = rest.size() >= 32 ? xxhStripes(rest, seed) : seed + kPrime5;
  hash += bytes.size();
  for (; rest.size() >= 8; rest = rest.subspan(8)) {
    hash ^= xxhRound(0, loadLe<std::uint64_t>(rest.data()));
    hash = std::rotl(hash, 27) * kPrime1 + kPrime4;
  }
  if (rest.size() >= 4) {
    hash ^= loadLe<std::uint32_t>(rest.data()) * kPrime1;
    hash = std::rotl(hash, 23) * kPrime2 + kPrime3;
    rest = rest.subspan(4);
  }
  for (const std::uint8_t byte : rest) hash = std::rotl(hash ^ byte * kPrime5, 11) * kPrime1;
  hash = (hash ^ (hash >> 33)) * kPrime2;
  hash = (hash ^ (hash >> 29)) * kPrime3;
  return hash ^ (hash >> 32);
}

namespace {

// Odd constants with balanced bits, from wyhash (public domain).
constexpr std::uint64_t kSecret0 = 0x2d358dccaa6c78a5;
constexpr std::uint64_t kSecret1 = 0x8bb84b93962eacc9;
constexpr std::uint64_t kSecret2 = 0x4b33a62ed433d4a3;
constexpr std::uint64_t kSecret3 = 0x4d5a2da51de1aa47;

struct Halves {
  std::uint64_t low;
  std::uint64_t high;
};

Halves multiplyWhole(std::uint64_t a, std::uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return {static_cast<std::uint64_t>(product), static_cast<std::uint64_t>(product >> 64)};
}

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  const Halves product = multiplyWhole(a, b);
  return product.low ^ product.high;
}

std::uint64_t load4(const std::uint8_t* from) { return loadLe<std::uint32_t>(from); }
std::uint64_t load8(const std::uint8_t* from) { return loadLe<std::uint64_t>(from); }

// Both words of a key of at most 16 bytes, by overlapping loads inside the key.
Halves loadShort(const std::uint8_t* at, std::size_t size) {
  if (size >= 4) {
    const std::size_t step = (size >> 3) << 2;
    const std::uint8_t* last = at + size - 4;
    return {(load4(at) << 32) | load4(at + step), (load4(last) << 32) | load4(last - step)};
  }
  if (size == 0) return {0, 0};
  return {(std::uint64_t{at[0]} << 16) | (std::uint64_t{at[size >> 1]} << 8) | at[size - 1], 0};
}

}  // namespace

// After wyhash, with one departure: the secrets are xored with the seed. With public secrets an
// attacker can choose a key that makes a factor zero, which erases all earlier input.
std::uint64_t tableHash(Bytes bytes, std::uint64_t seed) {
  const std::uint8_t* at = bytes.data();
  std::size_t left = bytes.size();
  const std::uint64_t key1 = kSecret1 ^ seed;
  std::uint64_t state = seed ^ mix(seed ^ kSecret0, kSecret1);
  Halves last{};
  if (left <= 16) {
    last = loadShort(at, left);
  } else {
    if (left > 48) {
      const std::uint64_t key2 = kSecret2 ^ seed;
      const std::uint64_t key3 = kSecret3 ^ seed;
      std::uint64_t second = state;
      std::uint64_t third = state;
      for (; left > 48; left -= 48, at += 48) {
        state = mix(load8(at) ^ key1, load8(at + 8) ^ state);
        second = mix(load8(at + 16) ^ key2, load8(at + 24) ^ second);
        third = mix(load8(at + 32) ^ key3, load8(at + 40) ^ third);
      }
      state ^= second ^ third;
    }
    for (; left > 16; left -= 16, at += 16) {
      state = mix(load8(at) ^ key1, load8(at + 8) ^ state);
    }
    last = {load8(at + left - 16), load8(at + left - 8)};
  }
  const Halves product = multiplyWhole(last.low ^ key1, last.high ^ state);
  return mix(product.low ^ kSecret0 ^ bytes.size(), product.high ^ kSecret1);
}

std::uint64_t randomSeed() {
  std::uint64_t seed = 0;
  ssize_t got = 0;
  do {
    got = ::getrandom(&seed, sizeof(seed), 0);
  } while (got < 0 && errno == EINTR);
  CHECK(got == sizeof(seed));
  return seed;
}

}  // namespace seriesdb
