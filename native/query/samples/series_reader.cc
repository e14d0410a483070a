#include "query/samples/series_reader.h"

#include <algorithm>
#include <utility>

namespace seriesdb {
namespace {
// The most stretch places remembered: more could not be prefetched at once.
constexpr std::size_t kReadStretchesMax = 16;
}  // namespace

SeriesReader::SeriesReader(PinnedView view, const ReadPlan& plan, QueryControl& control)
    : view_(std::move(view)), plan_(plan), control_(control) {
  if (!plan.condition.isEmpty()) condition_.emplace(plan.condition);
}

const std::vector<Stretch>& SeriesReader::open(std::size_t place, TimeRange range, bool isKnown) {
  return open(place, sliceIn(range), isKnown);
}

// A slice is found for one series and kept for the others, whose ranges are mostly the same.
const TimeSlice& SeriesReader::sliceIn(TimeRange range) {
  slices_.resize(plan_.ranges.size());
  const auto after =
      std::upper_bound(plan_.ranges.begin(), plan_.ranges.end(), range.start,
                       [](Timestamp start, const TimeRange& one) { return start < one.start; });
  TimeSlice& slice = slices_[static_cast<std::size_t>(after - plan_.ranges.begin()) - 1];
  if (slice.range.start != range.start || slice.range.end != range.end) {
    slice = sliceOf(*view_, range);
  }
  return slice;
}

const std::vector<Stretch>& SeriesReader::open(std::size_t place, const TimeSlice& slice,
                                               bool isKnown) {
  if (place != place_) {
    place_ = place;
    if (!isKnown) scanned_.push_back(plan_.refs[place]);
    if (condition_ && plan_.condition.hasColumns()) condition_->beginSeries(plan_.places[place]);
  }
  locateChunks(slice, std::span(plan_.refs).subspan(place), chunks_);
  do {
    sources_.capture(*view_, chunks_, slice.range);
    findStretches(sources_, stretches_);
  } while (needsStrip() && !sources_.holdStrip());
  fetchAhead();
  return stretches_;
}

// True if samples of the active memtable will be read.
bool SeriesReader::needsStrip() const {
  const Memtable::Extent* strip = sources_.activeStrip();
  if (strip == nullptr || !isAnswered_) return strip != nullptr;
  return std::none_of(stretches_.begin(), stretches_.end(), [&](const Stretch& stretch) {
    return stretch.wholeStrip() == strip && isAnswered_(stretch);
  });
}

// Series of one fleet are alike: the same stretches as in the last series are likely to be read.
void SeriesReader::fetchAhead() {
  for (const std::size_t at : readStretches_) {
    if (at >= stretches_.size()) break;
    const Stretch& stretch = stretches_[at];
    if (stretch.chunk() != nullptr) stretch.parts[0].segment->prefetch(*stretch.chunk());
  }
  readStretches_.clear();
}

QueryStats SeriesReader::stats() const {
  QueryStats stats = stats_;
  std::vector<SeriesRef> series = scanned_;
  std::sort(series.begin(), series.end());
  series.erase(std::unique(series.begin(), series.end()), series.end());
  stats.seriesScanned = series.size();
  const std::uint64_t chunkCount = countChunks(sliceOf(*view_, plan_.hull()), series);
  // If two ranges share a chunk, it is read for both.
  if (chunkCount > stats.chunksScanned) stats.chunksSkipped = chunkCount - stats.chunksScanned;
  return stats;
}

ValueFilter::Verdict SeriesReader::judge(const Stretch& stretch) const {
  using Verdict = ValueFilter::Verdict;
  // The condition's result is unknown before it runs.
  const Verdict all = condition_ ? Verdict::kSome : Verdict::kAll;
  if (plan_.filter.isEmpty()) return all;
  if (stretch.chunk() == nullptr) return Verdict::kSome;
  const ChunkSummary& summary = stretch.chunk()->summary;
  // Nulls pass no filter, and the summary may say nothing about the other values.
  if (!summary.isFinite()) return Verdict::kSome;
  return std::min(plan_.filter.judge(summary.min, summary.max), all);
}

void SeriesReader::begin(const Stretch& stretch) {
  isAtEnd_ = false;
  stats_.chunksScanned += stretch.chunkCount;
  stats_.bytesRead += stretch.chunkBytes;
  reader_.open(stretch);
  if (readStretches_.size() < kReadStretchesMax) {
    readStretches_.push_back(static_cast<std::size_t>(&stretch - stretches_.data()));
  }
}

Result<SampleBlock> SeriesReader::next(ValueFilter::Verdict verdict) {
  const auto read = reader_.next();
  if (!read.ok()) return read.status();
  const SampleBlock& block = read.value();
  isAtEnd_ = block.empty();
  if (isAtEnd_) return block;
  stats_.rowsScanned += block.size();
  const Status counted = control_.count(plan_.limits, block.size());
  if (!counted.ok()) return counted;
  const Status allowed = spend(kWorkOfStretch + block.size());
  if (!allowed.ok()) return allowed;
  if (verdict == ValueFilter::Verdict::kAll) return block;
  const SampleBlock left = plan_.filter.isEmpty() ? block : filtered(block);
  return condition_ ? conditioned(left) : left;
}

// Returns the samples of the block that pass the filter.
SampleBlock SeriesReader::filtered(const SampleBlock& block) {
  plan_.filter.apply(block.values, keep_);
  if (block.hasNulls) rejectNulls(block.values, keep_);
  ts_.resize(block.size());
  values_.resize(block.size());
  std::size_t kept = 0;
  for (std::size_t i = 0; i < block.size(); ++i) {
    ts_[kept] = block.ts[i];
    values_[kept] = block.values[i];
    kept += keep_[i];
  }
  return SampleBlock{std::span<const Timestamp>(ts_).first(kept),
                     std::span<const double>(values_).first(kept), block.reach};
}

// Returns the samples for which the condition is true. The block may be the result of filtered().
SampleBlock SeriesReader::conditioned(const SampleBlock& block) {
  ts_.resize(std::max(ts_.size(), block.size()));
  values_.resize(ts_.size());
  std::size_t kept = 0;
  for (std::size_t at = 0; at < block.size(); at += ExpressionMachine::kLanes) {
    const std::size_t count = std::min(block.size() - at, ExpressionMachine::kLanes);
    const auto ts = block.ts.subspan(at, count);
    const auto values = block.values.subspan(at, count);
    condition_->run(ts, values);
    const std::uint8_t* holds = condition_->booleans(0);
    for (std::size_t i = 0; i < count; ++i) {
      ts_[kept] = ts[i];
      values_[kept] = values[i];
      kept += holds[i] / kTrue;
    }
  }
  return SampleBlock{std::span<const Timestamp>(ts_).first(kept),
                     std::span<const double>(values_).first(kept), block.reach, block.hasNulls};
}

}  // namespace seriesdb
