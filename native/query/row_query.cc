#include "query/row_query.h"

#include <algorithm>
#include <utility>

#include "query/merge_runs.h"

namespace seriesdb {
namespace {
constexpr std::size_t kBatchRows = 4096;
// Rows gathered beyond those wanted before the worst are dropped.
constexpr std::uint64_t kSlackRows = 65536;
constexpr std::size_t kShortSeries = 16;
constexpr std::uint64_t kShortSamples = 8192;
}  // namespace

Result<std::unique_ptr<RowQuery>> RowQuery::make(std::shared_ptr<const View> view, ReadPlan plan,
                                                 RowOrder order) {
  for (std::size_t i = 0; i < plan.ranges.size(); ++i) {
    const bool isAscending = i == 0 || plan.ranges[i - 1].end < plan.ranges[i].start;
    if (plan.ranges[i].start > plan.ranges[i].end || !isAscending) {
      return Status::invalid("the ranges of time must ascend");
    }
  }
  const bool isShort = plan.refs.size() <= kShortSeries &&
                       costOf(*view, plan.refs, plan.ranges).samples <= kShortSamples;
  return std::unique_ptr<RowQuery>(new RowQuery(std::move(view), std::move(plan), order, isShort));
}

RowQuery::RowQuery(std::shared_ptr<const View> view, ReadPlan plan, RowOrder order, bool isShort)
    : plan_(std::move(plan)),
      order_(order),
      isShort_(isShort),
      reader_(std::move(view), plan_, control_) {
  if (__builtin_add_overflow(order.offset, order.limit, &wanted_)) wanted_ = UINT64_MAX;
}

bool RowQuery::isBefore(const Row& a, const Row& b) const {
  if (a.ts != b.ts) return (a.ts < b.ts) != order_.isDescending;
  return a.place < b.place;
}

Status RowQuery::gather() {
  for (std::uint32_t place = 0; place < plan_.refs.size(); ++place) {
    const Status gathered = gatherSeries(place);
    if (!gathered.ok()) return gathered;
  }
  sortRows();
  if (rows_.size() > wanted_) rows_.resize(static_cast<std::size_t>(wanted_));
  at_ = static_cast<std::size_t>(std::min<std::uint64_t>(order_.offset, rows_.size()));
  return Status::okStatus();
}

Status RowQuery::gatherSeries(std::uint32_t place) {
  runs_.push_back(rows_.size());
  for (const TimeRange& range : plan_.ranges) {
    const TimeRange wanted{std::max(range.start, useful_.start), std::min(range.end, useful_.end)};
    if (wanted.start > wanted.end) continue;
    for (const Piece& piece : reader_.open(place, wanted)) {
      const ValueFilter::Verdict verdict = reader_.judge(piece);
      if (verdict == ValueFilter::Verdict::kNone) {
        const Status allowed = reader_.skip();
        if (!allowed.ok()) return allowed;
        continue;
      }
      const Status read = reader_.read(piece, verdict, [&](const SampleBlock& block) {
        for (std::size_t i = 0; i < block.size(); ++i) {
          rows_.push_back({block.ts[i], place, block.values[i]});
        }
      });
      if (!read.ok()) return read;
    }
  }
  if (order_.isDescending) {
    std::reverse(rows_.begin() + static_cast<std::ptrdiff_t>(runs_.back()), rows_.end());
  }
  return keepBest();
}

// Whether the answer is within the limit however many rows there are. A far offset is not, since
// the rows before it are held as well.
bool RowQuery::isBounded() const {
  return order_.limit <= plan_.limits.rowsMax && order_.offset <= plan_.limits.rowsMax;
}

// Drops what cannot be among the wanted rows; refuses more rows than the limit allows.
Status RowQuery::keepBest() {
  if (isBounded() && rows_.size() > wanted_ + kSlackRows) {
    sortRows();
    rows_.resize(static_cast<std::size_t>(wanted_));
    runs_.assign(1, 0);
    if (!rows_.empty() && order_.isDescending) useful_.start = rows_.back().ts;
    if (!rows_.empty() && !order_.isDescending) useful_.end = rows_.back().ts;
  }
  if (rows_.size() <= plan_.limits.rowsMax || isBounded()) return Status::okStatus();
  return QueryControl::tooManyRows(plan_.limits);
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
  if (batch.ts.empty()) std::vector<Row>().swap(rows_);
  return Status::okStatus();
}

}  // namespace seriesdb
