#include "query/aggregate_query.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "query/aggregate_part.h"
#include "query/group_rows.h"
#include "query/samples/part_windows.h"
#include "query/samples/read_cost.h"

namespace seriesdb {
namespace {

// The most values in an answer: 2^26, half a GiB.
constexpr std::uint64_t kCellsMax = std::uint64_t{1} << 26;
constexpr std::uint64_t kShortSamples = 16384;
constexpr std::uint64_t kShortCells = 4096;

// A part with fewer series is not worth a thread.
constexpr std::size_t kPartSeriesMin = 16;

// The growth factor of the windows that search for the newest buckets.
constexpr std::uint64_t kGrowth = 8;

// The most values that percentiles and distinct counts may hold: 128 MiB.
constexpr std::uint64_t kHeldValuesMax = std::uint64_t{16} << 20;
// The most cells if keys are expressions, groups times (1 + arguments): some three GiB.
constexpr std::uint64_t kHeldCellsMax = std::uint64_t{1} << 23;

Status tooManyValues() {
  return {StatusCode::kQueryLimit, "percentiles and distinct counts hold at most " +
                                       std::to_string(kHeldValuesMax) +
                                       " values; narrow the query"};
}

bool hasValue(const SampleBlock& block) {
  const auto isNull = [](double value) { return std::isnan(value); };
  return !block.hasNulls || !std::all_of(block.values.begin(), block.values.end(), isNull);
}

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

// A window of `width` buckets at the end (or the start) of time; null if it covers everything.
std::optional<TimeRange> AggregateQuery::newest(std::uint64_t width) const {
  const TimeRange all = ranges_.front();
  const BucketSpec& spec = *plan_.bucket;
  const std::int64_t first = bucketOf(spec, all.start);
  const std::int64_t last = bucketOf(spec, all.end);
  const std::uint64_t span = static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
  if (width > span || width > INT64_MAX / kGrowth) return std::nullopt;
  const auto reach = static_cast<std::int64_t>(width);
  if (plan_.bucketsMax > 0) return TimeRange{bucketStart(spec, last - reach + 1), all.end};
  return TimeRange{all.start, bucketStart(spec, first + reach) - 1};
}

// Folds adjacent windows from the end (or the start) of time on until enough buckets are found.
// Each window is kGrowth times longer than the one before.
Status AggregateQuery::foldNewest(const Threads& threads) {
  TimeRange rest = ranges_.front();
  const bool isNewest = plan_.bucketsMax > 0;
  const auto wanted = static_cast<std::uint64_t>(std::abs(plan_.bucketsMax));
  for (std::uint64_t width = wanted;; width *= kGrowth) {
    const auto reach = newest(width);
    TimeRange window = rest;
    if (reach && isNewest) window.start = reach->start;
    if (reach && !isNewest) window.end = reach->end;
    const Status folded = foldMore(threads, window);
    if (!folded.ok() || !reach || cells_.size() >= wanted) return folded;
    if (isOnlyBegun_) {
      isLeft_ = true;
      return folded;
    }
    if (isNewest) rest.end = window.start - 1;
    if (!isNewest) rest.start = window.end + 1;
  }
}

// Adds the cells of a window. No bucket of the window has been folded before.
Status AggregateQuery::foldMore(const Threads& threads, TimeRange window) {
  std::vector<GroupCell> known = std::move(cells_);
  const std::unique_ptr<ArgumentStreams> knownStreams = std::move(streams_);
  const Status folded = fold(threads, {window});
  if (!folded.ok()) return folded;
  cells_.insert(cells_.end(), std::make_move_iterator(known.begin()),
                std::make_move_iterator(known.end()));
  if (knownStreams) streams_->merge(*knownStreams);
  if (cells_.size() > plan_.read.limits.rowsMax) return control_.tooManyRows(plan_.read.limits);
  return memory_.hold(cellBytes());
}

Status AggregateQuery::fold(const Threads& threads, const std::vector<TimeRange>& ranges) {
  const std::size_t seriesCount = plan_.read.refs.size();
  const std::size_t shareCount =
      std::clamp<std::size_t>(seriesCount / kPartSeriesMin, 1, threads.count);
  const auto windows = windowsIn(ranges, shareCount == 1 ? threads.count : 1);
  const bool isParted = windows.size() > 1;
  std::vector<std::unique_ptr<AggregatePart>> parts;
  for (std::size_t share = 0; share < shareCount; ++share) {
    for (const std::vector<TimeRange>& window : windows) {
      const auto& part = parts.emplace_back(std::make_unique<AggregatePart>(
          plan_, view_, control_,
          AggregatePart::Cells{groups_.groupCount, bucketSpan(plan_, window)}));
      part->begin = static_cast<std::uint32_t>(seriesCount * share / shareCount);
      part->end = static_cast<std::uint32_t>(seriesCount * (share + 1) / shareCount);
      part->slices = slicesOf(window);
    }
  }
  AggregatePart& first = *parts[0];
  if (isParted) {
    const auto [from, to] = bucketSpan(plan_, ranges);
    first.table.expect((static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from) + 1) *
                       groups_.groupCount);
  }
  runParts(threads, parts.size(), [&](std::size_t i) { parts[i]->status = foldPart(*parts[i]); });
  QueryStats stats;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!parts[i]->status.ok()) return parts[i]->status;
    heldValues_ += parts[i]->held();
    if (i > 0 && isParted) {
      stats.addReads(parts[i]->reader.reads());
      first.append(*parts[i]);
    } else {
      stats.add(parts[i]->reader.stats());
      if (i > 0) first.merge(*parts[i]);
    }
  }
  if (heldValues_ > kHeldValuesMax) return tooManyValues();
  stats_.addLook(stats);
  cells_ = std::move(first.table.cells());
  streams_ = std::move(first.streams);
  if (first.splitter) tuples_ = std::make_unique<KeyTuples>(std::move(first.splitter->tuples()));
  if (cells_.size() > plan_.read.limits.rowsMax) return control_.tooManyRows(plan_.read.limits);
  // The parts counted this memory until now.
  for (const auto& part : parts) part->memory.giveBack();
  return memory_.hold(cellBytes());
}

// All ranges in one window, or several windows whose buckets are folded independently.
std::vector<std::vector<TimeRange>> AggregateQuery::windowsIn(const std::vector<TimeRange>& ranges,
                                                              std::size_t countMax) const {
  if (!plan_.bucket || ranges.size() != 1 || !plan_.arguments.isEmpty()) return {ranges};
  std::vector<std::vector<TimeRange>> windows;
  for (const TimeRange& window :
       windowsOf(*view_, plan_.read.refs, *plan_.bucket, ranges[0], countMax)) {
    windows.push_back({window});
  }
  return windows;
}

// One slice for each range. If only the last values of series matter, the latest slice comes first.
std::vector<TimeSlice> AggregateQuery::slicesOf(const std::vector<TimeRange>& ranges) const {
  if (wantsLast_ && !wantsFirst_ && ranges.size() == 1) return slicesFromEnd(*view_, ranges[0]);
  std::vector<TimeSlice> slices;
  for (const TimeRange& range : ranges) slices.push_back(sliceOf(*view_, range));
  return slices;
}

Status AggregateQuery::foldPart(AggregatePart& part) {
  for (std::uint32_t place = part.begin; place < part.end; ++place) {
    const Status folded = foldSeries(part, place);
    if (!folded.ok()) return folded;
    const Status held = checkHeld(part);
    if (!held.ok()) return held;
  }
  return Status::okStatus();
}

Status AggregateQuery::foldSeries(AggregatePart& part, std::uint32_t place) {
  const bool isCounter = !plan_.isCounter.empty() && plan_.isCounter[place];
  const bool needsId = part.fold.needs().edges || part.fold.needs().extremes || part.streams;
  const SeriesId id = needsId ? index_->idOf(plan_.read.refs[place]) : 0;
  part.fold.beginSeries(groups_.groupOf[place], id, isCounter);
  if (part.streams) part.streams->beginSeries(place, groups_.groupOf[place], id, isCounter);
  if (part.splitter) part.splitter->beginSeries(place, groups_.groupOf[place]);
  const bool isEndsOnly = (wantsFirst_ || wantsLast_) && ranges_.size() == 1;
  bool isFolded = false;
  for (const TimeSlice& slice : part.slices) {
    const std::vector<Stretch>& stretches = part.reader.open(place, slice);
    // Prefetch the start of the next series while this one is folded.
    if (&slice == part.slices.data() && place + 1 < part.end) part.reader.prepare(place + 1);
    if (isEndsOnly) {
      const Status folded = foldEnds(part, stretches, isFolded);
      if (!folded.ok()) return folded;
      if (isFolded) break;
      continue;
    }
    for (const Stretch& stretch : stretches) {
      const Status folded = foldStretch(part, stretch, isFolded);
      if (!folded.ok()) return folded;
    }
  }
  part.fold.endSeries();
  if (part.streams) part.streams->endSeries();
  return Status::okStatus();
}

// Folds the first stretch with a value, the last one, or both. Sets isFolded if there is any.
Status AggregateQuery::foldEnds(AggregatePart& part, const std::vector<Stretch>& stretches,
                                bool& isFolded) {
  std::size_t begin = 0;
  std::size_t end = stretches.size();
  while (wantsFirst_ && begin < end && !isFolded) {
    const Status folded = foldStretch(part, stretches[begin++], isFolded);
    if (!folded.ok()) return folded;
  }
  bool isLastFolded = false;
  while (wantsLast_ && begin < end && !isLastFolded) {
    const Status folded = foldStretch(part, stretches[--end], isLastFolded);
    if (!folded.ok()) return folded;
  }
  isFolded = isFolded || isLastFolded;
  return Status::okStatus();
}

// Sets isFolded if the stretch has a value that counts.
Status AggregateQuery::foldStretch(AggregatePart& part, const Stretch& stretch, bool& isFolded) {
  using Verdict = ValueFilter::Verdict;
  const Verdict verdict = part.reader.judge(stretch);
  if (verdict == Verdict::kNone) return part.reader.skip();
  if (part.mayStandForAll(verdict) && stretch.isWholeChunk() &&
      part.fold.takesSummary(stretch.chunk()->summary)) {
    part.fold.add(stretch.chunk()->summary);
    isFolded = true;
    return part.reader.skip();
  }
  if (part.isAnsweredAlone(stretch, verdict)) {
    part.fold.add(*stretch.wholeStrip());
    isFolded = true;
    return part.reader.skip();
  }
  const Status read = part.reader.read(stretch, verdict, [&](const SampleBlock& block) {
    part.add(block);
    isFolded = isFolded || hasValue(block);
  });
  return read.ok() ? checkHeld(part) : read;
}

Status AggregateQuery::checkHeld(AggregatePart& part) const {
  const std::uint64_t rows = part.splitter ? part.splitter->tuples().size() : part.table.size();
  if (rows > plan_.read.limits.rowsMax) return control_.tooManyRows(plan_.read.limits);
  const std::uint64_t streams = part.streams ? part.streams->size() : 0;
  if (part.splitter && rows * (1 + streams) > kHeldCellsMax) {
    return {StatusCode::kQueryLimit, "the query holds more than " + std::to_string(kHeldCellsMax) +
                                         " groups and arguments; ask for fewer"};
  }
  if (heldValues_ + part.held() > kHeldValuesMax) return tooManyValues();
  return part.memory.hold(part.memoryBytes());
}

}  // namespace seriesdb
