#include "storage/compactor/segments/series_classes.h"

#include <algorithm>
#include <utility>

#include "common/base/check.h"

namespace seriesdb {

SeriesClasses::SeriesClasses(PinnedIndex index, std::shared_ptr<const RetentionRules> rules,
                             std::vector<CompactionClass> today)
    : index_(std::move(index)), rules_(std::move(rules)), today_(std::move(today)) {
  CHECK(!today_.empty() && today_.size() < kByLabels);
}

const CompactionClass& SeriesClasses::of(SeriesRef ref) {
  if (today_.size() == 1) return today_.front();
  if (!index_->has(ref)) return today_.front();
  const std::size_t page = ref / kPlacesOfPage;
  if (page >= pages_.size()) pages_.resize(page + 1);
  if (pages_[page] == nullptr) {
    pages_[page] = std::make_unique<Place[]>(kPlacesOfPage);
    std::fill_n(pages_[page].get(), kPlacesOfPage, kUnknown);
  }
  Place& place = pages_[page][ref % kPlacesOfPage];
  if (place == kUnknown) {
    const std::string_view metric = index_->nameOf(ref);
    const auto [at, isNew] = byMetric_.try_emplace(metric.data(), kUnknown);
    if (isNew) at->second = placeOfMetric(metric);
    place = at->second;
    if (place == kByLabels) {
      index_->labelsOf(ref, labels_);
      place = placeOf(rules_->keepOf(metric, labels_));
    }
  }
  return today_[place];
}

SeriesClasses::Place SeriesClasses::placeOfMetric(std::string_view metric) const {
  const std::optional<Duration> keep = rules_->keepOf(metric);
  return keep ? placeOf(*keep) : kByLabels;
}

SeriesClasses::Place SeriesClasses::placeOf(Duration keep) const {
  const auto found = std::ranges::find(today_, keep, &CompactionClass::keep);
  CHECK(found != today_.end());
  return static_cast<Place>(found - today_.begin());
}

}  // namespace seriesdb
