#include "query/series_choice.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "query/fold/group_cell.h"
#include "query/samples/column_reader.h"

namespace seriesdb {
namespace {

// Records the place of each series in the expressions' columns. REQUIRES: series by id.
void notePlaces(const SeriesIndex& index, QueryRequest& request) {
  const auto& ids = std::get<std::vector<SeriesId>>(request.series);
  std::unordered_map<SeriesId, std::uint32_t> placeOf;
  for (std::uint32_t place = 0; place < ids.size(); ++place) placeOf.emplace(ids[place], place);
  ReadPlan& plan = request.plan.read;
  for (const SeriesRef ref : plan.refs) plan.places.push_back(placeOf.at(index.idOf(ref)));
}

// Only aggregates over neighbouring samples depend on the kind `counter`.
void noteKinds(const SeriesIndex& index, AggregatePlan& plan) {
  const auto needsKind = [](const AggregateColumn& column) {
    return Needs::of({column}, column.argument).increase;
  };
  if (std::none_of(plan.aggregates.begin(), plan.aggregates.end(), needsKind)) return;
  std::unordered_map<std::string_view, bool> known;
  for (const SeriesRef ref : plan.read.refs) {
    const std::string_view name = index.nameOf(ref);
    const auto [found, isNew] = known.try_emplace(name, false);
    if (isNew) found->second = index.descriptorOf(name).kind == "counter";
    plan.isCounter.push_back(found->second);
  }
}

}  // namespace

std::optional<std::vector<SeriesRef>> findSeries(const SeriesIndex& index,
                                                 const QueryRequest& request, bool isQuick) {
  if (const auto* filter = std::get_if<SeriesFilter>(&request.series)) {
    if (isQuick) return index.selectFew(*filter);
    return index.select(*filter);
  }
  const auto& ids = std::get<std::vector<SeriesId>>(request.series);
  if (isQuick && ids.size() > kFewLookups) return std::nullopt;
  const bool isOfColumns = request.answer == QueryAnswer::kColumns;
  std::vector<SeriesRef> refs;
  refs.reserve(ids.size());
  for (const SeriesId id : ids) {
    const auto ref = index.findById(id);
    if (ref || isOfColumns) refs.push_back(ref.value_or(ColumnReader::kNoSeries));
  }
  if (!isOfColumns) {
    std::sort(refs.begin(), refs.end());
    refs.erase(std::unique(refs.begin(), refs.end()), refs.end());
  }
  return refs;
}

Status takeSeries(const Engine& engine, const SeriesIndex& index, QueryRequest& request,
                  QueryMemory& memory, QueryStats& stats) {
  std::vector<SeriesRef>& refs = request.plan.read.refs;
  stats.seriesSelected = refs.size();
  if (refs.empty() && request.answer != QueryAnswer::kColumns) {
    // All samples of the series may be in a damaged segment.
    const auto readable = engine.pinView(request.plan.read.hull());
    if (!readable.ok()) return readable.status();
    return {StatusCode::kSeriesNotFound, "the selector matches no series"};
  }
  if (refs.size() > request.seriesMax) {
    return {StatusCode::kQueryLimit, "the query reads more than max_query_series = " +
                                         std::to_string(request.seriesMax) + " series"};
  }
  const bool isFound = std::holds_alternative<SeriesFilter>(request.series);
  const bool isOfColumns = request.answer == QueryAnswer::kColumns;
  if (request.answer == QueryAnswer::kRows || (isOfColumns && isFound)) {
    index.sortById(refs, refs.size());
  }
  if (refs.size() == 1 && refs[0] != ColumnReader::kNoSeries) {
    std::vector<Label> labels;
    index.labelsOf(refs[0], labels);
    stats.labelCount = labels.size();
  }
  const Status held = memory.hold(refs.capacity() * sizeof(refs[0]));
  if (!held.ok()) return held;
  if (request.hasColumns()) notePlaces(index, request);
  if (request.answer == QueryAnswer::kGroups) noteKinds(index, request.plan);
  return Status::okStatus();
}

}  // namespace seriesdb
