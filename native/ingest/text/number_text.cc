#include "ingest/text/number_text.h"

#include <algorithm>

namespace seriesdb {

namespace {

using number_text::isDigit;

// The digits of the largest double, with its sign.
constexpr std::size_t kIntegerDigitsMax = 320;

struct NumberParts {
  bool isValid = false;
  bool isInteger = false;
  std::string_view whole;
  std::string_view fraction;
  std::string_view exponent;  // With its sign.
};

std::string_view takeDigits(std::string_view& rest) {
  const auto end = std::find_if_not(rest.begin(), rest.end(), isDigit);
  const auto count = static_cast<std::size_t>(end - rest.begin());
  const auto digits = rest.substr(0, count);
  rest.remove_prefix(count);
  return digits;
}

NumberParts splitNumber(std::string_view rest) {
  NumberParts parts;
  if (rest.starts_with('-')) rest.remove_prefix(1);
  parts.whole = takeDigits(rest);
  if (parts.whole.empty() || (parts.whole.size() > 1 && parts.whole[0] == '0')) return parts;
  parts.isInteger = rest.empty();
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    parts.fraction = takeDigits(rest);
    if (parts.fraction.empty()) return parts;
  }
  if (rest.starts_with('e') || rest.starts_with('E')) {
    rest.remove_prefix(1);
    const auto from = rest;
    if (rest.starts_with('-') || rest.starts_with('+')) rest.remove_prefix(1);
    const auto digits = takeDigits(rest);
    if (digits.empty()) return parts;
    parts.exponent = from.substr(0, from.size() - rest.size());
  }
  parts.isValid = rest.empty();
  return parts;
}

// The exponent, clamped to bounds that no token's length can outweigh.
std::int64_t exponentOf(std::string_view text) {
  constexpr std::int64_t kBound = 1'000'000'000'000;
  const bool isNegative = text.starts_with('-');
  std::int64_t magnitude = 0;
  for (const char c : text) {
    if (isDigit(c)) magnitude = std::min(kBound, magnitude * 10 + (c - '0'));
  }
  return isNegative ? -magnitude : magnitude;
}

// True if a number outside the range of doubles is too large, false if it is too small. The place
// of its first digit decides.
bool isLarge(const NumberParts& parts) {
  const auto exponent = exponentOf(parts.exponent);
  const auto first = parts.whole.find_first_not_of('0');
  if (first != std::string_view::npos) {
    return static_cast<std::int64_t>(parts.whole.size() - first) + exponent > 0;
  }
  const auto zeros = parts.fraction.find_first_not_of('0');
  if (zeros == std::string_view::npos) return false;
  return exponent - static_cast<std::int64_t>(zeros) > 0;
}

}  // namespace

bool isJsonNumber(std::string_view token) { return splitNumber(token).isValid; }

std::string jsonNumberOf(std::string_view text) {
  std::string json(text.starts_with('-') ? "-" : "");
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const auto exponentAt = std::min(text.find_first_of("eE"), text.size());
  const auto mantissa = text.substr(0, exponentAt);
  const auto pointAt = std::min(mantissa.find('.'), mantissa.size());
  auto whole = mantissa.substr(0, pointAt);
  const auto fraction = mantissa.substr(std::min(pointAt + 1, mantissa.size()));
  if (whole.empty() && fraction.empty()) return {};
  if (!whole.empty() && !isDigit(whole.front())) return {};
  whole.remove_prefix(std::min(whole.find_first_not_of('0'), whole.size()));
  json.append(whole.empty() ? "0" : whole);
  if (!fraction.empty()) json.append(1, '.').append(fraction);
  json.append(text.substr(exponentAt));
  return isJsonNumber(json) ? json : std::string();
}

bool isInexactInteger(std::string_view token, double value) {
  constexpr double kExactMax = 9007199254740992;  // 2^53
  if (value > -kExactMax && value < kExactMax) return false;
  if (token.find_first_of(".eE") != std::string_view::npos) return false;
  char text[kIntegerDigitsMax];
  const auto written = std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, 0);
  return token != std::string_view(text, static_cast<std::size_t>(written.ptr - text));
}

NumberParse parseDouble(std::string_view token, double& value) {
  const auto parts = splitNumber(token);
  if (!parts.isValid) return NumberParse::kMalformed;
  const auto* const last = token.data() + token.size();
  const auto result = std::from_chars(token.data(), last, value);
  if (result.ec == std::errc{}) return NumberParse::kOk;
  if (isLarge(parts)) return NumberParse::kOverflow;
  value = token.starts_with('-') ? -0.0 : 0.0;
  return NumberParse::kOk;
}

NumberParse parseInteger(std::string_view token, std::int64_t& value) {
  const auto parts = splitNumber(token);
  if (!parts.isValid || !parts.isInteger) return NumberParse::kMalformed;
  const auto result = std::from_chars(token.data(), token.data() + token.size(), value);
  return result.ec == std::errc{} ? NumberParse::kOk : NumberParse::kOverflow;
}

}  // namespace seriesdb
