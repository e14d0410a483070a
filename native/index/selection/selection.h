// A filter resolved in the index: the lists that give the candidates, and the conditions left to
// check for each candidate. Internal to index/selection/.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "index/selection/filter_condition.h"
#include "index/selection/series_filter.h"
#include "index/series_tables.h"

namespace seriesdb {

class SeriesSelection {
 public:
  // For a prefix, looks at about `namesMax` names at most.
  SeriesSelection(const SeriesTables& tables, const SeriesFilter& filter, std::size_t namesMax);
  bool hasAllNames() const { return hasAllNames_; }
  // An upper bound of the number of candidates.
  std::size_t candidateCount() const;
  // A superset of the answer, as small as the lists allow.
  std::vector<SeriesRef> candidates() const;
  // The candidates that match.
  std::vector<SeriesRef> keep(std::vector<SeriesRef> refs) const;

 private:
  void resolveName(const NameFilter& filter, std::size_t namesMax);
  void resolvePrefix(std::string_view prefix, std::size_t namesMax);
  void chooseSources();
  // Appends the resolved term.
  void resolveTerm(const LabelTerm& term, std::vector<TermCondition>& conditions);
  std::vector<SeriesRef> unionOf(std::span<const FilterCondition* const> conditions) const;
  bool isNameAccepted(SeriesRef ref) const {
    return !hasName_ || name_.holds(tables_.series[ref].name);
  }
  // True if every candidate is known to meet the condition.
  bool isSource(const FilterCondition& condition) const {
    return sources_.size() == 1 && sources_[0] == &condition;
  }
  void keepNamed(std::vector<SeriesRef>& refs) const;
  void keepAll(std::vector<SeriesRef>& refs) const;
  void keepAny(std::vector<SeriesRef>& refs) const;

  const SeriesTables& tables_;
  // Read in this order: if they are equal, all series below created_ are visible.
  const std::uint32_t visible_;
  const std::uint32_t created_;
  const std::uint32_t held_;
  bool hasName_ = false;
  FilterCondition name_;
  bool hasAllNames_ = true;
  std::vector<TermCondition> all_;  // Each must hold.
  std::vector<TermCondition> any_;  // One must hold, if there are any.
  // The candidates come from their lists; if empty, from all series or from ids.
  std::vector<const FilterCondition*> sources_;
};

}  // namespace seriesdb
