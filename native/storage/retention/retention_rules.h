// How long samples are kept: a list of rules, of which the first that names a series holds for it.
// What no rule names is kept for ever. Immutable.
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

// More than anybody writes.
inline constexpr std::size_t kRetentionRulesMax = 1000;
// Lengths of time that something is kept, for ever among them. A merge has a file open for each.
inline constexpr std::size_t kRetentionKeepsMax = 64;

struct RetentionRule {
  std::string match;  // A metric; `*` stands for any text, also for none.
  Duration keep = kForever;
  // What a series has exactly so, beside others; sorted by key.
  std::vector<std::pair<std::string, std::string>> labels{};
};

class RetentionRules {
 public:
  RetentionRules() = default;
  // Checks what they must be: kInvalidArgument.
  static Result<RetentionRules> make(std::vector<RetentionRule> rules);
  // REQUIRES: every keep is above 0.
  explicit RetentionRules(std::vector<RetentionRule> rules);

  bool isEmpty() const { return rules_.empty(); }
  // Of every series of the metric; none: the labels of each tell.
  std::optional<Duration> keepOf(std::string_view metric) const;
  // REQUIRES: labels sorted by key.
  Duration keepOf(std::string_view metric, std::span<const Label> labels) const;
  // Each length of time that some series may be kept, ascending.
  const std::vector<Duration>& keeps() const { return keeps_; }
  // Tells these rules from others, also after a restart; 0 when there are none.
  std::uint64_t mark() const { return mark_; }

 private:
  std::vector<RetentionRule> rules_;
  std::vector<Duration> keeps_{kForever};
  std::uint64_t mark_ = 0;
};

// Whether the text is what the pattern says.
bool matchesPattern(std::string_view pattern, std::string_view text);

}  // namespace seriesdb
