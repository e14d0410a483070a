#include "ingest/otlp/escaped_names.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "ingest/record.h"
#include "ingest/text/number_text.h"

namespace seriesdb {
namespace {

using Word = std::pair<std::string_view, std::string_view>;

// Words for units of UCUM.
constexpr std::array kUnitWords = std::to_array<Word>({
    {"d", "days"},          {"h", "hours"},         {"min", "minutes"},
    {"s", "seconds"},       {"ms", "milliseconds"}, {"us", "microseconds"},
    {"ns", "nanoseconds"},  {"By", "bytes"},        {"KiBy", "kibibytes"},
    {"MiBy", "mebibytes"},  {"GiBy", "gibibytes"},  {"TiBy", "tibibytes"},
    {"KBy", "kilobytes"},   {"MBy", "megabytes"},   {"GBy", "gigabytes"},
    {"TBy", "terabytes"},   {"m", "meters"},        {"V", "volts"},
    {"A", "amperes"},       {"J", "joules"},        {"W", "watts"},
    {"g", "grams"},         {"Cel", "celsius"},     {"Hz", "hertz"},
    {"1", ""},              {"%", "percent"},
});

// Words for units after a slash.
constexpr std::array kPerWords = std::to_array<Word>({
    {"s", "second"},
    {"m", "minute"},
    {"h", "hour"},
    {"d", "day"},
    {"w", "week"},
    {"mo", "month"},
    {"y", "year"},
});

template <std::size_t kCount>
std::string_view wordOf(const std::array<Word, kCount>& words, std::string_view unit) {
  const auto at = std::ranges::find(words, unit, &Word::first);
  return at == words.end() ? unit : at->second;
}

bool isLetterOrDigit(char c) {
  return number_text::isDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool isOfName(char c) { return isLetterOrDigit(c) || c == ':'; }

std::vector<std::string> partsOf(std::string_view name) {
  std::vector<std::string> parts;
  bool isOpen = false;
  for (const char c : name) {
    if (!isOfName(c)) {
      isOpen = false;
      continue;
    }
    if (!isOpen) parts.emplace_back();
    isOpen = true;
    parts.back() += c;
  }
  return parts;
}

// A text in braces names the counted objects, and is no unit.
std::string_view meantUnit(std::string_view text) {
  const auto unit = trimmed(text);
  return unit.find_first_of("{}") == std::string_view::npos ? unit : std::string_view();
}

// A run of invalid characters becomes one underscore; leading ones are dropped.
std::string cleaned(std::string_view unit) {
  std::string out;
  for (const char c : unit) {
    if (isOfName(c)) {
      out += c;
    } else if (!out.empty() && out.back() != '_') {
      out += '_';
    }
  }
  return out;
}

void trimEnd(std::string& text) {
  if (text.ends_with('_')) text.pop_back();
}

bool contains(const std::vector<std::string>& parts, std::string_view part) {
  return std::ranges::find(parts, part) != parts.end();
}

void addUnit(std::string_view unit, std::vector<std::string>& parts) {
  const auto stroke = unit.find('/');
  std::string main = cleaned(wordOf(kUnitWords, meantUnit(unit.substr(0, stroke))));
  std::string per;
  if (stroke != std::string_view::npos) {
    per = cleaned(wordOf(kPerWords, meantUnit(unit.substr(stroke + 1))));
    trimEnd(per);
    if (!per.empty()) per.insert(0, "per_");
  }
  if (contains(parts, main)) main.clear();
  if (contains(parts, per)) per.clear();
  if (!per.empty()) trimEnd(main);
  if (!main.empty()) parts.push_back(std::move(main));
  if (!per.empty()) parts.push_back(std::move(per));
}

void moveToEnd(std::string_view part, std::vector<std::string>& parts) {
  std::erase(parts, part);
  parts.emplace_back(part);
}

}  // namespace

std::string escapedMetricName(std::string_view name, std::string_view unit, NameEnd end) {
  auto parts = partsOf(name);
  addUnit(unit, parts);
  if (end == NameEnd::kTotal) moveToEnd("total", parts);
  if (end == NameEnd::kRatioOfOne && unit == "1") moveToEnd("ratio", parts);
  std::string out;
  for (const std::string& part : parts) {
    if (!out.empty()) out += '_';
    out += part;
  }
  if (!out.empty() && number_text::isDigit(out.front())) out.insert(0, "_");
  return out;
}

std::string escapedLabelKey(std::string_view key) {
  std::string out;
  for (std::size_t at = 0; at < key.size(); ++at) {
    // One underscore per character, not per byte.
    if ((static_cast<unsigned char>(key[at]) & 0xC0) == 0x80) continue;
    out += isLetterOrDigit(key[at]) ? key[at] : '_';
  }
  if (out.empty()) return out;
  if (number_text::isDigit(out.front())) return "key_" + out;
  return out.front() == '_' && !out.starts_with("__") ? "key" + out : out;
}

}  // namespace seriesdb
