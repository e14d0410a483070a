// How long samples are kept: a list of rules, of which the first that names a metric holds for it.
// What no rule names is kept for ever. Immutable.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/partition.h"

namespace seriesdb {

// More than anybody writes; each may make files of its own.
inline constexpr std::size_t kRetentionRulesMax = 1000;

struct RetentionRule {
  std::string match;  // A metric; `*` stands for any text, also for none.
  Duration keep = kForever;
};

class RetentionRules {
 public:
  RetentionRules() = default;
  // REQUIRES: every keep is above 0.
  explicit RetentionRules(std::vector<RetentionRule> rules);

  bool isEmpty() const { return rules_.empty(); }
  Duration keepOf(std::string_view metric) const;
  // Each length of time that some metric may be kept, ascending.
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
