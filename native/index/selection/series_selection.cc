#include "index/selection/series_selection.h"

#include <utility>

#include "index/selection/selection.h"

namespace seriesdb {
namespace {

// The most checks of a series against a part of the filter in selectFewSeries().
constexpr std::size_t kFewQuestions = 1024;

}  // namespace

std::vector<SeriesRef> selectSeries(const SeriesTables& tables, const SeriesFilter& filter,
                                    std::vector<SeriesRef> ofIds) {
  const SeriesSelection selection(tables, filter, SIZE_MAX);
  return selection.keep(filter.ids ? std::move(ofIds) : selection.candidates());
}

std::optional<std::vector<SeriesRef>> selectFewSeries(const SeriesTables& tables,
                                                      const SeriesFilter& filter,
                                                      std::vector<SeriesRef> ofIds) {
  const std::size_t termCount = filter.terms.size() + filter.required.size();
  std::size_t lookups = filter.name.names.size() + termCount;
  for (const LabelTerm& term : filter.terms) lookups += term.values.size();
  for (const LabelTerm& term : filter.required) lookups += term.values.size();
  if (lookups > kFewLookups) return std::nullopt;
  const SeriesSelection selection(tables, filter, kFewLookups);
  const std::size_t most = kFewQuestions / (1 + termCount);
  const std::size_t count = filter.ids ? ofIds.size() : selection.candidateCount();
  if (!selection.hasAllNames() || count > most) return std::nullopt;
  return selection.keep(filter.ids ? std::move(ofIds) : selection.candidates());
}

}  // namespace seriesdb
