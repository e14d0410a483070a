#include "query/fold/exact_moments.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "query/fold/fold_kernels.h"

namespace seriesdb {
namespace {

constexpr int kStoredBits = 52;
constexpr int kLastBitBias = 1075;  // The bias of a mantissa's last bit.

// A double is mantissa * 2^exponent.
struct ScaledInteger {
  std::int64_t mantissa;
  int exponent;
};

ScaledInteger scaledOf(double value) {
  constexpr std::uint64_t kFraction = (std::uint64_t{1} << kStoredBits) - 1;
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const int exponent = static_cast<int>(bits >> kStoredBits) & 0x7FF;
  const std::uint64_t size = (bits & kFraction) | (exponent == 0 ? 0 : kFraction + 1);
  if (size == 0) return {0, 0};
  const int zeros = std::countr_zero(size);
  const auto odd = static_cast<std::int64_t>(size >> zeros);
  return {std::signbit(value) ? -odd : odd, std::max(exponent, 1) - kLastBitBias + zeros};
}

void addOne(ScaledInteger value, ExactMoments& moments) {
  moments.sum.add(value.mantissa, value.exponent);
  moments.squares.add(Int128{value.mantissa} * value.mantissa, 2 * value.exponent);
}

constexpr int kExponentBias = 1023;
constexpr int kEndlessExponent = 0x7FF - kExponentBias;
// So many values as whole numbers of so many bits on a common scale have a sum of squares below
// 2^126.
constexpr std::size_t kFew = 15;
constexpr int kScaledBits = 61;

// How far the values are from zero, as the bits of a double.
std::uint64_t reachBitsOf(std::span<const double> values) {
  std::uint64_t most = 0;
  for (const double value : values) {
    most = std::max(most, std::bit_cast<std::uint64_t>(value) & kSizeBits);
  }
  return most;
}

double powerOfTwo(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(kExponentBias + exponent)
                               << kStoredBits);
}

// False where one of a few values has bits below those that the largest one leaves; then nothing is
// added. `exponent`: of the largest.
bool addScaled(std::span<const double> values, int exponent, ExactMoments& moments) {
  constexpr int kScaledReachMax = 400;
  if (exponent < -kScaledReachMax || exponent > kScaledReachMax) return false;
  const int lowest = exponent - (kScaledBits - 1);
  const double unit = powerOfTwo(lowest);
  const double perUnit = powerOfTwo(-lowest);
  bool areWhole = true;
  Int128 sum = 0;
  Int128 squares = 0;
  for (const double value : values) {
    const auto whole = static_cast<std::int64_t>(value * perUnit);
    // The product may have been rounded, this one never is.
    areWhole &= static_cast<double>(whole) * unit == value;
    sum += whole;
    squares += Int128{whole} * whole;
  }
  if (!areWhole) return false;
  moments.sum.add(sum, lowest);
  moments.squares.add(squares, 2 * lowest);
  return true;
}

void addFew(std::span<const double> values, ExactMoments& moments) {
  const std::uint64_t reach = reachBitsOf(values);
  if (reach == 0) return;
  const int exponent = static_cast<int>(reach >> kStoredBits) - kExponentBias;
  if (exponent == kEndlessExponent) {
    moments.isFinite = false;
  } else if (!addScaled(values, exponent, moments)) {
    for (const double value : values) addOne(scaledOf(value), moments);
  }
}

// Adds three digits at a time: each has at most 2^57 units, so three fit into 126 bits.
void addDigits(std::span<const std::int64_t> digits, int exponent, ExactSum& sum) {
  constexpr std::size_t kAtOnce = 3;
  while (!digits.empty()) {
    const std::size_t count = std::min(kAtOnce, digits.size());
    Int128 mantissa = 0;
    for (const std::int64_t digit : digits.first(count)) {
      mantissa = mantissa * (1 << kSquareDigitBits) + digit;
    }
    sum.add(mantissa, exponent - static_cast<int>(count - 1) * kSquareDigitBits);
    exponent -= static_cast<int>(count) * kSquareDigitBits;
    digits = digits.subspan(count);
  }
}

// A number that is not negative; its lowest word counts 2^(64 * base). It holds the squares of all
// doubles times their count, and the square of their sum.
struct WideNumber {
  static constexpr std::size_t kWords = 80;
  std::array<std::uint64_t, kWords> words;
  std::size_t size = 0;
  int base = 0;
};

// left += right * factor. REQUIRES: the result fits into left.
void addProduct(std::span<std::uint64_t> left, std::span<const std::uint64_t> right,
                std::uint64_t factor) {
  std::uint64_t carry = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (i >= right.size() && carry == 0) return;
    const std::uint64_t word = i < right.size() ? right[i] : 0;
    const UInt128 next = UInt128{word} * factor + left[i] + carry;
    left[i] = static_cast<std::uint64_t>(next);
    carry = static_cast<std::uint64_t>(next >> kExactWordBits);
  }
}

// left -= right. REQUIRES: left >= right
void subtract(std::span<std::uint64_t> left, std::span<const std::uint64_t> right) {
  std::uint64_t borrow = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (i >= right.size() && borrow == 0) return;
    const std::uint64_t word = i < right.size() ? right[i] : 0;
    const UInt128 next = UInt128{left[i]} - word - borrow;
    left[i] = static_cast<std::uint64_t>(next);
    borrow = static_cast<std::uint64_t>(next >> kExactWordBits) & 1;
  }
}

// The absolute value of a sum.
WideNumber magnitudeOf(const ExactSum& sum) {
  WideNumber out;
  const auto words = sum.words();
  out.base = sum.base();
  out.size = words.size();
  const bool isNegative = !words.empty() && (words.back() >> 63) != 0;
  std::uint64_t carry = isNegative ? 1 : 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    out.words[i] = (isNegative ? ~words[i] : words[i]) + carry;
    carry = carry != 0 && out.words[i] == 0 ? 1 : 0;
  }
  return out;
}

WideNumber squareOf(const WideNumber& value) {
  WideNumber out;
  out.base = 2 * value.base;
  out.size = 2 * value.size;
  std::fill_n(out.words.begin(), out.size, 0);
  for (std::size_t i = 0; i < value.size; ++i) {
    addProduct(std::span(out.words).subspan(i, out.size - i),
               std::span(value.words).first(value.size), value.words[i]);
  }
  return out;
}

// Returns count * squares - sum^2, which is never negative.
WideNumber spreadOf(const ExactMoments& moments, std::uint64_t count) {
  const WideNumber square = squareOf(magnitudeOf(moments.sum));
  const auto squares = moments.squares.words();
  WideNumber out;
  if (squares.empty()) return out;
  const int squareEnd = square.base + static_cast<int>(square.size);
  const int squaresEnd = moments.squares.base() + static_cast<int>(squares.size());
  // If the sum cancelled to zero, it has no words that say where it lies.
  const bool isSummed = square.size > 0;
  out.base = isSummed ? std::min(square.base, moments.squares.base()) : moments.squares.base();
  const int end = isSummed ? std::max(squareEnd, squaresEnd) : squaresEnd;
  out.size = static_cast<std::size_t>(end - out.base) + 1;
  std::fill_n(out.words.begin(), out.size, 0);
  const auto from = [&out](int base) {
    const auto at = static_cast<std::size_t>(base - out.base);
    return std::span(out.words).subspan(at, out.size - at);
  };
  addProduct(from(moments.squares.base()), squares, count);
  if (isSummed) subtract(from(square.base), std::span(square.words).first(square.size));
  return out;
}

// The first bits of a number, and a flag for further bits that are not zero.
struct LeadingBits {
  static constexpr std::size_t kWords = 3;
  std::array<std::uint64_t, kWords> words{};  // The lowest first.
  int exponent = 0;
  bool isInexact = false;
};

// REQUIRES: the number is not zero. The first bit is the highest bit of the words.
LeadingBits leadingOf(std::span<const std::uint64_t> words, int exponent) {
  while (words.back() == 0) words = words.first(words.size() - 1);
  const int shift = std::countl_zero(words.back());
  const auto wordAt = [&words](std::size_t fromTop) {
    return fromTop < words.size() ? words[words.size() - 1 - fromTop] : 0;
  };
  LeadingBits out;
  for (std::size_t i = 0; i < LeadingBits::kWords; ++i) {
    const std::uint64_t below = shift == 0 ? 0 : wordAt(i + 1) >> (kExactWordBits - shift);
    out.words[LeadingBits::kWords - 1 - i] = (wordAt(i) << shift) | below;
  }
  out.isInexact = (wordAt(LeadingBits::kWords) << shift) != 0;
  for (std::size_t i = LeadingBits::kWords + 1; i < words.size(); ++i) {
    out.isInexact = out.isInexact || wordAt(i) != 0;
  }
  const int top = exponent + kExactWordBits * static_cast<int>(words.size());
  out.exponent = top - kExactWordBits * static_cast<int>(LeadingBits::kWords) - shift;
  return out;
}

void divide(LeadingBits& number, std::uint64_t divisor) {
  UInt128 rest = 0;
  for (std::size_t i = LeadingBits::kWords; i-- > 0;) {
    const UInt128 all = (rest << kExactWordBits) | number.words[i];
    number.words[i] = static_cast<std::uint64_t>(all / divisor);
    rest = all % divisor;
  }
  number.isInexact = number.isInexact || rest != 0;
}

double roundedOf(const LeadingBits& number) {
  const LeadingBits first = leadingOf(number.words, number.exponent);
  const bool isInexact =
      number.isInexact || first.isInexact || first.words[0] != 0 || first.words[1] != 0;
  const std::uint64_t bits = first.words[2] | (isInexact ? 1 : 0);
  return std::ldexp(static_cast<double>(bits), first.exponent + 2 * kExactWordBits);
}

}  // namespace

double ExactMoments::variance(std::uint64_t count) const {
  if (count < 2 || !isFinite) return std::numeric_limits<double>::quiet_NaN();
  const WideNumber spread = spreadOf(*this, count);
  const auto words = std::span(spread.words).first(spread.size);
  if (std::all_of(words.begin(), words.end(), [](std::uint64_t word) { return word == 0; })) {
    return 0;
  }
  // The quotient of the leading 192 bits has at least 64 bits.
  LeadingBits quotient = leadingOf(words, kExactWordBits * spread.base);
  const UInt128 pairs = UInt128{count} * (count - 1);
  const auto few = static_cast<std::uint64_t>(pairs);
  if (few == pairs) {
    divide(quotient, few);
  } else {
    divide(quotient, count);
    divide(quotient, count - 1);
  }
  return roundedOf(quotient);
}

void MomentsAdder::add(std::span<const double> values, ExactMoments& moments) {
  constexpr std::size_t kManyMin = kFew + 1;
  while (values.size() >= kManyMin) {
    const std::size_t count =
        std::min(kDigitValuesMax, values.size() - values.size() % kDigitLanes);
    const auto block = values.first(count);
    values = values.subspan(count);
    if (addLanes(block, moments)) continue;
    for (std::size_t at = 0; at < count; at += kFew) {
      addFew(block.subspan(at, std::min(kFew, count - at)), moments);
    }
  }
  addFew(values, moments);
}

// False where values are too far apart for it; then nothing is added.
bool MomentsAdder::addLanes(std::span<const double> values, ExactMoments& moments) {
  DigitSums sums;
  const double reach = reachOf(values);
  const double unit = firstUnitOf(reach);
  if (unit == 0) return reach == 0;
  while (!foldDigits(values, unit, digits_, sums)) {
    if (digits_ == kSquareDigitsMax) return false;
    ++digits_;
  }
  const int exponent = std::ilogb(unit);
  addDigits(std::span(sums.values).first(digits_), exponent, moments.sum);
  addDigits(std::span(sums.products).first(2 * digits_ - 1), 2 * exponent, moments.squares);
  if (digits_ > 1 && sums.products[2 * digits_ - 2] == 0) --digits_;
  return true;
}

}  // namespace seriesdb
