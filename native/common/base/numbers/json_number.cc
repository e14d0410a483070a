#include "common/base/numbers/json_number.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

#include "common/base/numbers/shortest_decimal.h"

namespace seriesdb {
namespace {

constexpr char kDigitPairs[] =
    "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546"
    "4748495051525354555657585960616263646566676869707172737475767778798081828384858687888990919293"
    "949596979899";

void writePair(char* to, std::uint64_t value) { std::memcpy(to, kDigitPairs + value * 2, 2); }

// REQUIRES: value < 100.
char* writeUpToTwo(char* to, std::uint64_t value) {
  if (value >= 10) {
    writePair(to, value);
    return to + 2;
  }
  *to = static_cast<char>('0' + value);
  return to + 1;
}

// REQUIRES: value < 10,000.
char* writeUpToFour(char* to, std::uint64_t value) {
  if (value < 100) return writeUpToTwo(to, value);
  to = writeUpToTwo(to, value / 100);
  writePair(to, value % 100);
  return to + 2;
}

char* writeUnsigned(char* to, std::uint64_t value) {
  constexpr std::uint64_t kFourDigits = 10'000;
  constexpr std::uint64_t kEightDigits = kFourDigits * kFourDigits;
  if (value < kFourDigits) return writeUpToFour(to, value);
  if (value < kEightDigits) {
    to = writeUpToFour(to, value / kFourDigits);
    writePair(to, value % kFourDigits / 100);
    writePair(to + 2, value % 100);
    return to + 4;
  }
  to = writeUnsigned(to, value / kEightDigits);
  writeEightDigits(to, static_cast<std::uint32_t>(value % kEightDigits));
  return to + 8;
}

// A decimal of at most 15 digits that divides back to `value` is its shortest form. No other text
// of 15 digits reads as the same double. Returns null if no such decimal has up to four places.
char* writeShortDecimal(char* to, double magnitude) {
  constexpr int kDecimals = 4;
  constexpr std::uint64_t kPower = 10'000;
  if (!(magnitude < 1e11 && magnitude >= 1e-4)) return nullptr;
  const auto mantissa = static_cast<std::uint64_t>(magnitude * double{kPower} + 0.5);
  // With fewer places the quotient is the same, so one division suffices.
  if (static_cast<double>(mantissa) / double{kPower} != magnitude) return nullptr;
  const std::uint64_t fraction = mantissa % kPower;
  to = writeUnsigned(to, mantissa / kPower);
  *to++ = '.';
  writePair(to, fraction / 100);
  writePair(to + 2, fraction % 100);
  // Drops trailing zeros; one digit stays.
  char* end = to + kDecimals;
  while (end[-1] == '0' && end > to + 1) --end;
  return end;
}

constexpr auto kPowersOfPlaces = [] {
  std::array<std::uint64_t, 17> powers{1};
  for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10;
  return powers;
}();

// Writes non-integer doubles of everyday size. The decimal has the same whole part as the double,
// because the next integer is a double, too.
char* writeFraction(char* to, double magnitude) {
  constexpr int kDigits = 16;
  constexpr std::uint64_t kEightDigits = 100'000'000;
  const ShortestDecimal decimal = shortestOf(magnitude);
  int count = -decimal.exponent;  // The number of decimals.
  std::uint64_t rest = decimal.digits;
  const auto whole = static_cast<std::uint64_t>(magnitude);
  if (whole > 0) rest -= whole * kPowersOfPlaces[static_cast<std::size_t>(count)];
  to = writeUnsigned(to, whole);
  *to++ = '.';
  for (; count > kDigits + 1; --count) *to++ = '0';
  if (count > kDigits) {
    *to++ = static_cast<char>('0' + rest / kPowersOfPlaces[kDigits]);
    rest %= kPowersOfPlaces[kDigits];
    count = kDigits;
  }
  rest *= kPowersOfPlaces[static_cast<std::size_t>(kDigits - count)];
  writeEightDigits(to, static_cast<std::uint32_t>(rest / kEightDigits));
  writeEightDigits(to + 8, static_cast<std::uint32_t>(rest % kEightDigits));
  char* end = to + count;
  while (end[-1] == '0') --end;
  return end;
}

// Writes any finite positive double in JavaScript's layout, without the plus sign.
char* writeGeneral(char* to, double magnitude) {
  // JavaScript uses fixed notation in this range.
  if (magnitude >= kShortestMin && magnitude < kShortestMax) return writeFraction(to, magnitude);
  char text[40];
  const auto end =
      std::to_chars(text, text + sizeof text, magnitude, std::chars_format::scientific).ptr;
  const char* mark = text;
  while (*mark != 'e') ++mark;
  int exponent = 0;
  const char* exponentBegin = mark[1] == '+' ? mark + 2 : mark + 1;
  std::from_chars(exponentBegin, end, exponent);

  char digits[24] = {};
  int count = 0;
  for (const char* at = text; at < mark; ++at) {
    if (*at != '.') digits[count++] = *at;
  }
  if (exponent >= 21 || exponent < -6) {
    *to++ = digits[0];
    if (count > 1) *to++ = '.';
    for (int i = 1; i < count; ++i) *to++ = digits[i];
    *to++ = 'e';
    return std::to_chars(to, to + 6, exponent).ptr;
  }
  // A whole number with at most this many digits.
  for (int i = 0; i <= exponent; ++i) *to++ = i < count ? digits[i] : '0';
  return to;
}

}  // namespace

// Splits the digits side by side in one word: by 100 in its halves, then by 10 in its quarters.
// After Paul Khuong's "How to print integers really fast".
void writeEightDigits(char* to, std::uint32_t value) {
  const std::uint64_t fours = value / 10'000 | std::uint64_t{value % 10'000} << 32;
  const std::uint64_t hundreds = (fours * 10'486 >> 20) & 0x0000007F'0000007F;
  const std::uint64_t pairs = hundreds | (fours - hundreds * 100) << 16;
  const std::uint64_t tens = (pairs * 103 >> 10) & 0x000F000F'000F000F;
  const std::uint64_t digits = tens | (pairs - tens * 10) << 8;
  const std::uint64_t text = digits + 0x30303030'30303030;
  std::memcpy(to, &text, sizeof text);
}

char* writeInteger(char* to, std::int64_t value) {
  if (value >= 0) return writeUnsigned(to, static_cast<std::uint64_t>(value));
  *to++ = '-';
  return writeUnsigned(to, ~static_cast<std::uint64_t>(value) + 1);
}

char* writeValue(char* to, double value) {
  if (!std::isfinite(value)) {
    std::memcpy(to, "null", 4);
    return to + 4;
  }
  if (std::signbit(value)) {
    *to++ = '-';
    value = -value;
  }
  if (value < kShortestMax) {
    const auto whole = static_cast<std::uint64_t>(value);
    if (static_cast<double>(whole) == value) return writeUnsigned(to, whole);
  }
  if (char* end = writeShortDecimal(to, value)) return end;
  return writeGeneral(to, value);
}

void appendInteger(std::string& out, std::int64_t value) {
  char scratch[kNumberSizeMax];
  out.append(scratch, writeInteger(scratch, value));
}

void appendValue(std::string& out, double value) {
  char scratch[kNumberSizeMax];
  out.append(scratch, writeValue(scratch, value));
}

}  // namespace seriesdb
