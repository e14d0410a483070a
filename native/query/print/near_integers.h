// Prints integers whose neighbours share all but the last eight digits, as times do. Only these
// eight digits are computed anew.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "common/base/check.h"
#include "common/base/numbers/json_number.h"

namespace seriesdb {

// The four digits of each number below 10,000. Neighbouring numbers use few entries, so a look-up
// takes half the time of computing digits.
inline constexpr std::uint32_t kFour = 10'000;
inline constexpr auto kFourDigits = [] {
  std::array<char, kFour * 4> digits{};
  for (std::uint32_t i = 0; i < digits.size(); ++i) {
    std::uint32_t rest = i / 4;
    for (std::uint32_t place = i % 4; place < 3; ++place) rest /= 10;
    digits[i] = static_cast<char>('0' + rest % 10);
  }
  return digits;
}();

// REQUIRES: value < 10,000.
inline void writeFourDigits(char* to, std::uint32_t value) {
  std::memcpy(to, kFourDigits.data() + std::size_t{value} * 4, 4);
}

class NearIntegers {
 public:
  // The most bytes that write() touches. Bytes behind the returned end are undefined.
  static constexpr std::size_t kSizeMax = 32;

  // `head` is written in front of each integer and has at most kHeadMax bytes.
  explicit NearIntegers(std::string_view head = {}) : headSize_(head.size()) {
    CHECK(headSize_ <= kHeadMax);
    std::copy(head.begin(), head.end(), start_);
  }
  // Returns the end.
  char* write(char* to, std::int64_t value) {
    if (value < kLow) return writeWhole(to, value);
    const std::int64_t high = value / kLow;
    if (high != high_) note(high);
    std::memcpy(to, start_, sizeof start_);
    to += startSize_;
    const auto low = static_cast<std::uint32_t>(value - high * kLow);
    writeFourDigits(to, low / kFour);
    writeFourDigits(to + 4, low % kFour);
    return to + kLowDigits;
  }

 private:
  static constexpr std::int64_t kLow = 100'000'000;
  static constexpr std::size_t kLowDigits = 8;
  static constexpr std::size_t kHeadMax = 8;

  char* writeWhole(char* to, std::int64_t value) {
    std::memcpy(to, start_, headSize_);
    return writeInteger(to + headSize_, value);
  }
  void note(std::int64_t high) {
    high_ = high;
    const char* const end = writeInteger(start_ + headSize_, high);
    startSize_ = static_cast<std::size_t>(end - start_);
  }

  std::size_t headSize_;
  std::int64_t high_ = 0;
  char start_[kSizeMax - kLowDigits] = {};  // The head and the leading digits.
  std::size_t startSize_ = 0;
};

}  // namespace seriesdb
