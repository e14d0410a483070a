#include "base/json_number.h"

#include <charconv>
#include <cmath>
#include <cstring>

namespace seriesdb {
namespace {

constexpr char kDigitPairs[] =
    "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546"
    "4748495051525354555657585960616263646566676869707172737475767778798081828384858687888990919293"
    "949596979899";

// Below it, doubles have a place for each integer.
constexpr double kExactIntegers = 9007199254740992.0;

// Digits of `value`, two at a time from the right.
char* writeUnsigned(char* to, std::uint64_t value) {
  char scratch[20];
  char* at = scratch + sizeof scratch;
  while (value >= 100) {
    at -= 2;
    std::memcpy(at, kDigitPairs + value % 100 * 2, 2);
    value /= 100;
  }
  if (value >= 10) {
    at -= 2;
    std::memcpy(at, kDigitPairs + value * 2, 2);
  } else {
    *--at = static_cast<char>('0' + value);
  }
  const auto size = static_cast<std::size_t>(scratch + sizeof scratch - at);
  std::memcpy(to, at, size);
  return to + size;
}

// A decimal of at most 15 digits that divides back to `value` is its shortest form: no other text
// of 15 digits reads as the same double. Returns null when there is none with up to four decimals.
char* writeShortDecimal(char* to, double magnitude) {
  constexpr int kDecimals = 4;
  constexpr std::uint64_t kPower = 10'000;
  if (!(magnitude < 1e11 && magnitude >= 1e-4)) return nullptr;
  const auto mantissa = static_cast<std::uint64_t>(magnitude * double{kPower} + 0.5);
  // With fewer decimals it is the same quotient, so that one division tells.
  if (static_cast<double>(mantissa) / double{kPower} != magnitude) return nullptr;
  std::uint64_t fraction = mantissa % kPower;
  to = writeUnsigned(to, mantissa / kPower);
  *to++ = '.';
  int digits = kDecimals;
  for (; fraction % 10 == 0 && digits > 1; --digits) fraction /= 10;
  for (int digit = digits - 1; digit >= 0; --digit) {
    to[digit] = static_cast<char>('0' + fraction % 10);
    fraction /= 10;
  }
  return to + digits;
}

// Any finite positive double: digits from to_chars, laid out as JavaScript does, without the plus
// sign.
char* writeGeneral(char* to, double magnitude) {
  // Fixed notation is JavaScript's there, and has no digits but the shortest.
  if (magnitude >= 1e-6 && magnitude < kExactIntegers) {
    return std::to_chars(to, to + kNumberSizeMax - 1, magnitude, std::chars_format::fixed).ptr;
  }
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
  // A whole number, of no more digits than these.
  for (int i = 0; i <= exponent; ++i) *to++ = i < count ? digits[i] : '0';
  return to;
}

}  // namespace

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
  if (value < kExactIntegers) {
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
