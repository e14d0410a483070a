#include "query/query_request.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "model/timestamp_unit.h"

namespace seriesdb {
namespace {

void sortById(const SeriesIndex& index, std::vector<SeriesRef>& refs) {
  std::vector<std::pair<SeriesId, SeriesRef>> pairs;
  pairs.reserve(refs.size());
  for (const SeriesRef ref : refs) pairs.emplace_back(index.idOf(ref), ref);
  std::sort(pairs.begin(), pairs.end());
  for (std::size_t i = 0; i < refs.size(); ++i) refs[i] = pairs[i].second;
}

bool needsOrder(const QueryRequest& request) {
  if (request.answer == QueryAnswer::kRows) return true;
  const auto& keys = request.plan.keys;
  return request.answer == QueryAnswer::kGroups &&
         std::any_of(keys.begin(), keys.end(),
                     [](const GroupKey& key) { return key.kind == KeyKind::kSeriesId; });
}

TimeRange hullOf(const std::vector<TimeRange>& ranges) {
  if (ranges.empty()) return {0, -1};
  return {ranges.front().start, ranges.back().end};
}

}  // namespace

Status QueryReader::selectSeries(QueryRequest& request) {
  const SeriesIndex& index = engine_.index();
  std::vector<SeriesRef>& refs = request.plan.read.refs;
  if (const auto* ids = std::get_if<std::vector<SeriesId>>(&request.series)) {
    for (const SeriesId id : *ids) {
      const auto ref = index.findById(id);
      if (ref || request.answer == QueryAnswer::kColumns) {
        refs.push_back(ref.value_or(ColumnReader::kNoSeries));
      }
    }
    if (request.answer != QueryAnswer::kColumns) {
      std::sort(refs.begin(), refs.end());
      refs.erase(std::unique(refs.begin(), refs.end()), refs.end());
    }
  } else {
    refs = index.select(std::get<SeriesFilter>(request.series));
  }
  if (refs.empty() && request.answer != QueryAnswer::kColumns) {
    return {StatusCode::kSeriesNotFound, "the selector matches no series"};
  }
  if (refs.size() > request.seriesMax) {
    return {StatusCode::kQueryLimit, "the query reads more than max_query_series = " +
                                         std::to_string(request.seriesMax) + " series"};
  }
  if (needsOrder(request)) sortById(index, refs);
  selected_.seriesSelected = refs.size();
  if (refs.size() == 1 && refs[0] != ColumnReader::kNoSeries) {
    std::vector<Label> labels;
    index.labelsOf(refs[0], labels);
    selected_.labelCount = labels.size();
  }
  return Status::okStatus();
}

// Counters matter only to aggregates over neighbours.
void QueryReader::noteKinds(AggregatePlan& plan) const {
  if (!Needs::of(plan.aggregates).increase) return;
  const SeriesIndex& index = engine_.index();
  std::unordered_map<std::string_view, bool> known;
  for (const SeriesRef ref : plan.read.refs) {
    const std::string_view name = index.nameOf(ref);
    const auto [found, isNew] = known.try_emplace(name, false);
    if (isNew) found->second = index.descriptorOf(name).kind == "counter";
    plan.isCounter.push_back(found->second);
  }
}

Result<std::unique_ptr<QueryReader>> QueryReader::open(Engine& engine, QueryRequest request) {
  std::unique_ptr<QueryReader> reader(new QueryReader(engine));
  const Status selected = reader->selectSeries(request);
  if (!selected.ok()) return selected;
  const TimeRange hull = hullOf(request.plan.read.ranges);
  auto view = engine.pinView(hull);
  if (!view.ok()) return view.status();
  if (request.answer == QueryAnswer::kColumns) {
    if (request.plan.read.ranges.empty()) request.plan.read.refs.clear();
    reader->columns_ = std::make_unique<ColumnReader>(std::move(view).value(),
                                                      std::move(request.plan.read.refs), hull);
    return reader;
  }
  if (request.answer == QueryAnswer::kRows) {
    auto rows =
        RowQuery::make(std::move(view).value(), std::move(request.plan.read), request.order);
    if (!rows.ok()) return rows.status();
    reader->rows_ = std::move(rows).value();
    reader->isShort_ = false;
    return reader;
  }
  request.plan.unitsPerSecond = unitsPerSecond(engine.options().unit);
  reader->noteKinds(request.plan);
  auto groups =
      AggregateQuery::make(std::move(view).value(), engine.index(), std::move(request.plan));
  if (!groups.ok()) return groups.status();
  reader->groups_ = std::move(groups).value();
  reader->isShort_ = reader->groups_->isShort();
  return reader;
}

Status QueryReader::next(QueryBatch& batch) {
  batch.isEnd = isDone_;
  if (isDone_) return Status::okStatus();
  Status status;
  if (columns_) {
    status = columns_->next(batch.columns);
    batch.isEnd = batch.columns.ts.empty();
  } else if (rows_) {
    status = rows_->next(batch.columns);
    batch.isEnd = batch.columns.ts.empty();
  } else {
    const auto post = [this](std::function<void()> task) { return engine_.post(std::move(task)); };
    batch.table = {};
    status = groups_->run(post, engine_.queryThreads(), batch.table);
    isDone_ = true;
  }
  isDone_ = isDone_ || batch.isEnd || !status.ok();
  return status;
}

void QueryReader::cancel() {
  if (columns_) columns_->cancel();
  if (groups_) groups_->cancel();
  if (rows_) rows_->cancel();
}

QueryStats QueryReader::stats() const {
  QueryStats stats = columns_ ? columns_->stats() : groups_ ? groups_->stats() : rows_->stats();
  stats.seriesSelected = selected_.seriesSelected;
  stats.labelCount = selected_.labelCount;
  return stats;
}

}  // namespace seriesdb
