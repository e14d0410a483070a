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

// A list of texts has one column.
Status checkListText(const QueryRequest& request) {
  const TextPlan& text = *request.text;
  for (const TextColumn& column : text.columns) {
    const bool isOfSamples =
        column.kind == TextColumn::Kind::kTime || column.kind == TextColumn::Kind::kValue;
    const bool isOfSeries = column.kind != TextColumn::Kind::kPlace && !isOfSamples;
    const bool isKnown = request.list.of == ListPlan::Of::kSeries
                             ? isOfSeries
                             : column.kind == TextColumn::Kind::kPlace && column.place == 0;
    if (!isKnown) return Status::invalid("the text names a column that is not there");
  }
  if (!text.order.empty()) return Status::invalid("a list has its own order");
  return Status::okStatus();
}

Status checkText(const QueryRequest& request) {
  if (request.answer == QueryAnswer::kList) return checkListText(request);
  const TextPlan& text = *request.text;
  const bool isTable = request.answer == QueryAnswer::kGroups;
  const std::size_t width = request.plan.keys.size() + request.plan.aggregates.size();
  for (const TextColumn& column : text.columns) {
    const bool isOfTable = column.kind == TextColumn::Kind::kPlace;
    if (isOfTable != isTable || (isTable && column.place >= width)) {
      return Status::invalid("the text names a column that is not there");
    }
  }
  for (const TextOrderKey& key : text.order) {
    if (key.place >= width) return Status::invalid("the order names a column that is not there");
  }
  const bool isCut = text.offset != 0 || text.limit != UINT64_MAX || !text.order.empty();
  if (!isTable && isCut) return Status::invalid("raw rows are ordered and cut by their query");
  return Status::okStatus();
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
  if (request.answer == QueryAnswer::kRows) sortById(index, refs);
  stats_.seriesSelected = refs.size();
  if (refs.size() == 1 && refs[0] != ColumnReader::kNoSeries) {
    std::vector<Label> labels;
    index.labelsOf(refs[0], labels);
    stats_.labelCount = labels.size();
  }
  return Status::okStatus();
}

// Where the columns of expressions hold the value of each series.
Status QueryReader::notePlaces(QueryRequest& request) const {
  ReadPlan& plan = request.plan.read;
  if (!plan.condition.hasColumns() && !request.plan.arguments.hasColumns() &&
      !request.plan.keyValues.hasColumns() && !request.order.expressions.hasColumns()) {
    return Status::okStatus();
  }
  const auto* ids = std::get_if<std::vector<SeriesId>>(&request.series);
  if (ids == nullptr) return Status::invalid("columns need series that are named by id");
  std::unordered_map<SeriesId, std::uint32_t> placeOf;
  for (std::uint32_t place = 0; place < ids->size(); ++place) placeOf.emplace((*ids)[place], place);
  for (const SeriesRef ref : plan.refs) {
    plan.places.push_back(placeOf.at(engine_.index().idOf(ref)));
  }
  return Status::okStatus();
}

// Counters matter only to aggregates over neighbours.
void QueryReader::noteKinds(AggregatePlan& plan) const {
  const auto needsKind = [](const AggregateColumn& column) {
    return Needs::of({column}, column.argument).increase;
  };
  if (std::none_of(plan.aggregates.begin(), plan.aggregates.end(), needsKind)) return;
  const SeriesIndex& index = engine_.index();
  std::unordered_map<std::string_view, bool> known;
  for (const SeriesRef ref : plan.read.refs) {
    const std::string_view name = index.nameOf(ref);
    const auto [found, isNew] = known.try_emplace(name, false);
    if (isNew) found->second = index.descriptorOf(name).kind == "counter";
    plan.isCounter.push_back(found->second);
  }
}

void QueryReader::openList(QueryRequest request) {
  if (auto* ids = std::get_if<std::vector<SeriesId>>(&request.series)) {
    request.list.filter.ids = std::move(*ids);
  } else {
    request.list.filter = std::move(std::get<SeriesFilter>(request.series));
  }
  list_ = std::make_unique<ListQuery>(engine_.index(), std::move(request.list),
                                      std::move(*request.text));
  constexpr std::uint32_t kShortSeries = 64;
  isShort_ = engine_.index().visibleCount() <= kShortSeries;
}

Result<std::unique_ptr<QueryReader>> QueryReader::open(Engine& engine, QueryRequest request) {
  if (request.text) {
    const Status checked = checkText(request);
    if (!checked.ok()) return checked;
  }
  std::unique_ptr<QueryReader> reader(new QueryReader(engine));
  if (request.answer == QueryAnswer::kList) {
    reader->openList(std::move(request));
    return reader;
  }
  const Status selected = reader->selectSeries(request);
  if (!selected.ok()) return selected;
  if (request.answer != QueryAnswer::kColumns) {
    const Status noted = reader->notePlaces(request);
    if (!noted.ok()) return noted;
  }
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
    std::vector<SeriesRef> refs;
    if (request.text) refs = request.plan.read.refs;
    auto rows = RowQuery::make(std::move(view).value(), std::move(request.plan.read),
                               std::move(request.order));
    if (!rows.ok()) return rows.status();
    reader->rows_ = std::move(rows).value();
    reader->isShort_ = reader->rows_->isShort();
    if (request.text) {
      reader->sampleText_ = std::make_unique<SampleText>(*reader->rows_, engine.index(),
                                                         std::move(refs), std::move(*request.text));
    }
    return reader;
  }
  request.plan.unitsPerSecond = unitsPerSecond(engine.options().unit);
  reader->noteKinds(request.plan);
  auto groups =
      AggregateQuery::make(std::move(view).value(), engine.index(), std::move(request.plan));
  if (!groups.ok()) return groups.status();
  reader->groups_ = std::move(groups).value();
  reader->isShort_ = reader->groups_->isShort();
  reader->text_ = std::move(request.text);
  return reader;
}

Status QueryReader::next(QueryBatch& batch) {
  batch.isEnd = isDone_;
  if (isDone_) return Status::okStatus();
  Status status;
  if (text_ || sampleText_ || list_) {
    status = nextTexts(batch.texts);
    batch.isEnd = batch.texts.rowCount == 0;
    isDone_ = batch.texts.isLast;
  } else if (columns_) {
    status = columns_->next(batch.columns);
    batch.isEnd = batch.columns.ts.empty();
  } else if (rows_) {
    status = rows_->next(batch.columns);
    batch.isEnd = batch.columns.ts.empty();
  } else {
    batch.table = {};
    status = runGroups(batch.table);
    isDone_ = true;
  }
  isDone_ = isDone_ || batch.isEnd || !status.ok();
  return status;
}

Status QueryReader::runGroups(ResultTable& table) {
  const auto post = [this](std::function<void()> task) { return engine_.post(std::move(task)); };
  return groups_->run(post, engine_.queryThreads(), table);
}

// Only the first piece takes long: it comes with all the reading.
Status QueryReader::nextTexts(RowTexts& texts) {
  if (isCancelled_.load(std::memory_order_relaxed)) {
    return {StatusCode::kClosed, "the query was cancelled"};
  }
  if (sampleText_) return sampleText_->next(texts);
  if (list_) return list_->next(texts);
  if (!tableText_) {
    ResultTable table;
    const Status status = runGroups(table);
    if (!status.ok()) return status;
    tableText_ = std::make_unique<TableText>(std::move(table), std::move(*text_));
  }
  tableText_->next(texts);
  // What was read is not held until the reader is collected.
  if (texts.isLast) tableText_.reset();
  isShort_ = false;
  return Status::okStatus();
}

void QueryReader::cancel() {
  isCancelled_.store(true, std::memory_order_relaxed);
  if (columns_) columns_->cancel();
  if (groups_) groups_->cancel();
  if (rows_) rows_->cancel();
  if (list_) list_->cancel();
}

void QueryReader::release() {
  stats_ = stats();
  tableText_.reset();
  sampleText_.reset();
  columns_.reset();
  groups_.reset();
  rows_.reset();
  list_.reset();
}

QueryStats QueryReader::stats() const {
  if (list_) return list_->stats();
  if (!columns_ && !groups_ && !rows_) return stats_;
  QueryStats stats = columns_ ? columns_->stats() : groups_ ? groups_->stats() : rows_->stats();
  stats.seriesSelected = stats_.seriesSelected;
  stats.labelCount = stats_.labelCount;
  return stats;
}

}  // namespace seriesdb
