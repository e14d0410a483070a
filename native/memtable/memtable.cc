#include "memtable/memtable.h"

#include <algorithm>
#include <cstring>
#include <mutex>

namespace seriesdb {
namespace {

constexpr std::uint32_t kFirstCapacity = 8;
// Long enough to amortise the lock, short enough that a reader waits well under a millisecond.
constexpr std::size_t kBatch = 4096;
// Rows can be long.
constexpr std::size_t kEraseBatch = 64;
// How far ahead rows, then their tails, are fetched into the cache.
constexpr std::size_t kRowAhead = 16;
constexpr std::size_t kTailAhead = 8;

}  // namespace

// The arena's slabs go with it; blocks of a pool are given back one by one.
Memtable::~Memtable() {
  if (!pool_) return;
  for (const Page& page : pages_) {
    for (std::size_t i = 0; page && i < kPageRows; ++i) {
      const Row& row = page[i];
      if (row.samples != nullptr) giveBack(row.samples, row.capacity * sizeof(Sample));
    }
  }
}

void Memtable::append(std::span<const SeriesRef> refs, std::span<const Timestamp> ts,
                      std::span<const double> values) {
  for (std::size_t at = 0; at < refs.size(); at += kBatch) {
    const std::size_t size = std::min(kBatch, refs.size() - at);
    const std::unique_lock lock(mutex_);
    appendBatch(refs.subspan(at, size), ts.data() + at, values.data() + at);
  }
  memoryBytes_.store(arena_.memoryBytes() + pooledBytes_ + pageBytes_, std::memory_order_relaxed);
  sampleCount_.fetch_add(refs.size(), std::memory_order_relaxed);
}

void Memtable::appendBatch(std::span<const SeriesRef> refs, const Timestamp* ts,
                           const double* values) {
  const std::size_t size = refs.size();
  for (std::size_t i = 0; i < size; ++i) {
    if (i + kRowAhead < size) {
      if (const Row* ahead = findRow(refs[i + kRowAhead])) __builtin_prefetch(ahead, 1);
    }
    if (i + kTailAhead < size) {
      const Row* ahead = findRow(refs[i + kTailAhead]);
      if (ahead != nullptr && ahead->samples != nullptr) {
        __builtin_prefetch(ahead->samples + ahead->count, 1);
      }
    }
    Row& row = rowFor(refs[i]);
    if (row.count == row.capacity) grow(row);
    if (row.count > 0 && ts[i] <= row.last) row.isAscending = false;
    row.samples[row.count++] = {ts[i], values[i]};
    row.last = ts[i];
  }
}

void Memtable::erase(std::shared_ptr<const Tombstone> tombstone) {
  const std::span<const SeriesRef> refs = tombstone->refs;
  const TimeRange range = tombstone->range;
  {
    const std::unique_lock lock(mutex_);
    erasures_.push_back(tombstone);
    erasing_ = tombstone.get();
    erasureStep_.fetch_add(1, std::memory_order_release);
  }
  std::uint64_t erased = 0;
  for (std::size_t at = 0; at < refs.size(); at += kEraseBatch) {
    const std::unique_lock lock(mutex_);
    for (const SeriesRef ref : refs.subspan(at, std::min(kEraseBatch, refs.size() - at))) {
      const Row* found = findRow(ref);
      if (found != nullptr && found->count > 0) erased += eraseFrom(rowFor(ref), range);
    }
  }
  sampleCount_.fetch_sub(erased, std::memory_order_relaxed);
  const std::unique_lock lock(mutex_);
  erasing_ = nullptr;
  erasureStep_.fetch_add(1, std::memory_order_release);
}

Tombstones Memtable::erasuresFrom(std::size_t number) const {
  const std::shared_lock lock(mutex_);
  if (number >= erasures_.size()) return {};
  return {erasures_.begin() + static_cast<std::ptrdiff_t>(number), erasures_.end()};
}

// The order of arrival stays; the buffer too, for what comes next. Returns how many samples went.
std::uint32_t Memtable::eraseFrom(Row& row, TimeRange range) {
  std::uint32_t kept = 0;
  bool isAscending = true;
  for (std::uint32_t i = 0; i < row.count; ++i) {
    const Sample sample = row.samples[i];
    if (range.contains(sample.ts)) continue;
    if (kept > 0 && sample.ts <= row.samples[kept - 1].ts) isAscending = false;
    row.samples[kept++] = sample;
  }
  const std::uint32_t erased = row.count - kept;
  row.count = kept;
  row.isAscending = isAscending;
  if (kept > 0) row.last = row.samples[kept - 1].ts;
  return erased;
}

Memtable::Row& Memtable::rowFor(SeriesRef ref) {
  const std::size_t page = ref / kPageRows;
  if (page >= pages_.size()) {
    pages_.resize(page + 1);
  }
  if (!pages_[page]) {
    pages_[page] = std::make_unique<Row[]>(kPageRows);
    pageBytes_ += kPageRows * sizeof(Row);
  }
  return pages_[page][ref % kPageRows];
}

const Memtable::Row* Memtable::findRow(SeriesRef ref) const {
  const std::size_t page = ref / kPageRows;
  if (page >= pages_.size() || !pages_[page]) return nullptr;
  return &pages_[page][ref % kPageRows];
}

void Memtable::grow(Row& row) {
  const std::uint32_t capacity = row.capacity == 0 ? kFirstCapacity : row.capacity * 2;
  auto* samples = static_cast<Sample*>(takeBuffer(capacity * sizeof(Sample)));
  if (row.samples != nullptr) {
    std::memcpy(samples, row.samples, row.count * sizeof(Sample));
    giveBack(row.samples, row.capacity * sizeof(Sample));
  }
  row.samples = samples;
  row.capacity = capacity;
}

void* Memtable::takeBuffer(std::size_t bytes) {
  if (!pool_ || bytes > SmallPool::kSizeMax) return arena_.allocate(bytes);
  pooledBytes_ += bytes;
  return pool_->allocate(bytes);
}

void Memtable::giveBack(void* buffer, std::size_t bytes) {
  if (!pool_ || bytes > SmallPool::kSizeMax) return arena_.recycle(buffer, bytes);
  pooledBytes_ -= bytes;
  pool_->release(buffer, bytes);
}

// Sorts by time and keeps the last arrival of equal timestamps.
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

bool Memtable::read(SeriesRef ref, const RowRead& wanted, std::vector<Sample>& out) const {
  out.clear();
  const TimeRange range = wanted.range;
  {
    const std::shared_lock lock(mutex_);
    const Row* row = findRow(ref);
    if (row == nullptr || row->count == 0) return false;
    const Sample* begin = row->samples;
    const Sample* end = begin + row->count;
    bool isAscending = row->isAscending;
    // Samples only come behind the others, so that the row of an earlier moment is its beginning.
    if (wanted.asOf != nullptr && wanted.asOf->erasureStep == erasureStep()) {
      end = begin + std::min<std::size_t>(row->count, wanted.asOf->count);
      isAscending = wanted.asOf->isAscending;
    }
    const bool isBeing = isBeingErased(ref);
    if (isAscending && !isBeing) {
      begin = std::lower_bound(begin, end, range.start,
                               [](const Sample& s, Timestamp ts) { return s.ts < ts; });
      end = std::upper_bound(begin, end, range.end,
                             [](Timestamp ts, const Sample& s) { return ts < s.ts; });
      const auto count = static_cast<std::size_t>(end - begin);
      out.assign(begin, begin + std::min(count, wanted.countMax));
      return count > wanted.countMax;
    }
    std::copy_if(begin, end, std::back_inserter(out), [&](const Sample& s) {
      return range.contains(s.ts) && !(isBeing && erasing_->range.contains(s.ts));
    });
  }
  normalize(out);
  return false;
}

std::size_t Memtable::sampleCountOf(SeriesRef ref) const {
  const std::shared_lock lock(mutex_);
  const Row* row = findRow(ref);
  return row == nullptr ? 0 : row->count;
}

Memtable::Extent Memtable::extentOf(SeriesRef ref) const {
  const std::shared_lock lock(mutex_);
  const Row* row = findRow(ref);
  if (row == nullptr || row->count == 0) return {};
  Extent extent;
  extent.count = row->count;
  extent.isAscending = row->isAscending && !isBeingErased(ref);
  extent.range = {INT64_MIN, INT64_MAX};
  extent.erasureStep = erasureStep();
  if (!extent.isAscending) return extent;
  extent.range = {row->samples[0].ts, row->last};
  extent.first = row->samples[0].value;
  extent.last = row->samples[row->count - 1].value;
  return extent;
}

void Memtable::forEachSeries(
    const std::function<bool(SeriesRef, std::span<const Sample>)>& visit) const {
  std::vector<Sample> sorted;
  for (std::size_t page = 0; page < pages_.size(); ++page) {
    if (!pages_[page]) continue;
    for (std::size_t i = 0; i < kPageRows; ++i) {
      const Row& row = pages_[page][i];
      if (row.count == 0) continue;
      std::span<const Sample> samples{row.samples, row.count};
      if (!row.isAscending) {
        sorted.assign(samples.begin(), samples.end());
        normalize(sorted);
        samples = sorted;
      }
      if (!visit(static_cast<SeriesRef>(page * kPageRows + i), samples)) return;
    }
  }
}

}  // namespace seriesdb
