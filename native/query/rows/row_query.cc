#include "query/rows/row_query.h"

#include <algorithm>
#include <utility>

#include "query/rows/time_sort.h"
#include "query/samples/read_cost.h"

namespace seriesdb {
namespace {
// Rows gathered beyond the wanted ones before the worst are dropped.
constexpr std::uint64_t kSlackRows = 65536;
// The least rows of one pass that skips a part of a far offset.
constexpr std::uint64_t kSkipRowsMin = 65536;
constexpr std::uint64_t kShortRowSamples = 8192;
// A part with fewer series is not worth a thread.
constexpr std::size_t kThreadSeriesMin = 16;

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
      return Status::invalid("the order names an unknown expression");
    }
  }
  return Status::okStatus();
}

Result<std::unique_ptr<RowQuery>> RowQuery::make(PinnedView view, ReadPlan plan, RowOrder order) {
  const Status checked = check(plan, order);
  if (!checked.ok()) return checked;
  return std::make_unique<RowQuery>(Key{}, std::move(view), std::move(plan), std::move(order));
}

RowQuery::RowQuery(Key, PinnedView view, ReadPlan plan, RowOrder order)
    : view_(std::move(view)),
      plan_(std::move(plan)),
      order_(std::move(order)),
      isShort_(isShortRead(*view_, plan_, order_)),
      memory_(plan_.limits),
      alone_(std::make_unique<Part>(view_, plan_, control_)) {
  alone_->end = static_cast<std::uint32_t>(plan_.refs.size());
}

bool RowQuery::isBefore(const Row& a, const Row& b) const {
  if (a.ts != b.ts) return (a.ts < b.ts) != order_.isDescending;
  return a.place < b.place;
}

Status RowQuery::read(const Threads& threads) {
  const Status gathered = gather(threads);
  // Collect statistics on this thread: it reads directories, and the caller must not block.
  stats_.add(alone_->reader.stats());
  alone_.reset();
  return gathered;
}

// Gathers rows ordered by expressions. If the wanted rows are few, only the best are held.
Status RowQuery::gatherOrdered() {
  const std::uint64_t most = plan_.limits.rowsMax;
  const bool isFew = order_.limit <= most && order_.offset <= most;
  std::uint64_t wanted = UINT64_MAX;
  if (isFew && __builtin_add_overflow(order_.offset, order_.limit, &wanted)) wanted = UINT64_MAX;
  OrderedRows rows(order_.expressions, order_.keys, wanted);
  SeriesReader& reader = alone_->reader;
  for (std::uint32_t place = 0; place < plan_.refs.size(); ++place) {
    rows.beginSeries(place, plan_.places.empty() ? 0 : plan_.places[place]);
    for (const TimeRange& range : plan_.ranges) {
      for (const Stretch& stretch : reader.open(place, range)) {
        const ValueFilter::Verdict verdict = reader.judge(stretch);
        const auto add = [&](const SampleBlock& block) { rows.add(block); };
        const bool isNone = verdict == ValueFilter::Verdict::kNone;
        const Status read = isNone ? reader.skip() : reader.read(stretch, verdict, add);
        if (!read.ok()) return read;
        if (!isFew && rows.size() > most) return QueryControl::tooManyRows(plan_.limits);
        const Status held = memory_.hold(rows.memoryBytes());
        if (!held.ok()) return held;
      }
    }
  }
  lists_.push_back(rows.take());
  begin_ = static_cast<std::size_t>(std::min<std::uint64_t>(order_.offset, lists_[0].size()));
  return Status::okStatus();
}

Status RowQuery::gather(const Threads& threads) {
  if (!order_.keys.empty()) return gatherOrdered();
  std::uint64_t offset = order_.offset;
  const auto isNear = [this](std::uint64_t rows) { return rows <= plan_.limits.rowsMax; };
  // Skips a far offset in passes, so that only one pass of rows is held. Without LIMIT every offset
  // is skipped so.
  while (offset > 0 && !(isNear(offset) && isNear(order_.limit))) {
    isOpened_.resize(plan_.refs.size());
    const std::uint64_t step = std::min(offset, std::max(plan_.limits.rowsMax, kSkipRowsMin));
    const Status gathered = gatherBest(step, true, {});
    if (!gathered.ok()) return gathered;
    const bool isEnd = lists_[0].size() < step;
    if (!isEnd) beginAfter(lists_[0].back());
    lists_.clear();
    memory_.giveBack();
    if (isEnd) return Status::okStatus();
    offset -= step;
  }
  std::uint64_t wanted = 0;
  if (__builtin_add_overflow(offset, order_.limit, &wanted)) wanted = UINT64_MAX;
  const bool isFew = isNear(order_.limit);
  const bool isAll = !isFew && order_.offset == 0;
  const Status gathered = gatherBest(wanted, isFew, isAll ? threads : Threads{});
  if (gathered.ok()) {
    begin_ = static_cast<std::size_t>(std::min<std::uint64_t>(offset, lists_[0].size()));
  }
  return gathered;
}

// Gathers the next rows, up to `wanted`. If these are not few, more rows than the limit are
// refused. Several threads are used only if all rows are wanted.
Status RowQuery::gatherBest(std::uint64_t wanted, bool isFew, const Threads& threads) {
  wanted_ = wanted;
  isFew_ = isFew;
  control_.countAnew();
  gathered_.store(0, std::memory_order_relaxed);
  Parts parts = partsFor(threads);
  runParts(threads, parts.size() + 1, [&](std::size_t i) {
    Part& part = i == 0 ? *alone_ : *parts[i - 1];
    part.status = gatherPart(part);
    if (!part.status.ok()) hasFailed_.store(true, std::memory_order_relaxed);
  });
  for (const auto& part : parts) {
    stats_.add(part->reader.stats());
    if (alone_->status.ok()) alone_->status = std::move(part->status);
  }
  if (!alone_->status.ok()) return alone_->status;
  const Status taken = take(parts, threads);
  if (parts.empty() && lists_[0].size() > wanted_) {
    lists_[0].resize(static_cast<std::size_t>(wanted_));
  }
  return taken;
}

// Makes the parts beside alone_, and sets the end of alone_.
RowQuery::Parts RowQuery::partsFor(const Threads& threads) {
  const std::size_t series = plan_.refs.size();
  const std::size_t count = std::clamp<std::size_t>(series / kThreadSeriesMin, 1, threads.count);
  const auto beginOf = [=](std::size_t i) {
    return static_cast<std::uint32_t>(series * i / count);
  };
  alone_->end = beginOf(1);
  Parts parts;
  for (std::size_t i = 1; i < count; ++i) {
    const auto& part = parts.emplace_back(std::make_unique<Part>(view_, plan_, control_));
    part->begin = beginOf(i);
    part->end = beginOf(i + 1);
  }
  return parts;
}

Status RowQuery::gatherPart(Part& part) {
  part.rows.clear();
  part.runs.clear();
  for (std::uint32_t place = part.begin; place < part.end; ++place) {
    // The part that failed returns the reason.
    if (hasFailed_.load(std::memory_order_relaxed)) return Status::okStatus();
    const Status gathered = gatherSeries(part, place);
    if (!gathered.ok()) return gathered;
  }
  sortRows(part);
  return Status::okStatus();
}

// Turns several parts into as many slices of time; one thread merges each slice.
Status RowQuery::take(const Parts& parts, const Threads& threads) {
  if (parts.empty()) {
    alone_->memory.giveBack();
    lists_.assign(1, {});
    lists_[0].swap(alone_->rows);
    return memory_.hold(lists_[0].capacity() * sizeof(Row));
  }
  std::vector<std::vector<Row>> ordered;
  ordered.push_back(std::move(alone_->rows));
  for (const auto& part : parts) ordered.push_back(std::move(part->rows));
  // The parts' rows are held too until the merge ends.
  const Status held = memory_.hold(gathered_.load(std::memory_order_relaxed) * sizeof(Row));
  if (!held.ok()) return held;
  lists_.assign(ordered.size(), {});
  runParts(threads, lists_.size(), [&](std::size_t i) { lists_[i] = slice(ordered, i); });
  alone_->memory.giveBack();
  return held;
}

// Merges slice `number` of as many slices as lists. The slices are of similar size.
std::vector<RowQuery::Row> RowQuery::slice(const std::vector<std::vector<Row>>& ordered,
                                           std::size_t number) const {
  const std::size_t count = ordered.size();
  const auto isLess = [this](const Row& a, const Row& b) { return isBefore(a, b); };
  const std::vector<Row>& longest =
      *std::max_element(ordered.begin(), ordered.end(),
                        [](const auto& a, const auto& b) { return a.size() < b.size(); });
  // The begin of a slice in a list, by the slice's first time.
  const auto beginIn = [&](const std::vector<Row>& rows, std::size_t which) {
    if (which == 0 || longest.empty()) return rows.begin();
    if (which == count) return rows.end();
    const Row first{longest[longest.size() * which / count].ts, 0, 0};
    return std::lower_bound(rows.begin(), rows.end(), first, isLess);
  };
  std::vector<std::span<const Row>> runs;
  std::size_t size = 0;
  for (const std::vector<Row>& one : ordered) {
    runs.emplace_back(beginIn(one, number), beginIn(one, number + 1));
    size += runs.back().size();
  }
  std::vector<Row> rows;
  rows.reserve(size);
  // A linear search for the least head: few lists, and each slice has few rows.
  const auto isOver = [](const std::span<const Row>& run) { return run.empty(); };
  std::erase_if(runs, isOver);
  while (runs.size() > 1) {
    std::span<const Row>& first = *std::min_element(
        runs.begin(), runs.end(),
        [&](const auto& a, const auto& b) { return isLess(a.front(), b.front()); });
    rows.push_back(first.front());
    first = first.subspan(1);
    if (first.empty()) std::erase_if(runs, isOver);
  }
  for (const std::span<const Row> run : runs) rows.insert(rows.end(), run.begin(), run.end());
  return rows;
}

RowLists RowQuery::rows() const {
  std::vector<std::span<const SampleRow>> all(lists_.begin(), lists_.end());
  if (!all.empty()) all[0] = all[0].subspan(begin_);
  return RowLists(std::move(all));
}

void RowQuery::beginAfter(const Row& row) {
  after_ = row;
  useful_ = order_.isDescending ? TimeRange{INT64_MIN, row.ts} : TimeRange{row.ts, INT64_MAX};
}

Status RowQuery::gatherSeries(Part& part, std::uint32_t place) {
  part.runs.push_back(part.rows.size());
  const bool isKnown = after_ && isOpened_[place];
  const std::size_t count = plan_.ranges.size();
  for (std::size_t i = 0; i < count && !hasEnough(part); ++i) {
    const TimeRange& range = plan_.ranges[order_.isDescending ? count - 1 - i : i];
    const TimeRange wanted{std::max(range.start, useful_.start), std::min(range.end, useful_.end)};
    if (wanted.start > wanted.end) continue;
    const std::vector<Stretch>& stretches = part.reader.open(place, wanted, isKnown);
    if (!isOpened_.empty()) isOpened_[place] = true;
    for (std::size_t j = 0; j < stretches.size() && !hasEnough(part); ++j) {
      const Status gathered =
          gatherStretch(part, place, stretches[order_.isDescending ? stretches.size() - 1 - j : j]);
      if (!gathered.ok()) return gathered;
    }
  }
  keepBest(part);
  return Status::okStatus();
}

// The rows of a series come in order, so rows behind the wanted ones are not read.
bool RowQuery::hasEnough(const Part& part) const {
  return part.rows.size() - part.runs.back() >= wanted_;
}

Status RowQuery::gatherStretch(Part& part, std::uint32_t place, const Stretch& stretch) {
  const ValueFilter::Verdict verdict = part.reader.judge(stretch);
  if (verdict == ValueFilter::Verdict::kNone) return part.reader.skip();
  const std::size_t first = part.rows.size();
  const Status read = part.reader.read(stretch, verdict, [&](const SampleBlock& block) {
    for (std::size_t i = 0; i < block.size(); ++i) {
      const Row row{block.ts[i], place, block.values[i]};
      if (!after_ || isBefore(*after_, row)) part.rows.push_back(row);
    }
  });
  if (!read.ok()) return read;
  if (order_.isDescending) {
    std::reverse(part.rows.begin() + static_cast<std::ptrdiff_t>(first), part.rows.end());
  }
  const std::uint64_t added = part.rows.size() - first;
  const std::uint64_t before = gathered_.fetch_add(added, std::memory_order_relaxed);
  if (!isFew_ && before + added > plan_.limits.rowsMax) {
    return QueryControl::tooManyRows(plan_.limits);
  }
  return part.memory.hold(part.rows.capacity() * sizeof(Row));
}

// Drops rows that cannot be among the wanted ones.
void RowQuery::keepBest(Part& part) {
  if (!isFew_ || part.rows.size() <= wanted_ + kSlackRows) return;
  sortRows(part);
  part.rows.resize(static_cast<std::size_t>(wanted_));
  part.runs.assign(1, 0);
  if (part.rows.empty()) return;
  if (order_.isDescending) useful_.start = part.rows.back().ts;
  if (!order_.isDescending) useful_.end = part.rows.back().ts;
}

// Every run has one series in order, and places ascend, so a stable sort by time suffices.
void RowQuery::sortRows(Part& part) const { sortByTime(part.rows, part.runs, order_.isDescending); }

}  // namespace seriesdb
