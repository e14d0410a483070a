#include "query/row_query.h"

#include <algorithm>
#include <utility>

#include "read/merge_runs.h"
#include "read/read_cost.h"

namespace seriesdb {
namespace {
constexpr std::size_t kBatchRows = 4096;
// Rows gathered beyond those wanted before the worst are dropped.
constexpr std::uint64_t kSlackRows = 65536;
// A far offset is skipped in steps of so many rows at least.
constexpr std::uint64_t kSkipRowsMin = 65536;
constexpr std::uint64_t kShortRowSamples = 8192;

bool isShortRead(const View& view, const ReadPlan& plan, const RowOrder& order) {
  if (!plan.condition.isEmpty() || !order.keys.empty()) return false;
  const auto cost = shortCostOf(view, plan.refs, plan.ranges, plan.hull());
  return cost && cost->samples <= kShortRowSamples;
}

}  // namespace

Status RowQuery::check(const ReadPlan& plan, const RowOrder& order) {
  for (std::size_t i = 0; i < plan.ranges.size(); ++i) {
    const bool isAscending = i == 0 || plan.ranges[i - 1].end < plan.ranges[i].start;
    if (plan.ranges[i].start > plan.ranges[i].end || !isAscending) {
      return Status::invalid("the ranges of time must ascend");
    }
  }
  for (const OrderKey& key : order.keys) {
    if (key.place >= order.expressions.outputCount()) {
      return Status::invalid("the order names an expression that is not there");
    }
  }
  return Status::okStatus();
}

Result<std::unique_ptr<RowQuery>> RowQuery::make(PinnedView view, ReadPlan plan,
                                                 RowOrder order) {
  const Status checked = check(plan, order);
  if (!checked.ok()) return checked;
  return std::make_unique<RowQuery>(Key{}, std::move(view), std::move(plan), std::move(order));
}

RowQuery::RowQuery(Key, PinnedView view, ReadPlan plan, RowOrder order)
    : plan_(std::move(plan)),
      order_(std::move(order)),
      isShort_(isShortRead(*view, plan_, order_)),
      memory_(plan_.limits),
      reader_(std::move(view), plan_, control_) {}

bool RowQuery::isBefore(const Row& a, const Row& b) const {
  if (a.ts != b.ts) return (a.ts < b.ts) != order_.isDescending;
  return a.place < b.place;
}

// All rows by expressions, of which only the best are held.
Status RowQuery::gatherOrdered() {
  const std::uint64_t most = plan_.limits.rowsMax;
  const bool isFew = order_.limit <= most && order_.offset <= most;
  std::uint64_t wanted = UINT64_MAX;
  if (isFew && __builtin_add_overflow(order_.offset, order_.limit, &wanted)) wanted = UINT64_MAX;
  OrderedRows rows(order_.expressions, order_.keys, wanted);
  for (std::uint32_t place = 0; place < plan_.refs.size(); ++place) {
    rows.beginSeries(place, plan_.places.empty() ? 0 : plan_.places[place]);
    for (const TimeRange& range : plan_.ranges) {
      for (const Stretch& stretch : reader_.open(place, range)) {
        const ValueFilter::Verdict verdict = reader_.judge(stretch);
        const auto add = [&](const SampleBlock& block) { rows.add(block); };
        const bool isNone = verdict == ValueFilter::Verdict::kNone;
        const Status read = isNone ? reader_.skip() : reader_.read(stretch, verdict, add);
        if (!read.ok()) return read;
        if (!isFew && rows.size() > most) return QueryControl::tooManyRows(plan_.limits);
        const Status held = memory_.hold(rows.memoryBytes());
        if (!held.ok()) return held;
      }
    }
  }
  rows_ = rows.take();
  at_ = static_cast<std::size_t>(std::min<std::uint64_t>(order_.offset, rows_.size()));
  return Status::okStatus();
}

Status RowQuery::gather() {
  if (!order_.keys.empty()) return gatherOrdered();
  std::uint64_t offset = order_.offset;
  const auto isNear = [this](std::uint64_t rows) { return rows <= plan_.limits.rowsMax; };
  // What a far offset skips is held a part at a time, and so is all that one without LIMIT skips.
  while (offset > 0 && !(isNear(offset) && isNear(order_.limit))) {
    isOpened_.resize(plan_.refs.size());
    const std::uint64_t step = std::min(offset, std::max(plan_.limits.rowsMax, kSkipRowsMin));
    const Status gathered = gatherBest(step, true);
    if (!gathered.ok()) return gathered;
    const bool isEnd = rows_.size() < step;
    if (!isEnd) beginAfter(rows_.back());
    rows_.clear();
    if (isEnd) return Status::okStatus();
    offset -= step;
  }
  std::uint64_t wanted = 0;
  if (__builtin_add_overflow(offset, order_.limit, &wanted)) wanted = UINT64_MAX;
  const Status gathered = gatherBest(wanted, isNear(order_.limit));
  at_ = static_cast<std::size_t>(std::min<std::uint64_t>(offset, rows_.size()));
  return gathered;
}

// The next rows, as many as are wanted or there are. Unless they are few, no more than the limit
// allows.
Status RowQuery::gatherBest(std::uint64_t wanted, bool isFew) {
  wanted_ = wanted;
  isFew_ = isFew;
  control_.countAnew();
  runs_.clear();
  for (std::uint32_t place = 0; place < plan_.refs.size(); ++place) {
    const Status gathered = gatherSeries(place);
    if (!gathered.ok()) return gathered;
  }
  sortRows();
  if (rows_.size() > wanted_) rows_.resize(static_cast<std::size_t>(wanted_));
  return Status::okStatus();
}

void RowQuery::beginAfter(const Row& row) {
  after_ = row;
  useful_ = order_.isDescending ? TimeRange{INT64_MIN, row.ts} : TimeRange{row.ts, INT64_MAX};
}

Status RowQuery::gatherSeries(std::uint32_t place) {
  runs_.push_back(rows_.size());
  const bool isKnown = after_ && isOpened_[place];
  const std::size_t count = plan_.ranges.size();
  for (std::size_t i = 0; i < count && !hasEnough(); ++i) {
    const TimeRange& range = plan_.ranges[order_.isDescending ? count - 1 - i : i];
    const TimeRange wanted{std::max(range.start, useful_.start), std::min(range.end, useful_.end)};
    if (wanted.start > wanted.end) continue;
    const std::vector<Stretch>& stretches = reader_.open(place, wanted, isKnown);
    if (!isOpened_.empty()) isOpened_[place] = true;
    for (std::size_t j = 0; j < stretches.size() && !hasEnough(); ++j) {
      const Status gathered =
          gatherStretch(place, stretches[order_.isDescending ? stretches.size() - 1 - j : j]);
      if (!gathered.ok()) return gathered;
    }
  }
  keepBest();
  return Status::okStatus();
}

// Rows of a series come in order, so that later ones than those wanted are not looked at.
bool RowQuery::hasEnough() const { return rows_.size() - runs_.back() >= wanted_; }

Status RowQuery::gatherStretch(std::uint32_t place, const Stretch& stretch) {
  const ValueFilter::Verdict verdict = reader_.judge(stretch);
  if (verdict == ValueFilter::Verdict::kNone) return reader_.skip();
  const auto first = static_cast<std::ptrdiff_t>(rows_.size());
  const Status read = reader_.read(stretch, verdict, [&](const SampleBlock& block) {
    for (std::size_t i = 0; i < block.size(); ++i) {
      const Row row{block.ts[i], place, block.values[i]};
      if (!after_ || isBefore(*after_, row)) rows_.push_back(row);
    }
  });
  if (!read.ok()) return read;
  if (order_.isDescending) std::reverse(rows_.begin() + first, rows_.end());
  if (!isFew_ && rows_.size() > plan_.limits.rowsMax) {
    return QueryControl::tooManyRows(plan_.limits);
  }
  return memory_.hold(rows_.capacity() * sizeof(Row));
}

// Drops what cannot be among the wanted rows.
void RowQuery::keepBest() {
  if (!isFew_ || rows_.size() <= wanted_ + kSlackRows) return;
  sortRows();
  rows_.resize(static_cast<std::size_t>(wanted_));
  runs_.assign(1, 0);
  if (rows_.empty()) return;
  if (order_.isDescending) useful_.start = rows_.back().ts;
  if (!order_.isDescending) useful_.end = rows_.back().ts;
}

// Every series is in order already.
void RowQuery::sortRows() {
  mergeRuns(rows_, runs_, [this](const Row& a, const Row& b) { return isBefore(a, b); });
}

Status RowQuery::next(ColumnBatch& batch) {
  batch.series.clear();
  batch.ends.clear();
  batch.ts.clear();
  batch.values.clear();
  if (!isGathered_) {
    const Status gathered = gather();
    // Here, as it looks into directories, and who asks for it must not wait.
    stats_ = reader_.stats();
    if (!gathered.ok()) return gathered;
    isGathered_ = true;
  }
  const std::size_t end = std::min(rows_.size(), at_ + kBatchRows);
  for (; at_ < end; ++at_) {
    const Row& row = rows_[at_];
    batch.ts.push_back(row.ts);
    batch.values.push_back(row.value);
    batch.series.push_back(row.place);
  }
  if (batch.ts.empty()) {
    std::vector<Row>().swap(rows_);
    memory_.giveBack();
  }
  return Status::okStatus();
}

}  // namespace seriesdb
