#include "query/answers/compare.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "common/base/numbers/json_number.h"
#include "query/aggregate_query.h"

namespace seriesdb {
namespace {

constexpr std::string_view kDefaultKind = "gauge";

// The fold of each aggregate, in the order of the enumeration.
struct Fold {
  std::string_view name;
  AggregateKind kind;
};
constexpr std::array<Fold, 7> kFolds = {{{"last", AggregateKind::kLast},
                                         {"avg", AggregateKind::kAvg},
                                         {"sum", AggregateKind::kSum},
                                         {"min", AggregateKind::kMin},
                                         {"max", AggregateKind::kMax},
                                         {"count", AggregateKind::kCount},
                                         {"delta", AggregateKind::kDelta}}};

struct Window {
  std::int64_t sampleCount = 0;
  double value = NAN;  // NaN if there is no value.
};

// One series with the view and the index to read it from.
struct OneSeries {
  PinnedView view;
  PinnedIndex index;
  SeriesRef ref;
  bool isCounter;
};

Result<Window> readWindow(const OneSeries& series, TimeRange range, Aggregate aggregate) {
  AggregatePlan plan;
  plan.read.refs = {series.ref};
  plan.read.ranges = {range};
  plan.isCounter = {series.isCounter};
  plan.aggregates = {{AggregateKind::kRows}, {kFolds[static_cast<std::size_t>(aggregate)].kind}};
  auto query = AggregateQuery::make(series.view, series.index, std::move(plan));
  if (!query.ok()) return query.status();
  ResultTable table;
  const Status done = query.value()->run({}, table);
  if (!done.ok()) return done;
  if (table.rowCount == 0) return Window();
  const ResultColumn& column = table.columns[1];
  return Window{table.columns[0].integers[0], aggregate == Aggregate::kCount
                                                  ? static_cast<double>(column.integers[0])
                                                  : column.doubles[0]};
}

void appendWindow(std::string& out, TimeRange range, const Window& window) {
  out += "{\"start\":";
  appendInteger(out, range.start);
  out += ",\"end\":";
  appendInteger(out, range.end);
  out += ",\"samples\":" + std::to_string(window.sampleCount) + ",\"value\":";
  appendValue(out, window.value);
  out += '}';
}

void appendSeries(std::string& out, const SeriesDefinition& series) {
  out += "{\"series_id\":" + std::to_string(series.id) + ",\"metric\":";
  appendJsonString(out, series.name);
  out += ",\"labels\":";
  appendCanonicalLabels(out, viewsOf(series.labels));
}

}  // namespace

std::string_view aggregateName(Aggregate aggregate) {
  return kFolds[static_cast<std::size_t>(aggregate)].name;
}

std::optional<Aggregate> aggregateFromName(std::string_view name) {
  const auto* const found =
      std::find_if(kFolds.begin(), kFolds.end(), [&](const Fold& one) { return one.name == name; });
  if (found == kFolds.end()) return std::nullopt;
  return static_cast<Aggregate>(found - kFolds.begin());
}

Result<std::string> compareWindows(const Engine& engine, const Comparison& comparison) {
  const auto index = engine.index();
  const auto found = selectSeries(*index, comparison.selector);
  if (!found.ok()) return found.status();
  // Check before `found` is used: all samples of the series may be in a damaged segment.
  const auto view = engine.pinFiles();
  for (const TimeRange range : {comparison.current, comparison.baseline}) {
    Status readable = checkReadable(*view, range);
    if (!readable.ok()) return readable;
  }
  if (!found.value()) return Status(StatusCode::kSeriesNotFound, "no series matches the selector");
  const SeriesRef ref = *found.value();
  const SeriesDefinition series = index->definition(ref);
  const std::string kind =
      index->descriptorOf(series.name).kind.value_or(std::string(kDefaultKind));
  const OneSeries one{view, index, ref, kind == "counter"};
  const auto current = readWindow(one, comparison.current, comparison.aggregate);
  if (!current.ok()) return current.status();
  const auto baseline = readWindow(one, comparison.baseline, comparison.aggregate);
  if (!baseline.ok()) return baseline.status();

  std::string out;
  appendSeries(out, series);
  out.append(",\"aggregate\":\"").append(aggregateName(comparison.aggregate));
  out += "\",\"metric_kind\":";
  appendJsonString(out, kind);
  out += ",\"current\":";
  appendWindow(out, comparison.current, current.value());
  out += ",\"baseline\":";
  appendWindow(out, comparison.baseline, baseline.value());
  const double before = baseline.value().value;
  const double change = current.value().value - before;
  out += ",\"change_abs\":";
  appendValue(out, change);
  out += ",\"change_pct\":";
  appendValue(out, before == 0 ? NAN : change / before * 100);
  out += '}';
  return out;
}

Status CompareReader::next(std::string& piece) {
  piece.clear();
  if (std::exchange(isDone_, true)) return Status::okStatus();
  auto text = compareWindows(engine_, comparison_);
  if (!text.ok()) return text.status();
  piece = std::move(text).value();
  return Status::okStatus();
}

}  // namespace seriesdb
