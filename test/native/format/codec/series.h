// Rows of values and timestamps of every kind that the codecs treat differently.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "common/types/sample.h"

namespace seriesdb::test {

using Random = std::mt19937_64;
using MakeValue = std::function<double(Random&)>;

struct Generator {
  const char* name;
  // Returns a new maker with its own state.
  std::function<MakeValue()> start;
};

inline double normal(Random& random) { return std::normal_distribution<double>(0, 1)(random); }
inline double uniform(Random& random) { return std::uniform_real_distribution<double>()(random); }

inline MakeValue integerWalk() {
  return [state = 50.0](Random& r) mutable {
    state = std::clamp(state + normal(r), 0.0, 100.0);
    return std::floor(state);
  };
}
inline MakeValue decimalWalk() {
  return [state = 5000.0](Random& r) mutable {
    state += std::round(normal(r) * 100);
    return state / 100;
  };
}
inline MakeValue jitteryCounter() {
  return [state = 1e6](Random& r) mutable {
    state += 1000 + std::floor(uniform(r) * 100);
    return state;
  };
}
inline MakeValue fullPrecision() {
  return [state = 50.0](Random& r) mutable { return state += normal(r); };
}
inline double anyBits(Random& r) { return std::bit_cast<double>(r()); }

inline double special(Random& r) {
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double all[] = {0.0,
                        -0.0,
                        kInfinity,
                        -kInfinity,
                        5e-324,
                        -5e-324,
                        2.2250738585072014e-308,
                        1.7976931348623157e308,
                        9007199254740991.0,
                        9007199254740992.0,
                        -9007199254740991.0,
                        4503599627370496.5,
                        4503599627370495.5,
                        0.1,
                        1e22,
                        1e23,
                        1e-22,
                        1e-23,
                        123456789012345.67,
                        1.0,
                        -1.0};
  if (r() % 8 == 0) return std::bit_cast<double>(0x7ff0000000000001 | (r() & 0x800fffffffffffff));
  return all[r() % std::size(all)];
}

inline double shortDecimal(Random& r) {
  const auto mantissa = static_cast<double>(static_cast<std::int64_t>(r()) >> (11 + r() % 52));
  return mantissa / std::pow(10.0, static_cast<double>(r() % 23));
}

inline std::vector<Generator> generators() {
  const auto plain = [](double (*make)(Random&)) { return [make] { return MakeValue(make); }; };
  return {
      {"integer walk", integerWalk},
      {"two-decimal walk", decimalWalk},
      {"counter with jitter", jitteryCounter},
      {"full precision", fullPrecision},
      {"any bits", plain(anyBits)},
      {"special values", plain(special)},
      {"decimals of any size", plain(shortDecimal)},
      {"constant", plain([](Random&) { return 42.5; })},
      {"constant NaN payload",
       plain([](Random&) { return std::bit_cast<double>(0x7ff8dead0000beef); })},
      {"linear", [] { return [n = -3.0](Random&) mutable { return (n += 7) / 10; }; }},
      {"counter near 2^53",
       [] { return [n = 9007199254740000.0](Random& r) mutable { return n += double(r() % 3); }; }},
      {"counter with resets",
       [] {
         return [n = 0.0](Random& r) mutable {
           return n = r() % 300 == 0 ? 0.0 : n + double(r() % 1000);
         };
       }},
      {"steps",
       [] { return [n = 0.1](Random& r) mutable { return r() % 50 == 0 ? n = normal(r) : n; }; }},
      {"integers with rare specials",
       [] {
         return [walk = integerWalk()](Random& r) mutable {
           return r() % 500 == 0 ? special(r) : walk(r);
         };
       }},
      {"spikes both ways",
       [] {
         return [](Random& r) {
           const double base = double(r() % 16);
           return r() % 40 == 0 ? base + (r() % 2 == 0 ? 1e9 : -1e9) : base;
         };
       }},
      {"small integers at random", plain([](Random& r) { return double(r() % 16); })},
      {"small floats", plain([](Random& r) { return double(float(normal(r))); })},
  };
}

inline std::vector<double> makeValues(const Generator& generator, std::size_t count, Random& r) {
  const MakeValue make = generator.start();
  std::vector<double> values(count);
  for (double& value : values) value = make(r);
  return values;
}

// The kinds of clocks; each row is strictly increasing.
inline constexpr unsigned kClockKinds = 9;
inline std::vector<Timestamp> makeTimestamps(unsigned kind, std::size_t count, Random& r) {
  if (kind == 8) {  // Any int64s, both ends included.
    std::vector<Timestamp> any(count);
    for (auto& ts : any) ts = static_cast<Timestamp>(r());
    any.front() = std::numeric_limits<Timestamp>::min();
    if (count > 1) any.back() = std::numeric_limits<Timestamp>::max();
    std::sort(any.begin(), any.end());
    for (std::size_t i = 1; i < count; ++i) {
      if (any[i] <= any[i - 1]) any[i] = any[i - 1] + 1;
    }
    return any;
  }
  std::vector<Timestamp> all(count);
  const Timestamp start = kind == 7 ? std::numeric_limits<Timestamp>::min() : 1700000000000;
  Timestamp now = start;
  Timestamp line = start;
  for (Timestamp& ts : all) {
    ts = now;
    line += 10000;
    if (kind == 0 || kind == 7) now += 10000;
    if (kind == 1) now = line + Timestamp(r() % 7) - 3;
    if (kind == 2) now += 1 + Timestamp(r() % 1000);
    if (kind == 3) now += r() % 100 == 0 ? 600000 : 10000;
    if (kind == 4) now += 1 + Timestamp(r() >> (24 + r() % 40)) % (Timestamp{1} << 40);
    if (kind == 5) now += r() % 10 == 0 ? 15000 : 5000;
    if (kind == 6) now += (now / 1000000) % 2 == 0 ? 1000 : 60000;
  }
  return all;
}

}  // namespace seriesdb::test
