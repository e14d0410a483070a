#include "query/query_request.h"

namespace seriesdb {
namespace {

// A list of texts has one column, place 0.
Status checkListText(const QueryRequest& request) {
  const TextPlan& text = *request.text;
  for (const TextColumn& column : text.columns) {
    const bool isOfSamples =
        column.kind == TextColumn::Kind::kTime || column.kind == TextColumn::Kind::kValue;
    const bool isOfSeries = column.kind != TextColumn::Kind::kPlace && !isOfSamples;
    const bool isKnown = request.list.of == ListPlan::Of::kSeries
                             ? isOfSeries
                             : column.kind == TextColumn::Kind::kPlace && column.place == 0;
    if (!isKnown) return Status::invalid("the text names an unknown column");
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
      return Status::invalid("the text names an unknown column");
    }
  }
  for (const TextOrderKey& key : text.order) {
    if (key.place >= width) return Status::invalid("the order names an unknown column");
  }
  const bool isCut = text.offset != 0 || text.limit != UINT64_MAX || !text.order.empty();
  if (!isTable && isCut) return Status::invalid("raw rows are ordered and cut by their query");
  return Status::okStatus();
}

}  // namespace

bool QueryRequest::hasColumns() const {
  return plan.read.condition.hasColumns() || plan.arguments.hasColumns() ||
         plan.keyValues.hasColumns() || !plan.keyColumns.empty() || order.expressions.hasColumns();
}

Status QueryRequest::check() const {
  if (text) {
    const Status checked = checkText(*this);
    if (!checked.ok()) return checked;
  }
  if (std::holds_alternative<SeriesFilter>(series) && hasColumns()) {
    return Status::invalid("columns need series chosen by id");
  }
  const Expression& condition = plan.read.condition;
  if (!condition.isEmpty() &&
      (condition.outputCount() != 1 || condition.outputType(0) != RegisterType::kBoolean)) {
    return Status::invalid("a condition must have one boolean output");
  }
  if (answer == QueryAnswer::kRows) return RowQuery::check(plan.read, order);
  if (answer == QueryAnswer::kGroups) return plan.check();
  return Status::okStatus();
}

}  // namespace seriesdb
