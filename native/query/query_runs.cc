#include "query/query_runs.h"

#include <algorithm>
#include <span>
#include <utility>

namespace seriesdb {
namespace {

Threads threadsOf(Engine& engine, bool isShort) {
  return isShort ? Threads{} : engine.queryThreads();
}

void markTexts(QueryBatch& batch) {
  batch.isEnd = batch.texts.rowCount == 0 && batch.texts.leftOutCount == 0;
  batch.isLast = batch.isEnd || batch.texts.isLast;
}

void markColumns(QueryBatch& batch) {
  batch.isEnd = batch.columns.ts.empty();
  batch.isLast = batch.isEnd;
}

}  // namespace

Status ColumnRun::next(QueryBatch& batch) {
  Status status = columns_.next(batch.columns);
  markColumns(batch);
  return status;
}

Status ColumnTextRun::next(QueryBatch& batch) {
  Status status = text_.next(batch.texts);
  markTexts(batch);
  return status;
}

Status RowRun::next(QueryBatch& batch) {
  constexpr std::size_t kBatchRows = 4096;
  if (!lists_) {
    const Status read = rows_->read(threadsOf(engine_, isShort()));
    if (!read.ok()) return read;
    lists_.emplace(rows_->rows());
  }
  ColumnBatch& columns = batch.columns;
  columns = {};
  const std::span<const SampleRow> rows =
      lists_->left().first(std::min(lists_->left().size(), kBatchRows));
  for (const SampleRow& row : rows) {
    columns.ts.push_back(row.ts);
    columns.values.push_back(row.value);
    columns.series.push_back(row.place);
  }
  lists_->pass(rows.size());
  markColumns(batch);
  return Status::okStatus();
}

Status RowTextRun::next(QueryBatch& batch) {
  const Threads threads = threadsOf(engine_, rows_->isShort());
  if (!text_) {
    Status status = rows_->read(threads);
    if (!status.ok()) return status;
    text_.emplace(rows_->rows(), frames_);
  }
  text_->next(batch.texts, threads);
  markTexts(batch);
  return Status::okStatus();
}

Status GroupRun::next(QueryBatch& batch) {
  batch.table = {};
  batch.isEnd = batch.isLast = isRead_;
  if (isRead_) return Status::okStatus();
  isRead_ = true;
  return groups_->run(threadsOf(engine_, isShort_), batch.table);
}

Status GroupTextRun::next(QueryBatch& batch) {
  const Threads threads = threadsOf(engine_, isShort());
  if (!text_) {
    ResultTable table;
    const Status status = groups_->run(threads, table);
    batch.isEnd = batch.isLast = groups_->isLeft();
    if (!status.ok() || batch.isLast) return status;
    text_.emplace(std::move(table), std::move(plan_));
  }
  text_->next(batch.texts, threads);
  markTexts(batch);
  return Status::okStatus();
}

Status ListRun::next(QueryBatch& batch) {
  const Status status = list_.next(batch.texts);
  markTexts(batch);
  return status.ok() ? memory_.hold(list_.memoryBytes()) : status;
}

}  // namespace seriesdb
