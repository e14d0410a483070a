// Which class each series is of today: its metric's, where the rules tell that of all series of the
// metric, else that of its labels. One thread's.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "index/index_holder.h"
#include "storage/retention/retention_rules.h"

namespace seriesdb {

class SeriesClasses {
 public:
  // `today` has a class for each length of time that the rules may give, the shortest first.
  SeriesClasses(PinnedIndex index, std::shared_ptr<const RetentionRules> rules,
                std::vector<CompactionClass> today);

  // A series that the index does not have any more is kept shortest. REQUIRES: ref < createdCount()
  // of the index.
  const CompactionClass& of(SeriesRef ref);
  // Whether it tells what one would that is made of these now.
  bool isOf(const PinnedIndex& index, const RetentionRules& rules,
            const std::vector<CompactionClass>& today) const {
    return index_.shared() == index.shared() && rules_->mark() == rules.mark() && today_ == today;
  }
  const std::vector<CompactionClass>& today() const { return today_; }

 private:
  using Place = std::uint16_t;  // In `today_`.
  static constexpr Place kUnknown = UINT16_MAX;
  static constexpr Place kByLabels = UINT16_MAX - 1;

  Place placeOfMetric(std::string_view metric) const;
  Place placeOf(Duration keep) const;

  const PinnedIndex index_;
  const std::shared_ptr<const RetentionRules> rules_;
  const std::vector<CompactionClass> today_;
  // Rules are compared with a metric once, with the labels of a series once where they must be, and
  // a metric is looked up once for each of its series.
  std::unordered_map<const char*, Place> byMetric_;  // By where the index has the text.
  // By ref, in pages, as there may be none of most refs.
  static constexpr std::size_t kPlacesOfPage = 4096;
  std::vector<std::unique_ptr<Place[]>> pages_;
  std::vector<Label> labels_;  // Of one series.
};

}  // namespace seriesdb
