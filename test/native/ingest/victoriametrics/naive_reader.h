// Reads a line of VictoriaMetrics by recursion over a tree, with nothing of the real reader.
#pragma once

#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "simdjson.h"

namespace seriesdb::test {

struct NaiveMember;

struct NaiveJson {
  enum Kind { kWord, kNumber, kText, kList, kObject } kind = kWord;
  std::string text;
  std::vector<NaiveMember> members;  // Items of a list have no key.
};

struct NaiveMember {
  std::string key;
  NaiveJson value;
};

class NaiveJsonReader {
 public:
  explicit NaiveJsonReader(std::string_view text) : rest_(text) {}

  // Empty if the text is not exactly one value.
  std::optional<NaiveJson> read() {
    NaiveJson value;
    if (!readValue(value, 0)) return std::nullopt;
    skipBlanks();
    if (!rest_.empty()) return std::nullopt;
    return value;
  }

 private:
  void skipBlanks() {
    while (!rest_.empty() && std::string_view(" \t\r").find(rest_[0]) != std::string_view::npos) {
      rest_.remove_prefix(1);
    }
  }
  bool takes(char c) {
    skipBlanks();
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool readValue(NaiveJson& out, int depth) {
    skipBlanks();
    if (rest_.empty() || depth > 128) return false;
    if (rest_[0] == '{') return readMembers(out, depth, '}');
    if (rest_[0] == '[') return readMembers(out, depth, ']');
    if (rest_[0] == '"') {
      out.kind = NaiveJson::kText;
      return readText(out.text);
    }
    for (const std::string_view word : {"null", "true", "false"}) {
      if (!rest_.starts_with(word)) continue;
      out.text = word;
      rest_.remove_prefix(word.size());
      return true;
    }
    return readNumber(out);
  }
  bool readMembers(NaiveJson& out, int depth, char end) {
    if (depth == 128) return false;
    out.kind = end == '}' ? NaiveJson::kObject : NaiveJson::kList;
    rest_.remove_prefix(1);
    if (takes(end)) return true;
    do {
      auto& [key, value] = out.members.emplace_back();
      if (end == '}') {
        skipBlanks();
        if (rest_.empty() || rest_[0] != '"' || !readText(key) || !takes(':')) return false;
      }
      if (!readValue(value, depth + 1)) return false;
    } while (takes(','));
    return takes(end);
  }
  bool readNumber(NaiveJson& out) {
    out.kind = NaiveJson::kNumber;
    const std::size_t size = std::min(rest_.find_first_not_of("0123456789+-.eE"), rest_.size());
    out.text = rest_.substr(0, size);
    rest_.remove_prefix(size);
    std::string_view token = out.text;
    const auto digits = [&] {
      const std::size_t count = std::min(token.find_first_not_of("0123456789"), token.size());
      token.remove_prefix(count);
      return count;
    };
    if (token.starts_with('-')) token.remove_prefix(1);
    const bool isZero = token.starts_with('0');
    const std::size_t whole = digits();
    if (whole == 0 || (isZero && whole > 1)) return false;
    if (token.starts_with('.')) {
      token.remove_prefix(1);
      if (digits() == 0) return false;
    }
    if (token.starts_with('e') || token.starts_with('E')) {
      token.remove_prefix(1);
      if (token.starts_with('-') || token.starts_with('+')) token.remove_prefix(1);
      if (digits() == 0) return false;
    }
    return token.empty();
  }
  // By simdjson, for escapes and UTF-8.
  bool readText(std::string& out) {
    std::size_t end = 1;
    while (end < rest_.size() && rest_[end] != '"') end += rest_[end] == '\\' ? 2 : 1;
    if (end >= rest_.size()) return false;
    const simdjson::padded_string list("[" + std::string(rest_.substr(0, end + 1)) + "]");
    rest_.remove_prefix(end + 1);
    simdjson::dom::parser parser;
    std::string_view text;
    if (parser.parse(list).at(0).get_string().get(text)) return false;
    out = text;
    return true;
  }

  std::string_view rest_;
};

// Rows of good lines, and what the line is if it is none.
struct NaiveSample {
  std::int64_t ms;
  double value;
};
struct NaiveLine {
  std::vector<std::pair<std::string, std::string>> labels;
  std::vector<NaiveSample> samples;
};

inline bool naiveValue(const NaiveJson& item, double& value) {
  constexpr double kMost = std::numeric_limits<double>::infinity();
  value = std::numeric_limits<double>::quiet_NaN();
  if (item.kind == NaiveJson::kNumber) {
    value = std::strtod(item.text.c_str(), nullptr);
    return value != kMost && value != -kMost;
  }
  if (item.kind != NaiveJson::kWord && item.kind != NaiveJson::kText) return false;
  if (item.kind == NaiveJson::kText && item.text.ends_with("Infinity")) {
    value = item.text == "Infinity" ? kMost : -kMost;
    return item.text == "Infinity" || item.text == "-Infinity";
  }
  return item.text == "null" || (item.kind == NaiveJson::kText && item.text == "NaN");
}

inline bool naiveTime(const NaiveJson& item, std::int64_t& ms) {
  if (item.kind != NaiveJson::kNumber) return false;
  if (item.text.find_first_of(".eE") != std::string::npos) return false;
  errno = 0;
  ms = std::strtoll(item.text.c_str(), nullptr, 10);
  return errno == 0;
}

// Empty if the line is bad. It knows no rules of names and labels.
inline std::optional<NaiveLine> naiveLine(std::string_view line) {
  const std::optional<NaiveJson> json = NaiveJsonReader(line).read();
  if (!json || json->kind != NaiveJson::kObject) return std::nullopt;
  const NaiveJson* members[3] = {};
  const std::string_view names[] = {"metric", "values", "timestamps"};
  for (const auto& [key, value] : json->members) {
    for (int i = 0; i < 3; ++i) {
      if (key != names[i]) continue;
      if (members[i] != nullptr) return std::nullopt;
      members[i] = &value;
    }
  }
  for (int i = 0; i < 3; ++i) {
    if (members[i] == nullptr) return std::nullopt;
    if (members[i]->kind != (i == 0 ? NaiveJson::kObject : NaiveJson::kList)) return std::nullopt;
  }
  NaiveLine out;
  for (const auto& [key, value] : members[0]->members) {
    if (value.kind != NaiveJson::kText) return std::nullopt;
    out.labels.emplace_back(key, value.text);
  }
  const auto& values = members[1]->members;
  const auto& times = members[2]->members;
  if (values.size() != times.size()) return std::nullopt;
  for (std::size_t i = 0; i < values.size(); ++i) {
    NaiveSample& sample = out.samples.emplace_back();
    if (!naiveValue(values[i].value, sample.value)) return std::nullopt;
    if (!naiveTime(times[i].value, sample.ms)) return std::nullopt;
  }
  return out;
}

}  // namespace seriesdb::test
