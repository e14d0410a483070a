#include "query/fold/series_fold.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "query/fold/fold_kernels.h"

namespace seriesdb {

void SeriesFold::beginSeries(std::uint32_t group, SeriesId series, bool isCounter) {
  group_ = group;
  series_ = series;
  isCounter_ = isCounter;
  run_.clear();
  startless_.clear();
}

// Ensures that the run belongs to the sample's bucket.
void SeriesFold::enterBucketOf(Timestamp ts) {
  if (!run_.isEmpty()) {
    if (ts <= bucketEnd_) return;
    leaveBucket();
    if (enterNextBucket(ts)) return;
  } else if (bucketBegin_ <= bucketEnd_ && bucketEnd_ < ts && enterNextBucket(ts)) {
    return;
  }
  if (bucketBegin_ <= ts && ts <= bucketEnd_) return;
  if (!plan_.bucket) {
    bucketBegin_ = INT64_MIN;
    bucketEnd_ = INT64_MAX;
    return;
  }
  bucket_ = bucketOf(*plan_.bucket, ts);
  const TimeRange range = bucketRange(*plan_.bucket, bucket_);
  bucketBegin_ = range.start;
  bucketEnd_ = range.end;
  if (!startless_.isEmpty() && !hasStart(*plan_.bucket, bucket_)) std::swap(run_, startless_);
}

// A series' samples ascend, so the next sample is mostly in the next bucket. Returns true if it is;
// always false for calendar buckets.
bool SeriesFold::enterNextBucket(Timestamp ts) {
  const BucketSpec& spec = *plan_.bucket;
  bucketBegin_ = bucketEnd_ + 1;
  const std::uint64_t past =
      static_cast<std::uint64_t>(ts) - static_cast<std::uint64_t>(bucketEnd_);
  if (spec.months > 0 || past > static_cast<std::uint64_t>(spec.width) || bucket_ == INT64_MAX ||
      __builtin_add_overflow(bucketEnd_, spec.width, &bucketEnd_)) {
    return false;
  }
  ++bucket_;
  return true;
}

void SeriesFold::leaveBucket() {
  if (plan_.bucket->months > 0 && !hasStart(*plan_.bucket, bucket_)) {
    std::swap(run_, startless_);
  } else {
    flush();
  }
}

// A run continues when its group returns: its samples are neighbours within the group.
void SeriesFold::enterGroup(std::uint32_t group) {
  if (group == group_) return;
  if (!needs_.perSeries) {
    flush();
    group_ = group;
    return;
  }
  if (!run_.isEmpty()) {
    if (group_ >= heldOf_.size()) heldOf_.resize(group_ + 1);
    std::uint32_t& place = heldOf_[group_];
    if (place == 0) {
      held_.push_back({group_, {}});
      place = static_cast<std::uint32_t>(held_.size());
    }
    std::swap(held_[place - 1].run, run_);
  }
  group_ = group;
  if (group < heldOf_.size() && heldOf_[group] != 0) std::swap(held_[heldOf_[group] - 1].run, run_);
}

void SeriesFold::flushHeld() {
  for (HeldRun& held : held_) {
    heldOf_[held.group] = 0;
    group_ = held.group;
    if (!held.run.isEmpty()) store(held.run, 0);
  }
  held_.clear();
}

void SeriesFold::endSeries() {
  flush();
  if (!held_.empty()) flushHeld();
  if (!startless_.isEmpty()) store(startless_, groupedBucket(*plan_.bucket, INT64_MIN));
}

// The count of samples from `at` on in the current bucket. The last bucket's count or the first
// step gives a guess. It is mostly right because most series are regular.
std::size_t SeriesFold::countInBucket(const SampleBlock& block, std::size_t at) const {
  const auto ts = block.ts.subspan(at);
  if (ts.back() <= bucketEnd_) return ts.size();
  const std::size_t last = run_.count == 0 ? countOfLast_ : 0;
  if (last > 0 && last < ts.size() && ts[last - 1] <= bucketEnd_ && ts[last] > bucketEnd_) {
    return last;
  }
  const std::uint64_t step = static_cast<std::uint64_t>(ts[1]) - static_cast<std::uint64_t>(ts[0]);
  const std::uint64_t room =
      static_cast<std::uint64_t>(bucketEnd_) - static_cast<std::uint64_t>(ts[0]);
  const std::uint64_t guess = room / step + 1;
  if (guess < ts.size() && ts[guess - 1] <= bucketEnd_ && ts[guess] > bucketEnd_) return guess;
  return static_cast<std::size_t>(std::upper_bound(ts.begin(), ts.end(), bucketEnd_) - ts.begin());
}

void SeriesFold::add(const SampleBlock& block) {
  for (std::size_t at = 0; at < block.size();) {
    enterBucketOf(block.ts[at]);
    const std::size_t count = countInBucket(block, at);
    const SampleBlock run{block.ts.subspan(at, count), block.values.subspan(at, count),
                          block.reach};
    if (block.hasNulls) {
      addRunWithNulls(run);
    } else if (!needsRuns_ && at + count < block.size() && run_.isEmpty()) {
      addBucket(run);
    } else {
      addRun(run);
    }
    at += count;
    countOfLast_ = count;
  }
}

// Adds all samples of the series in the bucket at once. The bucket begins and ends in this block,
// so no run is needed.
void SeriesFold::addBucket(const SampleBlock& block) {
  GroupCell& cell = table_.cellOf(group_, bucket_);
  CompensatedSum sum;
  if (needs_.minMax) {
    cell.addBounds(needs_.sum ? addValuesWithBounds(block.values, sum, block.reach)
                              : boundsOf(block.values));
  } else if (needs_.sum) {
    addValues(block.values, sum, block.reach);
  }
  if (needs_.moments) momentsAdder_.add(block.values, cell.moments());
  if (needs_.sum) cell.sum.add(sum);
  if (needs_.edges) {
    cell.addEdges({block.ts.front(), series_, block.values.front()},
                  {block.ts.back(), series_, block.values.back()});
  }
  cell.count += block.size();
}

void SeriesFold::addRunWithNulls(const SampleBlock& block) {
  ts_.resize(std::max(ts_.size(), block.size()));
  values_.resize(ts_.size());
  std::size_t kept = 0;
  for (std::size_t i = 0; i < block.size(); ++i) {
    ts_[kept] = block.ts[i];
    values_[kept] = block.values[i];
    kept += std::isnan(block.values[i]) ? 0 : 1;
  }
  run_.nullCount += block.size() - kept;
  if (kept == 0) return;
  addRun({std::span<const Timestamp>(ts_).first(kept), std::span<const double>(values_).first(kept),
          block.reach});
}

void SeriesFold::addRun(const SampleBlock& block) {
  if (needs_.minMax) {
    addBounds(block);
  } else if (needs_.sum) {
    addValues(block.values, run_.sum, block.reach);
  }
  if (needs_.moments) {
    if (run_.moments == nullptr) run_.moments = std::make_unique<ExactMoments>();
    momentsAdder_.add(block.values, *run_.moments);
  }
  if (needs_.perSeries) addAcross(block);
  if (needs_.values) {
    run_.values.insert(run_.values.end(), block.values.begin(), block.values.end());
  }
  addEnds(block.ts.front(), block.values.front(), block.ts.back(), block.values.back());
  run_.count += block.size();
}

// Adds least and greatest, and the parts computed along with them.
void SeriesFold::addBounds(const SampleBlock& block) {
  const ValueBounds bounds = needs_.sum ? addValuesWithBounds(block.values, run_.sum, block.reach)
                                        : boundsOf(block.values);
  if (needs_.extremes) addExtremes(block, bounds);
  run_.addBounds(bounds);
}

// Adds the times of the first least and the first greatest value.
void SeriesFold::addExtremes(const SampleBlock& block, const ValueBounds& bounds) {
  const auto timeOf = [&block](double value) {
    const auto found = std::find(block.values.begin(), block.values.end(), value);
    return block.ts[static_cast<std::size_t>(found - block.values.begin())];
  };
  if (run_.count == 0 || bounds.min < run_.bounds.min) run_.minTs = timeOf(bounds.min);
  if (run_.count == 0 || bounds.max > run_.bounds.max) run_.maxTs = timeOf(bounds.max);
}

// Adds increase and integral between neighbours, also between the run and the block.
void SeriesFold::addAcross(const SampleBlock& block) {
  if (needsIncrease()) {
    if (run_.count > 0) {
      const double first = block.values.front();
      run_.increase.add(first < run_.lastValue ? first : first - run_.lastValue);
    }
    addIncrease(block.values, run_.increase);
  }
  if (!needs_.integral) return;
  const auto unitsPerSecond = static_cast<double>(plan_.unitsPerSecond);
  Timestamp ts = run_.count > 0 ? run_.lastTs : block.ts.front();
  double value = run_.count > 0 ? run_.lastValue : block.values.front();
  for (std::size_t i = 0; i < block.size(); ++i) {
    const auto units = static_cast<double>(static_cast<std::uint64_t>(block.ts[i]) -
                                           static_cast<std::uint64_t>(ts));
    run_.integral.add((value + block.values[i]) / 2 * (units / unitsPerSecond));
    ts = block.ts[i];
    value = block.values[i];
  }
}

void SeriesFold::addEnds(Timestamp firstTs, double first, Timestamp lastTs, double last) {
  if (run_.count == 0) {
    run_.firstTs = firstTs;
    run_.firstValue = first;
  }
  run_.lastTs = lastTs;
  run_.lastValue = last;
}

bool SeriesFold::isOneBucket(TimeRange range) const {
  // The bounds of the run's bucket stay known after the run ends.
  if (bucketBegin_ <= range.start && range.end <= bucketEnd_) return true;
  return !plan_.bucket ||
         bucketOf(*plan_.bucket, range.start) == bucketOf(*plan_.bucket, range.end);
}

bool SeriesFold::takesSummary(const ChunkSummary& summary) const {
  if (needs_.moments || needs_.extremes || needs_.integral || needs_.values) return false;
  if (needs_.sum && !summary.hasExactSum()) return false;
  if (needs_.minMax && !summary.hasExactBounds()) return false;
  return !needsIncrease() && isOneBucket({summary.tsMin, summary.tsMax});
}

bool SeriesFold::takesExtent(const Memtable::Extent& extent) const {
  if (needs_.sum || needs_.minMax || needs_.moments || needs_.integral || needs_.values) {
    return false;
  }
  return !needsIncrease() && extent.isAscending && isOneBucket(extent.range);
}

void SeriesFold::add(const ChunkSummary& summary) {
  enterBucketOf(summary.tsMin);
  if (needs_.sum) run_.sum.add(summary.exactSum());
  run_.addBounds({summary.min, summary.max});
  addEnds(summary.tsMin, summary.first, summary.tsMax, summary.last);
  run_.count += summary.count;
}

void SeriesFold::add(const Memtable::Extent& extent) {
  enterBucketOf(extent.range.start);
  addEnds(extent.range.start, extent.first, extent.range.end, extent.last);
  run_.count += extent.count;
}

void SeriesFold::flush() {
  if (!run_.isEmpty()) store(run_, plan_.bucket ? groupedBucket(*plan_.bucket, bucket_) : 0);
}

void SeriesFold::store(SampleRun& run, std::int64_t bucket) {
  table_.cellOf(group_, bucket).addRun(run, series_, isCounter_, needs_, plan_.unitsPerSecond);
  run.clear();
}

}  // namespace seriesdb
