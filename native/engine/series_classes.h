// Which class each series is of today: its metric's, which the rules tell. One thread's.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "index/series_index.h"
#include "retention/retention_rules.h"

namespace seriesdb {

class SeriesClasses {
 public:
  // `today` has a class for each length of time that the rules may give. `index` must outlive it.
  SeriesClasses(const SeriesIndex& index, std::shared_ptr<const RetentionRules> rules,
                std::vector<CompactionClass> today);

  // REQUIRES: ref < createdCount() of the index.
  const CompactionClass& of(SeriesRef ref);
  // Whether it tells what one would that is made of these now.
  bool isOf(const RetentionRules& rules, const std::vector<CompactionClass>& today) const {
    return rules_->mark() == rules.mark() && today_ == today;
  }
  const std::vector<CompactionClass>& today() const { return today_; }

 private:
  using Place = std::uint16_t;  // In `today_`.
  static constexpr Place kUnknown = UINT16_MAX;

  Place placeOf(std::string_view metric) const;

  const SeriesIndex& index_;
  const std::shared_ptr<const RetentionRules> rules_;
  const std::vector<CompactionClass> today_;
  // Rules are compared with a metric once, and a metric is looked up once for each of its series.
  std::unordered_map<const char*, Place> byMetric_;  // By where the index has the text.
  std::vector<Place> byRef_;
};

}  // namespace seriesdb
