#include "ingest/line_protocol/field_value.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "ingest/text/number_text.h"

namespace seriesdb {

namespace {

using number_text::isDigit;

Status notValue(std::string_view text) {
  if (text.empty()) return invalidRecord("a field has no value");
  return invalidRecord(inQuotes(text) + " is not a value");
}

std::optional<bool> readWord(std::string_view text) {
  for (const auto word : {"t", "T", "true", "True", "TRUE"}) {
    if (text == word) return true;
  }
  for (const auto word : {"f", "F", "false", "False", "FALSE"}) {
    if (text == word) return false;
  }
  return std::nullopt;
}

bool isDigits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), isDigit);
}

bool isHex(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789abcdefABCDEF") == text.npos;
}

bool isSigned(std::string_view text) { return text.starts_with('-') || text.starts_with('+'); }

Status readFloat(std::string_view text, FieldValue& out) {
  out.form = ValueForm::kNumber;
  out.tokenSize = text.size();
  std::string json;
  if (!isJsonNumber(text)) {
    json = jsonNumberOf(text);
    if (json.empty()) return notValue(text);
    text = json;
  }
  if (parseDouble(text, out.value) != NumberParse::kOk) {
    return invalidRecord(inQuotes(text) + " is too large for a double");
  }
  out.isInexact = isInexactInteger(text, out.value);
  return {};
}

template <typename T>
Status readWhole(std::string_view digits, ValueForm form, FieldValue& out) {
  const auto* const end = digits.data() + digits.size();
  T whole = 0;
  const auto result = std::from_chars(digits.data(), end, whole);
  if (result.ec != std::errc{} || result.ptr != end) {
    return invalidRecord(inQuotes(digits) + " is too large for an integer");
  }
  out.form = form;
  out.tokenSize = digits.size();
  out.value = static_cast<double>(whole);
  out.isInexact = static_cast<__int128>(out.value) != static_cast<__int128>(whole);
  return {};
}

// REQUIRES: the suffix is removed.
Status readInteger(std::string_view text, char suffix, FieldValue& out) {
  const auto digits = text.substr(isSigned(text) ? 1 : 0);
  if (!isDigits(digits) || (suffix == 'u' && isSigned(text))) {
    return invalidRecord(inQuotes(std::string(text) + suffix) + " is not an integer");
  }
  if (suffix == 'u') return readWhole<std::uint64_t>(text, ValueForm::kUnsigned, out);
  const bool isPlus = text.starts_with('+');
  auto status = readWhole<std::int64_t>(isPlus ? digits : text, ValueForm::kInteger, out);
  out.tokenSize = text.size();
  return status;
}

}  // namespace

Status readFieldValue(std::string_view text, FieldValue& out) {
  out = {};
  if (text.empty()) return notValue(text);
  if (text.front() == '"') {
    out.skipped = SkipReason::kString;
    return {};
  }
  if (const auto word = readWord(text)) {
    out.value = *word ? 1 : 0;
    out.form = *word ? ValueForm::kTrueWord : ValueForm::kFalseWord;
    return {};
  }
  const char suffix = text.back();
  const auto front = text.substr(0, text.size() - 1);
  if (suffix == 'i' && front.starts_with("0x") && isHex(front.substr(2))) {
    out.skipped = SkipReason::kLong256;
    return {};
  }
  if (suffix == 'i' || suffix == 'u') return readInteger(front, suffix, out);
  if ((suffix == 't' || suffix == 'n') && isDigits(front.substr(isSigned(front) ? 1 : 0))) {
    out.skipped = SkipReason::kTimestamp;
    return {};
  }
  return readFloat(text, out);
}

}  // namespace seriesdb
