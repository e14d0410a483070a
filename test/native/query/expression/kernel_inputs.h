// Inputs for kernels: numbers with all edge cases, at every alignment and every length with a
// different remainder.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace seriesdb::test {

using Random = std::mt19937_64;

// Less than 1 % are NaN; the others have any sign, size and exponent.
inline double anyNumber(Random& random) {
  constexpr double kLeast = std::numeric_limits<double>::denorm_min();
  constexpr double kMost = std::numeric_limits<double>::max();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kEdges[] = {0.0,     -0.0,       kLeast,    -kLeast,     0x1p-1022,  0x1p53 - 1,
                               0x1p53,  0x1p53 + 2, 1.5,       -0x1p53 + 1, -0x1p63,    0x1p63,
                               kMost,   -kMost,     kInfinity, 0.5,         -kInfinity, 1,
                               -0x1p53, 0x1p1023,   0x1p-31,   -1.5,        -0.5,       2.5};
  constexpr std::size_t kEdgeCount = sizeof kEdges / sizeof kEdges[0];
  switch (random() % 4) {
    case 0:
      return kEdges[random() % kEdgeCount];
    case 1:
      return std::bit_cast<double>(random());
    case 2:
      return static_cast<double>(static_cast<std::int64_t>(random() % 2000) - 1000) / 8;
    default:
      return static_cast<double>(static_cast<std::int64_t>(random()) >> random() % 64);
  }
}

// A register of floats: NaN for null.
inline double anyFloat(Random& random) {
  return random() % 4 == 0 ? std::numeric_limits<double>::quiet_NaN() : anyNumber(random);
}

inline double anyOrdered(Random& random) {
  const double number = anyNumber(random);
  return std::isnan(number) ? 0 : number;
}

inline std::int64_t anyWhole(Random& random) {
  constexpr std::int64_t kEdges[] = {0,
                                     1,
                                     -1,
                                     INT64_MIN,
                                     INT64_MAX,
                                     (1LL << 53) - 1,
                                     1LL << 53,
                                     (1LL << 53) + 1,
                                     -(1LL << 53),
                                     10,
                                     -15,
                                     25,
                                     INT64_MIN + 1};
  constexpr std::size_t kEdgeCount = sizeof kEdges / sizeof kEdges[0];
  if (random() % 3 == 0) return kEdges[random() % kEdgeCount];
  return static_cast<std::int64_t>(random()) >> random() % 64;
}

inline bool sameNumber(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) ||
         std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

// Values from an offset on. The last value ends the allocation, so that a sanitizer sees an
// overrun.
template <typename T>
class Placed {
 public:
  Placed(std::size_t size, std::size_t offset) : all_(offset + size), offset_(offset) {}
  template <typename Make>
  Placed(std::size_t size, std::size_t offset, Make make) : Placed(size, offset) {
    for (T& value : all_) value = make();
  }

  T* data() { return all_.data() + offset_; }
  const T& operator[](std::size_t i) const { return all_[offset_ + i]; }
  std::size_t size() const { return all_.size() - offset_; }

 private:
  std::vector<T> all_;
  std::size_t offset_;
};

// Calls visit(size, offset) for each length that a vector loop may treat differently, at each
// offset that eight bytes may have in a cache line.
template <typename Visit>
void forEachPlace(Visit visit) {
  constexpr std::size_t kOffsets = 8;
  for (std::size_t offset = 0; offset < kOffsets; ++offset) {
    for (std::size_t size = 0; size <= 70; ++size) visit(size, offset);
    for (const std::size_t size : {1023, 1024, 2085}) visit(size, offset);
  }
}

}  // namespace seriesdb::test
