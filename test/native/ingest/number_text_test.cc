#include "ingest/text/number_text.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>

#include "harness.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

// The input of readDouble or readInteger: the token, a newline, and slack.
struct Slot {
  std::string text;
  std::size_t size;
  explicit Slot(const std::string& token)
      : text(token + std::string(kNumberRoom + 1, '\n')), size(token.size()) {}
  const char* end() const { return text.data() + size; }
};

std::uint64_t bitsOf(double value) {
  std::uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

std::string randomDigits(std::mt19937_64& random, unsigned countMax) {
  std::string digits;
  const auto count = random() % (countMax + 1);
  while (digits.size() < count) digits += static_cast<char>('0' + random() % 10);
  return digits;
}

std::string randomToken(std::mt19937_64& random) {
  char text[64];
  switch (random() % 6) {
    case 0:
      return std::to_string(static_cast<std::int64_t>(random() >> (random() % 64)));
    case 1: {
      std::uint64_t bits = random();
      double value;
      std::memcpy(&value, &bits, sizeof value);
      if (!std::isfinite(value)) value = 1;
      std::snprintf(text, sizeof text, "%.*g", static_cast<int>(1 + random() % 20), value);
      return text;
    }
    case 2:
      std::snprintf(text, sizeof text, "%.*f", static_cast<int>(random() % 8),
                    static_cast<double>(random() % 2'000'000) / 1000 - 1000);
      return text;
    default:
      break;
  }
  std::string token = random() % 3 == 0 ? "-" : "";
  token += randomDigits(random, random() % 8 == 0 ? 30 : 9);
  if (random() % 2 == 0) token += "." + randomDigits(random, random() % 8 == 0 ? 30 : 9);
  if (random() % 3 == 0) {
    static const char* const kSigns[] = {"", "+", "-"};
    token += random() % 2 == 0 ? "e" : "E";
    token += kSigns[random() % 3] + randomDigits(random, random() % 4 == 0 ? 5 : 2);
  }
  return token;
}

TEST("the fast number reader equals the parser to the bit, or declines") {
  std::mt19937_64 random(seed());
  for (int i = 0; i < rounds(1'000'000); ++i) {
    const Slot slot(randomToken(random));
    const auto token = slot.text.substr(0, slot.size);
    double parsed = 0;
    double read = 0;
    std::uint32_t inexactCount = 0;
    const auto result = parseDouble(token, parsed);
    const char* const end = readDouble(slot.text.data(), read, inexactCount);
    if (result != NumberParse::kOk) {
      EXPECT(end != slot.end());
    } else {
      EXPECT(bitsOf(parsed) == bitsOf(std::strtod(token.c_str(), nullptr)));
      EXPECT(end == nullptr || (end == slot.end() && bitsOf(read) == bitsOf(parsed)));
      EXPECT(end == nullptr || (inexactCount == 1) == isInexactInteger(token, parsed));
    }
    std::int64_t integer = 0;
    std::int64_t readValue = 0;
    const auto integerResult = parseInteger(token, integer);
    const char* const integerEnd = readInteger(slot.text.data(), readValue);
    if (integerResult != NumberParse::kOk) {
      EXPECT(integerEnd != slot.end());
    } else if (integerEnd == slot.end()) {
      EXPECT(readValue == integer);
    }
  }
}

TEST("JSON's grammar of numbers is strict") {
  for (const char* good :
       {"0", "-0", "1", "10", "0.0", "-0.5e-7", "1e3", "1E+3", "0e0", "9007199254740993"}) {
    EXPECT(isJsonNumber(good));
  }
  for (const char* bad : {"", "-", "+1", "01", "-01", "1.", ".5", "1e", "1e+", "0x1", "1 ", " 1",
                          "1_0", "NaN", "Infinity", "1e3.5", "--1", "1f", "١"}) {
    EXPECT(!isJsonNumber(bad));
  }
}

TEST("numbers past the largest double overflow; tiny ones become zero and keep their sign") {
  double value = 1;
  EXPECT(parseDouble("1e309", value) == NumberParse::kOverflow);
  EXPECT(parseDouble("-1e309", value) == NumberParse::kOverflow);
  EXPECT(parseDouble("0.001e312", value) == NumberParse::kOverflow);
  EXPECT(parseDouble("1e99999999999999999999", value) == NumberParse::kOverflow);
  EXPECT(parseDouble(std::string(400, '9'), value) == NumberParse::kOverflow);
  EXPECT(parseDouble("1.7976931348623157e308", value) == NumberParse::kOk &&
         value == 1.7976931348623157e308);
  EXPECT(parseDouble("1e-400", value) == NumberParse::kOk && bitsOf(value) == bitsOf(0.0));
  EXPECT(parseDouble("-1e-400", value) == NumberParse::kOk && bitsOf(value) == bitsOf(-0.0));
  EXPECT(parseDouble("0e999", value) == NumberParse::kOk && value == 0);
  EXPECT(parseDouble("0." + std::string(500, '0') + "1", value) == NumberParse::kOk && value == 0);
  EXPECT(parseDouble("5e-324", value) == NumberParse::kOk && value == 5e-324);
}

TEST("numbers in other notations are rewritten as JSON numbers; other texts are refused") {
  EXPECT(jsonNumberOf("+1") == "1" && jsonNumberOf("1.") == "1" && jsonNumberOf("-.5") == "-0.5");
  EXPECT(jsonNumberOf("007") == "7" && jsonNumberOf("00") == "0" && jsonNumberOf("1e3") == "1e3");
  for (const char* const text :
       {"", "+", ".", "e5", "--1", "+-1", "-+1", "1 2", "NaN", "0x1", "1e", "1.-2"}) {
    EXPECT(jsonNumberOf(text).empty());
  }
}

TEST("integers reach from -2^63 to 2^63 - 1") {
  std::int64_t value = 0;
  EXPECT(parseInteger("9223372036854775807", value) == NumberParse::kOk && value == INT64_MAX);
  EXPECT(parseInteger("-9223372036854775808", value) == NumberParse::kOk && value == INT64_MIN);
  EXPECT(parseInteger("9223372036854775808", value) == NumberParse::kOverflow);
  EXPECT(parseInteger("-9223372036854775809", value) == NumberParse::kOverflow);
  EXPECT(parseInteger("-0", value) == NumberParse::kOk && value == 0);
  for (const char* bad : {"1.0", "1e3", "01", "1E0", ""}) {
    EXPECT(parseInteger(bad, value) == NumberParse::kMalformed);
  }
}

}  // namespace
