#include "retention/retention_rules.h"

#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "base/hash.h"

namespace seriesdb {
namespace {

constexpr std::string_view kAnyMetric = "*";

std::uint64_t markOf(const std::vector<RetentionRule>& rules) {
  if (rules.empty()) return 0;
  ByteBuffer text;
  for (const RetentionRule& rule : rules) {
    appendVarint(text, rule.match.size());
    const Bytes match = asBytes(rule.match);
    text.insert(text.end(), match.begin(), match.end());
    appendVarint(text, static_cast<std::uint64_t>(rule.keep));
  }
  return std::max<std::uint64_t>(1, xxh64(text));
}

// Rules behind one that names every metric never hold.
std::vector<Duration> keepsOf(const std::vector<RetentionRule>& rules) {
  std::vector<Duration> keeps;
  bool isRest = true;
  for (const RetentionRule& rule : rules) {
    keeps.push_back(rule.keep);
    isRest = rule.match != kAnyMetric;
    if (!isRest) break;
  }
  if (isRest) keeps.push_back(kForever);
  std::sort(keeps.begin(), keeps.end());
  keeps.erase(std::unique(keeps.begin(), keeps.end()), keeps.end());
  return keeps;
}

}  // namespace

RetentionRules::RetentionRules(std::vector<RetentionRule> rules)
    : rules_(std::move(rules)), keeps_(keepsOf(rules_)), mark_(markOf(rules_)) {}

Duration RetentionRules::keepOf(std::string_view metric) const {
  const auto first = std::find_if(rules_.begin(), rules_.end(), [metric](const auto& rule) {
    return matchesPattern(rule.match, metric);
  });
  return first == rules_.end() ? kForever : first->keep;
}

// Only the last star need ever take more: what an earlier one could take it can, too.
bool matchesPattern(std::string_view pattern, std::string_view text) {
  std::size_t at = 0;
  std::size_t star = std::string_view::npos;
  std::size_t taken = 0;  // By that star.
  for (std::size_t i = 0; i < text.size();) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = at++;
      taken = i;
    } else if (at < pattern.size() && pattern[at] == text[i]) {
      ++at;
      ++i;
    } else if (star != std::string_view::npos) {
      at = star + 1;
      i = ++taken;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', at) == std::string_view::npos;
}

}  // namespace seriesdb
