#include "engine/window_aggregate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/compensated_sum.h"
#include "base/value_fold.h"

namespace seriesdb {
namespace {

constexpr std::array<std::string_view, 7> kNames = {"last", "avg",   "sum",  "min",
                                                    "max",  "count", "delta"};
constexpr std::size_t kPieceSamples = 8192;

// Everything that any of the aggregates needs.
struct Fold {
  std::uint64_t count = 0;
  double first = 0;
  double last = 0;
  ValueBounds bounds{};
  bool hasNan = false;
  CompensatedSum sum;
  CompensatedSum increase;

  void begin(double value) {
    first = value;
    bounds = {value, value};
  }
  void addBounds(const ValueBounds& added) {
    bounds.add(added);
    hasNan = hasNan || std::isnan(added.min);
  }
  void addSamples(std::span<const double> values) {
    for (const double value : values) {
      if (count == 0) {
        begin(value);
      } else {
        increase.add(value < last ? value : value - last);
      }
      ++count;
      addBounds({value, value});
      sum.add(value);
      last = value;
    }
  }
  // Leaves `increase` behind, and `sum` where the summary does not have it exactly.
  void addSummary(const ChunkSummary& summary) {
    if (count == 0) begin(summary.first);
    count += summary.count;
    addBounds({summary.min, summary.max});
    if (summary.hasExactSum()) sum.add(summary.exactSum());
    last = summary.last;
  }
  double valueOf(Aggregate aggregate, bool isCounter) const {
    switch (aggregate) {
      case Aggregate::kLast:
        return last;
      case Aggregate::kAvg:
        return sum.total() / static_cast<double>(count);
      case Aggregate::kSum:
        return sum.total();
      case Aggregate::kMin:
        return hasNan ? NAN : bounds.min;
      case Aggregate::kMax:
        return hasNan ? NAN : bounds.max;
      case Aggregate::kCount:
        return static_cast<double>(count);
      case Aggregate::kDelta:
        return isCounter ? increase.total() : last - first;
    }
    return NAN;
  }
};

using Serves = bool (*)(const ChunkSummary&);

// Which summaries do instead of the samples.
Serves servesFor(Aggregate aggregate, bool isCounter) {
  switch (aggregate) {
    case Aggregate::kAvg:
    case Aggregate::kSum:
      return [](const ChunkSummary& summary) { return summary.hasExactSum(); };
    case Aggregate::kMin:
    case Aggregate::kMax:
      return [](const ChunkSummary& summary) { return summary.hasExactBounds(); };
    case Aggregate::kDelta:
      // Increases need each sample.
      if (isCounter) return [](const ChunkSummary&) { return false; };
      [[fallthrough]];
    default:
      return [](const ChunkSummary&) { return true; };
  }
}

}  // namespace

std::string_view aggregateName(Aggregate aggregate) {
  return kNames[static_cast<std::size_t>(aggregate)];
}

std::optional<Aggregate> aggregateFromName(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Aggregate>(found - kNames.begin());
}

Result<WindowAggregate> aggregateWindow(MergeCursor cursor, Aggregate aggregate, bool isCounter) {
  const Serves serves = servesFor(aggregate, isCounter);
  Fold fold;
  std::vector<Timestamp> ts;
  std::vector<double> values;
  for (;;) {
    if (const auto summary = cursor.takeWholeChunk(serves)) {
      fold.addSummary(*summary);
      continue;
    }
    ts.clear();
    values.clear();
    const auto read = cursor.nextPiece(kPieceSamples, ts, values);
    if (!read.ok()) return read.status();
    if (read.value() == 0) break;
    fold.addSamples(values);
  }
  WindowAggregate result{fold.count, std::nullopt};
  if (fold.count == 0) return result;
  const double value = fold.valueOf(aggregate, isCounter);
  if (std::isfinite(value)) result.value = value;
  return result;
}

}  // namespace seriesdb
