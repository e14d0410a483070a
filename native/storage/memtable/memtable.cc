#include "storage/memtable/memtable.h"

#include <algorithm>
#include <cstring>
#include <mutex>

namespace seriesdb {
namespace {

// With this capacity, a million series of a few samples take 96 MB, strips included.
constexpr std::uint32_t kFirstCapacity = 4;
// Long enough to amortise the lock, short enough that a reader waits well under a millisecond.
constexpr std::size_t kBatch = 4096;
// An erasure of more series, or with more samples after the erased ones, is deferred.
constexpr std::size_t kErasedAtOnce = 64;
constexpr std::size_t kMovedAtOnce = 65536;
// The strips and samples that one step of a deferred erasure handles.
constexpr std::size_t kCarryOutStrips = 1024;
constexpr std::size_t kCarryOutSamples = 65536;
// The series, or out-of-order samples, that mayHold() checks before it answers true.
constexpr std::size_t kAskedMax = 65536;
// The prefetch distances of strips and of their tails, in samples.
constexpr std::size_t kStripAhead = 16;
constexpr std::size_t kTailAhead = 8;

// The samples within the range; they ascend in time.
template <typename One>
std::span<One> within(std::span<One> samples, TimeRange range) {
  const auto begin =
      std::lower_bound(samples.begin(), samples.end(), range.start,
                       [](const Sample& s, Timestamp ts) { return s.ts < ts; });
  const auto end = std::upper_bound(begin, samples.end(), range.end,
                                    [](Timestamp ts, const Sample& s) { return ts < s.ts; });
  return {begin, end};
}

// The number of samples that an erasure of the range must read or move.
std::size_t movedBy(TimeRange range, std::span<const Sample> strip, bool isAscending) {
  if (!isAscending) return strip.size();
  const auto erased = within(strip, range);
  return erased.empty() ? 0 : static_cast<std::size_t>(&strip.back() - &erased.front()) + 1;
}

bool isIn(const std::vector<TimeRange>& ranges, Timestamp ts) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [ts](TimeRange range) { return range.contains(ts); });
}

// Replaces `out` by at most `countMax` samples outside all ranges. Returns whether more remain.
bool copyOutside(const std::vector<TimeRange>& ranges, std::span<const Sample> samples,
                 std::size_t countMax, std::vector<Sample>& out) {
  out.clear();
  for (const Sample& sample : samples) {
    if (isIn(ranges, sample.ts)) continue;
    if (out.size() == countMax) return true;
    out.push_back(sample);
  }
  return false;
}

}  // namespace

void Memtable::append(std::span<const SeriesRef> refs, std::span<const Timestamp> ts,
                      std::span<const double> values) {
  // Counted before readers can see the samples: a reader skips the lookup if the count is 0.
  sampleCount_.fetch_add(refs.size(), std::memory_order_relaxed);
  for (std::size_t at = 0; at < refs.size(); at += kBatch) {
    const std::size_t size = std::min(kBatch, refs.size() - at);
    const std::unique_lock lock(mutex_);
    appendBatch(refs.subspan(at, size), ts.data() + at, values.data() + at);
  }
  counted_.set(arena_.memoryBytes() + pageBytes_);
  memoryBytes_.store(counted_.bytes(), std::memory_order_relaxed);
}

void Memtable::appendBatch(std::span<const SeriesRef> refs, const Timestamp* ts,
                           const double* values) {
  const std::size_t size = refs.size();
  const std::size_t erasures = largeErasures_.size();
  for (std::size_t i = 0; i < size; ++i) {
    if (i + kStripAhead < size) {
      if (const Strip* ahead = findStrip(refs[i + kStripAhead])) __builtin_prefetch(ahead, 1);
    }
    if (i + kTailAhead < size) {
      const Strip* ahead = findStrip(refs[i + kTailAhead]);
      if (ahead != nullptr && ahead->samples != nullptr) {
        __builtin_prefetch(ahead->samples + ahead->count, 1);
      }
    }
    Strip& strip = stripFor(refs[i]);
    if (strip.carriedOut != erasures) catchUp(refs[i], strip);
    if (strip.count == strip.capacity) grow(strip);
    if (strip.count > 0 && ts[i] <= strip.last) strip.isAscending = false;
    strip.samples[strip.count++] = {ts[i], values[i]};
    strip.last = ts[i];
    strip.isFinite &= values[i] - values[i] == 0;
  }
}

void Memtable::erase(std::shared_ptr<const Tombstone> tombstone) {
  const std::span<const SeriesRef> refs = tombstone->refs;
  const TimeRange range = tombstone->range;
  std::size_t moved = 0;
  for (std::size_t i = 0; i < refs.size() && refs.size() <= kErasedAtOnce; ++i) {
    const Strip* strip = findStrip(refs[i]);
    if (strip == nullptr) continue;
    moved += movedBy(range, {strip->samples, strip->count}, strip->isAscending);
  }
  const bool isLater = refs.size() > kErasedAtOnce || moved > kMovedAtOnce;
  std::uint64_t erased = 0;
  {
    const std::unique_lock lock(mutex_);
    erasures_.push_back(tombstone);
    if (isLater) largeErasures_.push_back(tombstone);
    // A small erasure changes the strips under the same lock, so it is one step.
    erasureCount_.store(erasures_.size(), std::memory_order_relaxed);
    erasureStep_.fetch_add(1, std::memory_order_release);
    if (isLater) return;
    for (const SeriesRef ref : refs) {
      const Strip* found = findStrip(ref);
      if (found != nullptr && found->count > 0) erased += eraseFrom(stripFor(ref), range);
    }
  }
  sampleCount_.fetch_sub(erased, std::memory_order_relaxed);
}

bool Memtable::mayHold(const Tombstone& tombstone) const {
  if (sampleCount() == 0) return false;
  if (tombstone.refs.size() > kAskedMax) return true;
  std::size_t looked = 0;
  return std::ranges::any_of(tombstone.refs, [&](SeriesRef ref) {
    const Strip* strip = findStrip(ref);
    if (strip == nullptr || strip->count == 0) return false;
    const std::span<const Sample> samples(strip->samples, strip->count);
    if (strip->isAscending) return !within(samples, tombstone.range).empty();
    looked += samples.size();
    return looked > kAskedMax || std::ranges::any_of(samples, [&](const Sample& sample) {
             return tombstone.range.contains(sample.ts);
           });
  });
}

bool Memtable::carryOut() {
  if (carriedOut_ == largeErasures_.size()) return false;
  const std::unique_lock lock(mutex_);
  const auto& refs = largeErasures_[carriedOut_]->refs;
  const std::size_t end = std::min(refs.size(), carriedOutSeries_ + kCarryOutStrips);
  std::size_t samples = 0;
  for (; carriedOutSeries_ < end && samples < kCarryOutSamples; ++carriedOutSeries_) {
    const SeriesRef ref = refs[carriedOutSeries_];
    const Strip* found = findStrip(ref);
    if (found == nullptr || found->count == 0) continue;
    samples += found->count;
    catchUp(ref, stripFor(ref));
  }
  if (carriedOutSeries_ < refs.size()) return true;
  carriedOutSeries_ = 0;
  return ++carriedOut_ < largeErasures_.size();
}

// Applies pending erasures to the strip. REQUIRES: the lock, exclusively.
void Memtable::catchUp(SeriesRef ref, Strip& strip) {
  std::uint64_t erased = 0;
  if (strip.count > 0) {
    for (const TimeRange range : pendingOf(ref, strip)) erased += eraseFrom(strip, range);
  }
  strip.carriedOut = static_cast<std::uint32_t>(largeErasures_.size());
  if (erased == 0) return;
  sampleCount_.fetch_sub(erased, std::memory_order_relaxed);
  // Later samples of the strip have moved.
  erasureStep_.fetch_add(1, std::memory_order_release);
}

// Ranges that are erased, but not yet removed from the strip. REQUIRES: the lock, or no writer
// left.
std::vector<TimeRange> Memtable::pendingOf(SeriesRef ref, const Strip& strip) const {
  std::vector<TimeRange> pending;
  for (std::size_t i = std::max<std::size_t>(strip.carriedOut, carriedOut_);
       i < largeErasures_.size(); ++i) {
    if (largeErasures_[i]->holds(ref)) pending.push_back(largeErasures_[i]->range);
  }
  return pending;
}

Tombstones Memtable::erasuresFrom(std::size_t number) const {
  const std::shared_lock lock(mutex_);
  if (number >= erasures_.size()) return {};
  return {erasures_.begin() + static_cast<std::ptrdiff_t>(number), erasures_.end()};
}

// Keeps the order of arrival, and the buffer for later samples. Returns the number of removed
// samples.
std::uint32_t Memtable::eraseFrom(Strip& strip, TimeRange range) {
  Sample* const end = strip.samples + strip.count;
  Sample* left = end;
  if (strip.isAscending) {
    // Samples before the range stay in place: a strip may be long, and deletions often miss it.
    const auto erased = within<Sample>({strip.samples, end}, range);
    if (erased.empty()) return 0;
    left = std::move(erased.data() + erased.size(), end, erased.data());
  } else {
    const auto isErased = [range](const Sample& s) { return range.contains(s.ts); };
    left = std::remove_if(strip.samples, end, isErased);
    const auto descends = [](const Sample& a, const Sample& b) { return a.ts >= b.ts; };
    strip.isAscending = std::adjacent_find(strip.samples, left, descends) == left;
  }
  const auto kept = static_cast<std::uint32_t>(left - strip.samples);
  const std::uint32_t erased = strip.count - kept;
  strip.count = kept;
  if (erased > 0) ++strip.eraseCount;
  if (kept > 0) strip.last = strip.samples[kept - 1].ts;
  return erased;
}

Memtable::Strip& Memtable::stripFor(SeriesRef ref) {
  const std::size_t page = ref / kPageStrips;
  if (page >= pages_.size()) {
    pages_.resize(page + 1);
  }
  if (!pages_[page]) {
    pages_[page] = std::make_unique<Strip[]>(kPageStrips);
    pageBytes_ += kPageStrips * sizeof(Strip);
  }
  return pages_[page][ref % kPageStrips];
}

const Memtable::Strip* Memtable::findStrip(SeriesRef ref) const {
  const std::size_t page = ref / kPageStrips;
  if (page >= pages_.size() || !pages_[page]) return nullptr;
  return &pages_[page][ref % kPageStrips];
}

void Memtable::grow(Strip& strip) {
  const std::uint32_t capacity = strip.capacity == 0 ? kFirstCapacity : strip.capacity * 2;
  auto* samples = static_cast<Sample*>(arena_.allocate(capacity * sizeof(Sample)));
  if (strip.samples != nullptr) {
    std::memcpy(samples, strip.samples, strip.count * sizeof(Sample));
    arena_.recycle(strip.samples, strip.capacity * sizeof(Sample));
  }
  strip.samples = samples;
  strip.capacity = capacity;
}

// Sorts by time. If timestamps are equal, keeps the last arrival.
void Memtable::normalize(std::vector<Sample>& samples) {
  std::stable_sort(samples.begin(), samples.end(),
                   [](const Sample& a, const Sample& b) { return a.ts < b.ts; });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (i + 1 < samples.size() && samples[i + 1].ts == samples[i].ts) continue;
    samples[kept++] = samples[i];
  }
  samples.resize(kept);
}

bool Memtable::read(SeriesRef ref, const StripRead& wanted, std::vector<Sample>& out) const {
  out.clear();
  const TimeRange range = wanted.range;
  {
    const std::shared_lock lock(mutex_);
    const Strip* strip = findStrip(ref);
    if (strip == nullptr || strip->count == 0) return false;
    const Sample* begin = strip->samples;
    const Sample* end = begin + strip->count;
    bool isAscending = strip->isAscending;
    // Without erasures, new samples only follow the others, so the strip at an earlier moment is a
    // prefix.
    if (wanted.asOf != nullptr && wanted.asOf->erasureStep == erasureStep()) {
      end = begin + std::min<std::size_t>(strip->count, wanted.asOf->count);
      isAscending = wanted.asOf->isAscending;
    }
    const auto pending = pendingOf(ref, *strip);
    if (isAscending) {
      const auto found = within<const Sample>({begin, end}, range);
      if (!pending.empty()) return copyOutside(pending, found, wanted.countMax, out);
      const auto taken = found.first(std::min(found.size(), wanted.countMax));
      out.assign(taken.begin(), taken.end());
      return found.size() > wanted.countMax;
    }
    std::copy_if(begin, end, std::back_inserter(out), [&](const Sample& s) {
      return range.contains(s.ts) && !isIn(pending, s.ts);
    });
  }
  normalize(out);
  return false;
}

std::size_t Memtable::sampleCountOf(SeriesRef ref) const {
  const std::shared_lock lock(mutex_);
  const Strip* strip = findStrip(ref);
  return strip == nullptr ? 0 : strip->count;
}

Memtable::Extent Memtable::extentOf(SeriesRef ref) const {
  const std::shared_lock lock(mutex_);
  const Strip* strip = findStrip(ref);
  if (strip == nullptr || strip->count == 0) return {};
  Extent extent;
  extent.count = strip->count;
  extent.isFinite = strip->isFinite;
  extent.isAscending = strip->isAscending && pendingOf(ref, *strip).empty();
  extent.range = {INT64_MIN, INT64_MAX};
  extent.erasureStep = erasureStep();
  if (!extent.isAscending) return extent;
  extent.range = {strip->samples[0].ts, strip->last};
  extent.first = strip->samples[0].value;
  extent.last = strip->samples[strip->count - 1].value;
  return extent;
}

Memtable::StripMark Memtable::markOf(SeriesRef ref) const {
  const std::shared_lock lock(mutex_);
  const Strip* strip = findStrip(ref);
  return strip == nullptr ? StripMark{} : StripMark{strip->count, strip->eraseCount};
}

bool Memtable::widenSince(SeriesRef ref, StripMark mark, std::optional<TimeRange>& bounds) const {
  const Strip* strip = findStrip(ref);
  if (strip == nullptr) return true;
  if (strip->eraseCount != mark.eraseCount || !pendingOf(ref, *strip).empty()) return false;
  for (std::uint32_t i = mark.count; i < strip->count; ++i) {
    const Timestamp ts = strip->samples[i].ts;
    if (!bounds) bounds = TimeRange{ts, ts};
    bounds = TimeRange{std::min(bounds->start, ts), std::max(bounds->end, ts)};
  }
  return true;
}

void Memtable::forEachSeries(
    const std::function<bool(SeriesRef, std::span<const Sample>)>& visit) const {
  std::vector<Sample> sorted;
  for (std::size_t page = 0; page < pages_.size(); ++page) {
    if (!pages_[page]) continue;
    for (std::size_t i = 0; i < kPageStrips; ++i) {
      const Strip& strip = pages_[page][i];
      if (strip.count == 0) continue;
      std::span<const Sample> samples{strip.samples, strip.count};
      const auto ref = static_cast<SeriesRef>(page * kPageStrips + i);
      const auto pending = pendingOf(ref, strip);
      if (!strip.isAscending || !pending.empty()) {
        static_cast<void>(copyOutside(pending, samples, SIZE_MAX, sorted));
        normalize(sorted);
        samples = sorted;
      }
      if (!samples.empty() && !visit(ref, samples)) return;
    }
  }
}

}  // namespace seriesdb
