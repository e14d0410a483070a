// Numbers as text: the shortest form that reads back as the same double, laid out as JavaScript
// lays out numbers (without the plus sign of an exponent).
#include "common/base/numbers/json_number.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>

#include "harness.h"

using namespace seriesdb;

namespace {

std::string textOf(double value) {
  char text[kNumberSizeMax];
  return {text, writeValue(text, value)};
}

// Significant digits: without sign, point, exponent, and the zeros at either end.
std::size_t digitCount(std::string_view text) {
  std::string digits;
  for (const char one : text.substr(0, text.find('e'))) {
    if (one >= '0' && one <= '9') digits += one;
  }
  const std::size_t first = digits.find_first_not_of('0');
  return first == std::string::npos ? 0 : digits.find_last_not_of('0') - first + 1;
}

void expectShortest(double value) {
  const std::string text = textOf(value);
  const double back = std::strtod(text.c_str(), nullptr);
  EXPECT(std::memcmp(&back, &value, sizeof value) == 0);
  char shortest[40];
  const auto end = std::to_chars(shortest, shortest + sizeof shortest, value).ptr;
  // Past 2^53 to_chars may print an integer with more digits than needed, never with fewer.
  EXPECT(digitCount(text) == digitCount({shortest, end}) || std::abs(value) >= 1e15);
  EXPECT(text.size() <= 25);
}

}  // namespace

TEST("numbers are formatted as in JavaScript") {
  EXPECT(textOf(0) == "0");
  EXPECT(textOf(-0.0) == "-0");
  EXPECT(textOf(24.2) == "24.2");
  EXPECT(textOf(-0.1) == "-0.1");
  EXPECT(textOf(0.0001) == "0.0001");
  EXPECT(textOf(100) == "100");
  EXPECT(textOf(1e20) == "100000000000000000000");
  EXPECT(textOf(123456789012345680000.0) == "123456789012345680000");
  EXPECT(textOf(1e21) == "1e21");
  EXPECT(textOf(-1.5e300) == "-1.5e300");
  EXPECT(textOf(0.000001) == "0.000001");
  EXPECT(textOf(0.00000123) == "0.00000123");
  EXPECT(textOf(1e-7) == "1e-7");
  EXPECT(textOf(1.25e-7) == "1.25e-7");
  EXPECT(textOf(5e-324) == "5e-324");
  EXPECT(textOf(1.7976931348623157e308) == "1.7976931348623157e308");
  EXPECT(textOf(9007199254740991) == "9007199254740991");
  EXPECT(textOf(9007199254740992) == "9007199254740992");
  EXPECT(textOf(0.1 + 0.2) == "0.30000000000000004");
  EXPECT(textOf(12345678901.25) == "12345678901.25");
  EXPECT(textOf(99999999999.9999) == "99999999999.9999");
  EXPECT(textOf(4503599627370495.5) == "4503599627370495.5");
}

TEST("NaN and infinities are printed as null") {
  EXPECT(textOf(NAN) == "null");
  EXPECT(textOf(INFINITY) == "null");
  EXPECT(textOf(-INFINITY) == "null");
}

TEST("a double of any bits is written in its shortest form and reads back the same") {
  std::mt19937_64 random(test::seed());
  for (int round = 0; round < 300'000; ++round) {
    const std::uint64_t bits = random();
    double value;
    std::memcpy(&value, &bits, sizeof value);
    if (std::isfinite(value)) expectShortest(value);
  }
}

TEST("decimals, their neighbours and whole numbers are written in their shortest form") {
  std::mt19937_64 random(test::seed());
  for (int round = 0; round < test::rounds(300'000); ++round) {
    const auto mantissa = static_cast<double>(static_cast<std::int64_t>(random()) >> random() % 63);
    const double value = mantissa / std::pow(10, static_cast<double>(random() % 12));
    expectShortest(value);
    expectShortest(std::nextafter(value, 0));
    expectShortest(std::nextafter(value, INFINITY));
  }
}

TEST("of several shortest forms the one nearest to the double is written") {
  const auto expectNearest = [](double value) {
    char text[40];
    const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::fixed).ptr;
    EXPECT(textOf(value) == std::string(text, end));
  };
  std::mt19937_64 random(test::seed());
  for (int exponent = -19; exponent < 53; ++exponent) {
    const double power = std::ldexp(1, exponent);
    for (const double value : {power, std::nextafter(power, 0), std::nextafter(power, 2 * power)}) {
      expectNearest(value);
    }
    for (int round = 0; round < test::rounds(20'000); ++round) {
      const auto fraction = static_cast<double>(random() >> 12) / 0x1p+52;
      const double value = power * (1 + fraction);
      expectNearest(value);
      // Numbers with few bits, and with few decimals.
      expectNearest(std::ldexp(std::floor(std::ldexp(value, 20 - exponent)), exponent - 20));
      const double scale = std::pow(10, static_cast<double>(random() % 17));
      const double decimal = std::floor(value * scale) / scale;
      if (decimal >= 1e-6) expectNearest(decimal);
    }
  }
}

TEST("64-bit integers are written in full") {
  const auto written = [](std::int64_t value) {
    char text[kNumberSizeMax];
    return std::string(text, writeInteger(text, value));
  };
  EXPECT(written(0) == "0");
  EXPECT(written(INT64_MIN) == "-9223372036854775808");
  EXPECT(written(INT64_MAX) == "9223372036854775807");
  std::mt19937_64 random(test::seed());
  for (int round = 0; round < 100'000; ++round) {
    const auto value = static_cast<std::int64_t>(random()) >> random() % 64;
    EXPECT(written(value) == std::to_string(value));
  }
}
