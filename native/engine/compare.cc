#include "engine/compare.h"

#include <cmath>
#include <utility>

#include "base/json_number.h"
namespace seriesdb {
namespace {

constexpr std::string_view kDefaultKind = "gauge";

void appendWindow(std::string& out, TimeRange range, const WindowAggregate& window) {
  out += "{\"start\":";
  appendInteger(out, range.start);
  out += ",\"end\":";
  appendInteger(out, range.end);
  out += ",\"samples\":" + std::to_string(window.sampleCount) + ",\"value\":";
  appendValue(out, window.value.value_or(NAN));
  out += '}';
}

void appendSeries(std::string& out, const SeriesDefinition& series) {
  out += "{\"series_id\":" + std::to_string(series.id) + ",\"metric\":";
  appendJsonString(out, series.name);
  out += ",\"labels\":";
  appendCanonicalLabels(out, viewsOf(series.labels));
}

}  // namespace

Result<std::string> compareWindows(const EngineState& state, const Comparison& comparison) {
  const auto index = state.index.current();
  const auto found = selectSeries(*index, comparison.selector);
  if (!found.ok()) return found.status();
  // Before the look at `found`: all samples of the series may be in a damaged segment.
  const auto view = state.view.current();
  for (const TimeRange range : {comparison.current, comparison.baseline}) {
    Status readable = checkReadable(*view, range);
    if (!readable.ok()) return readable;
  }
  if (!found.value()) return Status(StatusCode::kSeriesNotFound, "no series matches the selector");
  const SeriesRef ref = *found.value();
  const SeriesDefinition series = index->definition(ref);
  const std::string kind =
      index->descriptorOf(series.name).kind.value_or(std::string(kDefaultKind));
  const auto aggregate = [&](TimeRange range) {
    return aggregateWindow(MergeCursor(view, ref, range), comparison.aggregate, kind == "counter");
  };
  const auto current = aggregate(comparison.current);
  if (!current.ok()) return current.status();
  const auto baseline = aggregate(comparison.baseline);
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
  const double before = baseline.value().value.value_or(NAN);
  const double change = current.value().value.value_or(NAN) - before;
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
  auto text = compareWindows(state_, comparison_);
  if (!text.ok()) return text.status();
  piece = std::move(text).value();
  return Status::okStatus();
}

}  // namespace seriesdb
