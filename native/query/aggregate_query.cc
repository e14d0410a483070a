#include "query/aggregate_query.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "query/aggregate_part.h"
#include "query/group_rows.h"
#include "query/samples/read_cost.h"

namespace seriesdb {
namespace {

// The most values in an answer: 2^26, half a GiB.
constexpr std::uint64_t kCellsMax = std::uint64_t{1} << 26;
constexpr std::uint64_t kShortSamples = 16384;
constexpr std::uint64_t kShortCells = 4096;

}  // namespace

Result<std::unique_ptr<AggregateQuery>> AggregateQuery::make(const Engine& engine,
                                                             PinnedIndex index,
                                                             AggregatePlan plan) {
  const Status prepared = prepare(plan);
  if (!prepared.ok()) return prepared;
  auto reach = reachOf(engine, *index, plan.read);
  if (!reach.ok()) return reach.status();
  return std::make_unique<AggregateQuery>(Key{}, std::move(reach).value(), std::move(index),
                                          std::move(plan));
}

Result<std::unique_ptr<AggregateQuery>> AggregateQuery::make(PinnedView view, PinnedIndex index,
                                                             AggregatePlan plan) {
  const Status prepared = prepare(plan);
  if (!prepared.ok()) return prepared;
  Reach reach{plan.read.ranges, std::move(view)};
  return std::make_unique<AggregateQuery>(Key{}, std::move(reach), std::move(index),
                                          std::move(plan));
}

Status AggregateQuery::prepare(AggregatePlan& plan) {
  Status checked = plan.check();
  if (checked.ok() && plan.bucket) {
    plan.bucket->unitsPerSecond = plan.unitsPerSecond;
    plan.bucket->reduceOrigin();
  }
  return checked;
}

// No sample of the series lies outside their bounds, so an open range has few buckets.
//
// The bounds are read before the view is pinned. If a deletion happens between, the bounds are too
// wide, which is harmless. In the reverse order the view does not know the deletion. The bounds
// might then exclude a part of the deleted samples while the view shows the rest. A sample that
// arrives between may be missing from the answer.
Result<AggregateQuery::Reach> AggregateQuery::reachOf(const Engine& engine,
                                                      const SeriesIndex& index,
                                                      const ReadPlan& read) {
  TimeRange all{INT64_MAX, INT64_MIN};
  for (const SeriesRef ref : read.refs) {
    const auto bounds = index.boundsOf(ref);
    if (!bounds) continue;
    all = {std::min(all.start, bounds->start), std::max(all.end, bounds->end)};
  }
  std::vector<TimeRange> ranges;
  for (const TimeRange& range : read.ranges) {
    const TimeRange clipped{std::max(range.start, all.start), std::min(range.end, all.end)};
    if (clipped.start <= clipped.end) ranges.push_back(clipped);
  }
  auto view = engine.pinView(read.hull());
  if (!view.ok()) return view.status();
  return Reach{std::move(ranges), std::move(view).value()};
}

AggregateQuery::AggregateQuery(Key, Reach reach, PinnedIndex index, AggregatePlan plan)
    : view_(std::move(reach.view)),
      index_(std::move(index)),
      plan_(std::move(plan)),
      ranges_(std::move(reach.ranges)),
      memory_(plan_.read.limits) {
  bool isEndsOnly = !plan_.bucket && plan_.read.filter.isEmpty() &&
                    plan_.read.condition.isEmpty() && plan_.arguments.isEmpty() &&
                    plan_.keyValues.isEmpty() && !plan_.aggregates.empty();
  for (const AggregateColumn& column : plan_.aggregates) {
    wantsFirst_ = wantsFirst_ || column.kind == AggregateKind::kFirst;
    wantsLast_ = wantsLast_ || column.kind == AggregateKind::kLast;
    isEndsOnly =
        isEndsOnly && (column.kind == AggregateKind::kFirst || column.kind == AggregateKind::kLast);
  }
  if (!isEndsOnly) wantsFirst_ = wantsLast_ = false;
}

bool AggregateQuery::isShortIn(std::span<const TimeRange> ranges) const {
  if (!plan_.read.condition.isEmpty() || !plan_.arguments.isEmpty() || !plan_.keyValues.isEmpty()) {
    return false;
  }
  const auto cost = shortCostOf(*view_, plan_.read.refs, ranges, plan_.read.hull());
  if (!cost || cost->memorySamples > kShortSamples) return false;
  // Percentiles and distinct counts hold and sort every value.
  if (cost->samples > kShortSamples && Needs::of(plan_.aggregates).values) return false;
  const auto [first, last] = bucketSpan(plan_, ranges);
  const std::uint64_t buckets =
      static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
  return cost->samples <= kShortCells || (buckets < kShortCells / plan_.read.refs.size());
}

bool AggregateQuery::beginShort() {
  const auto wanted = static_cast<std::uint64_t>(std::abs(plan_.bucketsMax));
  const auto window = isNarrowed() ? newest(wanted) : std::nullopt;
  isOnlyBegun_ = window.has_value();
  return window ? isShortIn({&*window, 1}) : isShort();
}

// A bucket without a start, at an end of time, sorts last in either direction. If the ranges reach
// such a bucket, all buckets are folded and the answer is cut afterwards.
bool AggregateQuery::isNarrowed() const {
  if (plan_.bucketsMax == 0 || ranges_.size() != 1) return false;
  return hasStart(*plan_.bucket, bucketOf(*plan_.bucket, ranges_[0].start)) &&
         hasStart(*plan_.bucket, bucketOf(*plan_.bucket, ranges_[0].end));
}

Status AggregateQuery::run(const Threads& threads, ResultTable& table) {
  groups_ = groupSeries(*index_, plan_);
  const auto hasBucketStart = [this](std::int64_t bucket) {
    return hasStart(*plan_.bucket, bucket);
  };
  const Status folded = isNarrowed() ? foldNewest(threads) : fold(threads, ranges_);
  if (!folded.ok() || isLeft_) return folded;
  GroupRows answer(plan_, groups_, tuples_.get(), cells_, streams_.get());
  std::vector<std::uint32_t> rows = answer.sorted();
  if (plan_.bucketsMax != 0 &&
      std::all_of(cells_.begin(), cells_.end(),
                  [&](const GroupCell& cell) { return hasBucketStart(cell.bucket); })) {
    const auto wanted = static_cast<std::size_t>(std::abs(plan_.bucketsMax));
    const auto extra = static_cast<std::ptrdiff_t>(rows.size() - std::min(wanted, rows.size()));
    if (plan_.bucketsMax > 0) {
      rows.erase(rows.begin(), rows.begin() + extra);
    } else {
      rows.erase(rows.end() - extra, rows.end());
    }
  }
  if (rows.size() * plan_.aggregates.size() > kCellsMax) {
    return {StatusCode::kQueryLimit, "the query makes more than " + std::to_string(kCellsMax) +
                                         " values; ask for fewer groups or aggregates"};
  }
  const std::uint64_t width = plan_.keys.size() + plan_.aggregates.size();
  const std::uint64_t answerBytes = rows.size() * width * sizeof(double);
  const Status held = memory_.hold(cellBytes() + answerBytes);
  if (!held.ok()) return held;
  table.rowCount = rows.size();
  for (std::size_t key = 0; key < plan_.keys.size(); ++key) {
    answer.fillKey(key, rows, table.columns.emplace_back());
  }
  for (const AggregateColumn& aggregate : plan_.aggregates) {
    const Status filled =
        answer.fillAggregate(aggregate, rows, control_, table.columns.emplace_back());
    if (!filled.ok()) return filled;
  }
  std::vector<GroupCell>().swap(cells_);
  streams_.reset();
  heldValues_ = 0;
  // The table may have views of the remaining state, so it stays held.
  return memory_.hold(cellBytes() + answerBytes);
}

// The memory that the folds so far hold, in bytes.
std::uint64_t AggregateQuery::cellBytes() const {
  const Needs needs = Needs::of(plan_.aggregates);
  return cells_.capacity() * sizeof(GroupCell) + bytesBeside(cells_.size(), heldValues_, needs) +
         (streams_ ? streams_->memoryBytes() : 0) + (tuples_ ? tuples_->memoryBytes() : 0) +
         groups_.groupOf.capacity() * sizeof(groups_.groupOf[0]);
}

}  // namespace seriesdb
