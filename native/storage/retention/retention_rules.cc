#include "storage/retention/retention_rules.h"

#include <algorithm>
#include <utility>

#include "common/base/bytes.h"
#include "common/digest/hash.h"

namespace seriesdb {
namespace {

constexpr std::string_view kAnyMetric = "*";

std::uint64_t markOf(const std::vector<RetentionRule>& rules) {
  if (rules.empty()) return 0;
  ByteBuffer text;
  const auto append = [&text](std::string_view part) {
    appendVarint(text, part.size());
    const Bytes bytes = asBytes(part);
    text.insert(text.end(), bytes.begin(), bytes.end());
  };
  for (const RetentionRule& rule : rules) {
    // An empty pattern marks the labels that follow; no valid rule has an empty pattern.
    if (!rule.labels.empty()) {
      append("");
      appendVarint(text, rule.labels.size());
    }
    for (const auto& [key, value] : rule.labels) {
      append(key);
      append(value);
    }
    append(rule.match);
    appendVarint(text, static_cast<std::uint64_t>(rule.keep));
  }
  return std::max<std::uint64_t>(1, xxh64(text));
}

// Both are sorted by key.
bool hasRuleLabels(std::span<const Label> labels,
                   const std::vector<std::pair<std::string, std::string>>& wanted) {
  auto at = labels.begin();
  return std::ranges::all_of(wanted, [&](const auto& pair) {
    at = std::find_if(at, labels.end(), [&](const Label& one) { return one.key >= pair.first; });
    return at != labels.end() && at->key == pair.first && at->value == pair.second;
  });
}

// Rules after a rule for all series never apply.
std::vector<Duration> keepsOf(const std::vector<RetentionRule>& rules) {
  std::vector<Duration> keeps;
  bool isRest = true;
  for (const RetentionRule& rule : rules) {
    keeps.push_back(rule.keep);
    isRest = rule.match != kAnyMetric || !rule.labels.empty();
    if (!isRest) break;
  }
  if (isRest) keeps.push_back(kForever);
  std::sort(keeps.begin(), keeps.end());
  keeps.erase(std::unique(keeps.begin(), keeps.end()), keeps.end());
  return keeps;
}

}  // namespace

Result<RetentionRules> RetentionRules::make(std::vector<RetentionRule> rules) {
  if (rules.size() > kRetentionRulesMax) {
    return Status::invalid("retention has at most 1000 rules");
  }
  for (const RetentionRule& rule : rules) {
    if (rule.keep <= 0) return Status::invalid("keep must be above 0");
  }
  RetentionRules made(std::move(rules));
  if (made.keeps().size() > kRetentionKeepsMax) {
    return Status::invalid(
        "retention has at most 64 different keep times, including that of series without a rule");
  }
  return made;
}

RetentionRules::RetentionRules(std::vector<RetentionRule> rules)
    : rules_(std::move(rules)), keeps_(keepsOf(rules_)), mark_(markOf(rules_)) {}

std::optional<Duration> RetentionRules::keepOf(std::string_view metric) const {
  const auto first = std::ranges::find_if(rules_, [metric](const RetentionRule& rule) {
    return matchesPattern(rule.match, metric);
  });
  if (first == rules_.end()) return kForever;
  return first->labels.empty() ? std::optional(first->keep) : std::nullopt;
}

Duration RetentionRules::keepOf(std::string_view metric, std::span<const Label> labels) const {
  const auto first = std::ranges::find_if(rules_, [&](const RetentionRule& rule) {
    return matchesPattern(rule.match, metric) && hasRuleLabels(labels, rule.labels);
  });
  return first == rules_.end() ? kForever : first->keep;
}

// Only the last star needs backtracking: it can match all that an earlier star could match.
bool matchesPattern(std::string_view pattern, std::string_view text) {
  std::size_t at = 0;
  std::size_t star = std::string_view::npos;
  std::size_t taken = 0;  // Characters that the star matches end here.
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
