#include "query/query_request.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/clock.h"
#include "model/timestamp_unit.h"

namespace seriesdb {
namespace {

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

bool hasColumns(const QueryRequest& request) {
  return request.plan.read.condition.hasColumns() || request.plan.arguments.hasColumns() ||
         request.plan.keyValues.hasColumns() || !request.plan.keyColumns.empty() ||
         request.order.expressions.hasColumns();
}

}  // namespace

Status QueryReader::check(const QueryRequest& request) {
  if (request.text) {
    const Status checked = checkText(request);
    if (!checked.ok()) return checked;
  }
  const bool isByFilter = std::holds_alternative<SeriesFilter>(request.series);
  if (isByFilter && hasColumns(request)) {
    return Status::invalid("columns need series that are named by id");
  }
  if (request.answer == QueryAnswer::kRows) {
    return RowQuery::check(request.plan.read, request.order);
  }
  if (request.answer == QueryAnswer::kGroups) return request.plan.check();
  return Status::okStatus();
}

Result<std::unique_ptr<QueryReader>> QueryReader::make(Engine& engine, QueryRequest request) {
  request.plan.unitsPerSecond = unitsPerSecond(engine.options().unit);
  request.plan.read.limits.countedIn = &engine;
  const Status checked = check(request);
  if (!checked.ok()) return checked;
  std::unique_ptr<QueryReader> reader(new QueryReader(engine, std::move(request)));
  if (reader->request_.answer == QueryAnswer::kList) reader->openList();
  return reader;
}

void QueryReader::openList() {
  if (auto* ids = std::get_if<std::vector<SeriesId>>(&request_.series)) {
    request_.list.filter.ids = std::move(*ids);
  } else {
    request_.list.filter = std::move(std::get<SeriesFilter>(request_.series));
  }
  list_ = std::make_unique<ListQuery>(index_, std::move(request_.list),
                                      std::move(*request_.text));
  constexpr std::uint32_t kShortSeries = 64;
  isShort_ = index_.visibleCount() <= kShortSeries;
  hasBegun_ = true;
}

// Null where `isQuick` and there may be many to look at.
std::optional<std::vector<SeriesRef>> QueryReader::findSeries(bool isQuick) const {
  if (const auto* filter = std::get_if<SeriesFilter>(&request_.series)) {
    if (isQuick) return index_.selectFew(*filter);
    return index_.select(*filter);
  }
  const auto& ids = std::get<std::vector<SeriesId>>(request_.series);
  if (isQuick && ids.size() > kFewLookups) return std::nullopt;
  std::vector<SeriesRef> refs;
  refs.reserve(ids.size());
  for (const SeriesId id : ids) {
    const auto ref = index_.findById(id);
    if (ref || request_.answer == QueryAnswer::kColumns) {
      refs.push_back(ref.value_or(ColumnReader::kNoSeries));
    }
  }
  if (request_.answer != QueryAnswer::kColumns) {
    std::sort(refs.begin(), refs.end());
    refs.erase(std::unique(refs.begin(), refs.end()), refs.end());
  }
  return refs;
}

bool QueryReader::isShort() {
  if (!hasBegun_ && request_.answer != QueryAnswer::kColumns) {
    const std::uint64_t start = monotonicNanos();
    auto refs = findSeries(true);
    if (refs) begin(std::move(*refs), start);
  }
  return isShort_ || isDone_ || !begun_.ok();
}

// `startNanos` is when the selection began.
void QueryReader::begin(std::vector<SeriesRef> refs, std::uint64_t startNanos) {
  hasBegun_ = true;
  begun_ = takeSeries(std::move(refs));
  if (begun_.ok() && request_.isOfOneSeries && stats_.seriesSelected > 1) {
    isDone_ = true;
  } else if (begun_.ok()) {
    begun_ = open();
  }
  request_.series.emplace<std::vector<SeriesId>>();
  stats_.selectNanos = monotonicNanos() - startNanos;
}

Status QueryReader::takeSeries(std::vector<SeriesRef> refs) {
  stats_.seriesSelected = refs.size();
  if (refs.empty() && request_.answer != QueryAnswer::kColumns) {
    // All samples of the series may be in a damaged segment.
    const auto readable = engine_.pinView(request_.plan.read.hull());
    if (!readable.ok()) return readable.status();
    return {StatusCode::kSeriesNotFound, "the selector matches no series"};
  }
  if (refs.size() > request_.seriesMax) {
    return {StatusCode::kQueryLimit, "the query reads more than max_query_series = " +
                                         std::to_string(request_.seriesMax) + " series"};
  }
  if (request_.answer == QueryAnswer::kRows) index_.sortById(refs, refs.size());
  if (refs.size() == 1 && refs[0] != ColumnReader::kNoSeries) {
    std::vector<Label> labels;
    index_.labelsOf(refs[0], labels);
    stats_.labelCount = labels.size();
  }
  const Status held = memory_.hold(refs.capacity() * sizeof(refs[0]));
  if (!held.ok()) return held;
  request_.plan.read.refs = std::move(refs);
  if (hasColumns(request_)) notePlaces();
  return Status::okStatus();
}

// Where the columns of expressions hold the value of each series. REQUIRES: series by id.
void QueryReader::notePlaces() {
  const auto& ids = std::get<std::vector<SeriesId>>(request_.series);
  std::unordered_map<SeriesId, std::uint32_t> placeOf;
  for (std::uint32_t place = 0; place < ids.size(); ++place) placeOf.emplace(ids[place], place);
  ReadPlan& plan = request_.plan.read;
  for (const SeriesRef ref : plan.refs) {
    plan.places.push_back(placeOf.at(index_.idOf(ref)));
  }
}

// Counters matter only to aggregates over neighbours.
void QueryReader::noteKinds() {
  AggregatePlan& plan = request_.plan;
  const auto needsKind = [](const AggregateColumn& column) {
    return Needs::of({column}, column.argument).increase;
  };
  if (std::none_of(plan.aggregates.begin(), plan.aggregates.end(), needsKind)) return;
  std::unordered_map<std::string_view, bool> known;
  for (const SeriesRef ref : plan.read.refs) {
    const std::string_view name = index_.nameOf(ref);
    const auto [found, isNew] = known.try_emplace(name, false);
    if (isNew) found->second = index_.descriptorOf(name).kind == "counter";
    plan.isCounter.push_back(found->second);
  }
}

Status QueryReader::open() {
  if (request_.answer == QueryAnswer::kGroups) return openGroups();
  const TimeRange hull = request_.plan.read.hull();
  auto view = engine_.pinView(hull);
  if (!view.ok()) return view.status();
  if (request_.answer == QueryAnswer::kRows) return openRows(std::move(view).value());
  return openColumns(std::move(view).value(), hull);
}

Status QueryReader::openColumns(PinnedView view, TimeRange hull) {
  ReadPlan& plan = request_.plan.read;
  if (plan.ranges.empty()) plan.refs.clear();
  auto columns = std::make_unique<ColumnReader>(std::move(view), std::move(plan.refs), hull);
  const std::lock_guard lock(mutex_);
  columns_ = std::move(columns);
  return Status::okStatus();
}

Status QueryReader::openRows(PinnedView view) {
  std::vector<SeriesRef> refs;
  if (request_.text) refs = request_.plan.read.refs;
  auto rows =
      RowQuery::make(std::move(view), std::move(request_.plan.read), std::move(request_.order));
  if (!rows.ok()) return rows.status();
  const std::lock_guard lock(mutex_);
  rows_ = std::move(rows).value();
  isShort_ = rows_->isShort();
  if (request_.text) {
    sampleText_ = std::make_unique<SampleText>(*rows_, index_, std::move(refs),
                                               std::move(*request_.text));
  }
  return Status::okStatus();
}

Status QueryReader::openGroups() {
  noteKinds();
  auto groups = AggregateQuery::make(engine_, *pinned_, std::move(request_.plan));
  if (!groups.ok()) return groups.status();
  text_ = std::move(request_.text);
  isShort_ = groups.value()->isShort();
  const std::lock_guard lock(mutex_);
  groups_ = std::move(groups).value();
  return Status::okStatus();
}

Status QueryReader::next(QueryBatch& batch) {
  if (!hasBegun_) {
    const std::uint64_t start = monotonicNanos();
    begin(*findSeries(false), start);
  }
  batch.isEnd = isDone_;
  if (isDone_) return Status::okStatus();
  Status status = begun_;
  if (!status.ok()) {
    isDone_ = true;
    return status;
  }
  // Those that came before there was something to cancel.
  if (isCancelled_.load(std::memory_order_relaxed)) {
    return {StatusCode::kClosed, "the query was cancelled"};
  }
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
  return groups_->run(post(), threadCount(), table);
}

PostTask QueryReader::post() const {
  return [this](std::function<void()> task) { return engine_.post(std::move(task)); };
}

std::size_t QueryReader::threadCount() const { return isShort_ ? 1 : engine_.queryThreads(); }

// Only the first piece takes long: it comes with all the reading.
Status QueryReader::nextTexts(RowTexts& texts) {
  if (sampleText_) return sampleText_->next(texts);
  if (list_) {
    const Status status = list_->next(texts);
    return status.ok() ? memory_.hold(list_->memoryBytes()) : status;
  }
  if (!tableText_) {
    ResultTable table;
    const Status status = runGroups(table);
    if (!status.ok()) return status;
    tableText_ = std::make_unique<TableText>(std::move(table), std::move(*text_));
  }
  tableText_->next(texts, post(), threadCount());
  isShort_ = tableText_->hasPrinted();
  // What was read is not held until the reader is collected.
  if (texts.isLast) tableText_.reset();
  return Status::okStatus();
}

void QueryReader::cancel() {
  const std::lock_guard lock(mutex_);
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
  pinned_.reset();
  memory_.giveBack();
}

QueryStats QueryReader::stats() const {
  if (list_) return list_->stats();
  if (!columns_ && !groups_ && !rows_) return stats_;
  QueryStats stats = columns_ ? columns_->stats() : groups_ ? groups_->stats() : rows_->stats();
  stats.seriesSelected = stats_.seriesSelected;
  stats.labelCount = stats_.labelCount;
  stats.selectNanos = stats_.selectNanos;
  return stats;
}

}  // namespace seriesdb
