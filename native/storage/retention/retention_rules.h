// Retention rules: how long samples are kept. The first rule that matches a series applies to it; a
// series without a rule is kept for ever. Immutable.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/status.h"
#include "common/types/identity.h"
#include "common/types/partition.h"

namespace seriesdb {

// The maximum number of rules, far more than an operator writes.
inline constexpr std::size_t kRetentionRulesMax = 1000;
// The maximum number of different keep durations, kForever included. A merge has one file open for
// each.
inline constexpr std::size_t kRetentionKeepsMax = 64;

struct RetentionRule {
  std::string match;  // A metric pattern; `*` matches any text, also none.
  Duration keep = kForever;
  // Labels that the series must have, with exactly these values; sorted by key.
  std::vector<std::pair<std::string, std::string>> labels{};
};

class RetentionRules {
 public:
  RetentionRules() = default;
  // kInvalidArgument if there are too many rules or keeps, or a keep is not above 0.
  static Result<RetentionRules> make(std::vector<RetentionRule> rules);
  // REQUIRES: every keep is above 0.
  explicit RetentionRules(std::vector<RetentionRule> rules);

  bool isEmpty() const { return rules_.empty(); }
  // The keep of all series of the metric. Null if it depends on the labels of each series.
  std::optional<Duration> keepOf(std::string_view metric) const;
  // REQUIRES: labels sorted by key.
  Duration keepOf(std::string_view metric, std::span<const Label> labels) const;
  // All different keeps, ascending.
  const std::vector<Duration>& keeps() const { return keeps_; }
  // A hash of the rules, stable across restarts; 0 if there are none.
  std::uint64_t mark() const { return mark_; }

 private:
  std::vector<RetentionRule> rules_;
  std::vector<Duration> keeps_{kForever};
  std::uint64_t mark_ = 0;
};

// True if the pattern matches the whole text.
bool matchesPattern(std::string_view pattern, std::string_view text);

}  // namespace seriesdb
