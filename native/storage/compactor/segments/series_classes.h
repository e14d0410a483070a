// The class of each series today: by its metric, if the rules allow, otherwise by its labels. One
// thread only.
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
  // `today` has a class for each keep of the rules, the shortest first.
  SeriesClasses(PinnedIndex index, std::shared_ptr<const RetentionRules> rules,
                std::vector<CompactionClass> today);

  // A series that the index no longer has gets the shortest keep. REQUIRES: ref < createdCount() of
  // the index.
  const CompactionClass& of(SeriesRef ref);
  // True if an object built from these arguments would give the same results.
  bool isOf(const PinnedIndex& index, const RetentionRules& rules,
            const std::vector<CompactionClass>& today) const {
    return index_.shared() == index.shared() && rules_->mark() == rules.mark() && today_ == today;
  }
  const std::vector<CompactionClass>& today() const { return today_; }

 private:
  using Place = std::uint16_t;  // An index in `today_`.
  static constexpr Place kUnknown = UINT16_MAX;
  static constexpr Place kByLabels = UINT16_MAX - 1;

  Place placeOfMetric(std::string_view metric) const;
  Place placeOf(Duration keep) const;

  const PinnedIndex index_;
  const std::shared_ptr<const RetentionRules> rules_;
  const std::vector<CompactionClass> today_;
  // Caches the class per metric, and per series if the rules need labels. Each metric is matched
  // once, but looked up once per series.
  std::unordered_map<const char*, Place> byMetric_;  // By the address of the text in the index.
  // By ref, in pages, because most refs may be missing.
  static constexpr std::size_t kPlacesOfPage = 4096;
  std::vector<std::unique_ptr<Place[]>> pages_;
  std::vector<Label> labels_;  // The labels of one series; reused.
};

}  // namespace seriesdb
