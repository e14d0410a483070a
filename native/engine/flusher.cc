#include "engine/flusher.h"

#include <algorithm>
#include <chrono>
#include <iterator>

#include "base/clock.h"
#include "engine/removal.h"
#include "engine/segment_split.h"
#include "model/file_names.h"

namespace seriesdb {
namespace {
// Between tries after a failure, for example while the disk is full.
constexpr auto kRetryAfterFirst = std::chrono::seconds(1);
constexpr auto kRetryAfterMax = std::chrono::seconds(60);
}  // namespace

Flusher::Flusher(EngineState& state) : state_(state) {
  thread_ = std::thread([this] { run(); });
}

Flusher::~Flusher() { stop(); }

void Flusher::wake() {
  const std::lock_guard lock(mutex_);
  isWoken_ = true;
  wake_.notify_one();
}

void Flusher::awaitFlushed(std::uint64_t sequence, Done done) {
  {
    const std::lock_guard lock(mutex_);
    if (!isStopping_) {
      waiters_.emplace_back(sequence, std::move(done));
      isWoken_ = true;
      wake_.notify_one();
      return;
    }
  }
  done(Status(StatusCode::kClosed, "the database is closed"));
}

void Flusher::stop() {
  {
    const std::lock_guard lock(mutex_);
    isStopping_ = true;
    wake_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
  settleWaiters(Status(StatusCode::kClosed, "the database is closed"));
}

void Flusher::run() {
  auto retryAfter = kRetryAfterFirst;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return isWoken_ || isStopping_; });
      if (isStopping_) return;
      isWoken_ = false;
    }
    const Status flushed = flushOldest();
    settleWaiters(flushed);
    if (flushed.ok()) {
      retryAfter = kRetryAfterFirst;
      continue;
    }
    std::unique_lock lock(mutex_);
    // Whoever asks for a flush, a stop among them, wants a try now.
    wake_.wait_for(lock, retryAfter, [this] { return isStopping_ || !waiters_.empty(); });
    retryAfter = std::min(retryAfter * 2, kRetryAfterMax);
    isWoken_ = true;
  }
}

// Flushes what is frozen until nothing is, or one fails.
Status Flusher::flushOldest() {
  for (;;) {
    const auto view = state_.view.current();
    if (view->frozen.empty()) return Status::okStatus();
    const std::uint64_t begin = monotonicNanos();
    const Status flushed = flush(*view->frozen.front());
    auto& counters = state_.counters;
    const std::uint64_t nanos = monotonicNanos() - begin;
    counters.flushNanos.fetch_add(nanos, std::memory_order_relaxed);
    state_.stages.record(Stage::kFlush, nanos);
    failWritesIfFinal();
    if (!flushed.ok()) {
      counters.flushFailed.fetch_add(1, std::memory_order_relaxed);
      const bool isFull = flushed.code() == StatusCode::kStorageUnavailable;
      if (isFull && state_.reserve.release()) continue;
      state_.health.report("flush", "a flush failed: " + flushed.message());
      return flushed;
    }
    state_.health.report("flush", "");
    counters.flushes.fetch_add(1, std::memory_order_relaxed);
    counters.flushPoints.fetch_add(view->frozen.front()->memtable->sampleCount(),
                                   std::memory_order_relaxed);
    const std::lock_guard lock(mutex_);
    if (isStopping_) return Status::okStatus();
  }
}

// What a sync that failed left on disk is unknown, and nothing can be written behind it. The log
// still has all that was acknowledged; but it could never be shortened again, so no more is taken
// until a restart has read what there is.
void Flusher::failWritesIfFinal() {
  for (const auto& [file, failure] :
       {std::pair{file_names::kCatalog, &state_.catalog->failure()},
        std::pair{file_names::kAnnotations, &state_.annotationLog.failure()},
        std::pair{file_names::kManifest, &state_.manifest->failure()}}) {
    if (failure->ok()) continue;
    state_.health.failWrites("cannot write " + std::string(file) + ": " + failure->message());
  }
}

Status Flusher::flush(const FrozenMemtable& frozen) {
  const Status catalogued = writeCatalog(frozen);
  if (!catalogued.ok()) return catalogued;
  const Status annotated = state_.annotationLog.append(state_.annotations, frozen.annotationCount);
  if (!annotated.ok()) return annotated;

  auto facts = writeSegments(state_, *frozen.memtable, state_.manifest->state().nextSegment,
                             frozen.sequenceMax);
  if (!facts.ok()) return facts.status();
  std::vector<std::shared_ptr<const Segment>> opened;
  for (const SegmentFacts& one : facts.value()) {
    auto segment = Segment::open(state_.fs, state_.path(file_names::kSegmentDirectory), one);
    if (!segment.ok()) return segment.status();
    opened.push_back(std::move(segment).value());
  }

  ManifestEdit edit;
  edit.added = facts.value();
  edit.walFloor = frozen.walFloor;
  edit.flushedSequence = frozen.sequenceMax;
  edit.annotationCount = frozen.annotationCount;
  edit.tombstones = unrecordedTombstones(frozen.sequenceMax);
  const Status recorded = state_.manifest->apply(edit);
  if (!recorded.ok()) return recorded;

  publish(std::move(opened));
  reportSegmentCount(state_);
  removeWalBelow(frozen.walFloor);
  return Status::okStatus();
}

Status Flusher::writeCatalog(const FrozenMemtable& frozen) {
  // A flush that is tried again finds what the first try recorded.
  if (frozen.sequenceMax == cataloguedSequence_) return Status::okStatus();
  std::vector<SeriesDefinition> series;
  for (std::uint32_t ref = state_.catalogSeriesCount; ref < frozen.seriesCount; ++ref) {
    series.push_back(state_.index->definition(ref));
  }
  std::vector<std::pair<std::string, Descriptor>> descriptors;
  for (const auto& one : frozen.descriptors) descriptors.emplace_back(one.metric, one.descriptor);
  if (series.empty() && descriptors.empty()) return Status::okStatus();
  const Status appended = state_.catalog->append(series, descriptors);
  if (!appended.ok()) return appended;
  state_.catalogSeriesCount = std::max(state_.catalogSeriesCount, frozen.seriesCount);
  cataloguedSequence_ = frozen.sequenceMax;
  return appended;
}

// Those that the log will no longer hold, as far as they mask anything that is in segments, joined
// where that is the same.
Tombstones Flusher::unrecordedTombstones(std::uint64_t last) const {
  const auto view = state_.view.current();
  Tombstones wanted;
  for (const auto& one : view->tombstones.all()) {
    const bool isNew = one->sequence > state_.manifest->state().flushedSequence;
    if (isNew && one->sequence <= last && masksSegment(*view, *one)) wanted.push_back(one);
  }
  return joinTombstones(state_.manifest->state(), wanted);
}

// One step for readers: the samples move from the frozen memtable to segments, and tombstones that
// mask nothing any more go. The lists are built before, while readers and the committer go on.
void Flusher::publish(std::vector<std::shared_ptr<const Segment>> opened) {
  const std::lock_guard lock(state_.tombstoneMutex);
  const auto before = state_.view.current();
  auto segments = before->segments;
  segments.append(std::move(opened));
  const ManifestState& recorded = state_.manifest->state();
  const std::uint64_t last = before->tombstones.lastSequence();
  Tombstones left = recorded.tombstones;
  for (auto& one : before->tombstones.after(recorded.flushedSequence)) {
    left.push_back(std::move(one));
  }
  TombstoneList tombstones(std::move(left));
  state_.view.update([&](View& view) {
    view.frozen.erase(view.frozen.begin());
    view.segments = std::move(segments);
    for (auto& one : view.tombstones.after(last)) tombstones.add(std::move(one));
    view.tombstones = std::move(tombstones);
  });
}

void Flusher::removeWalBelow(std::uint64_t floor) {
  const std::string directory = state_.path(file_names::kWalDirectory);
  const auto names = state_.fs.list(directory);
  if (!names.ok()) return;  // They are removed by the next flush or at the next start.
  std::uint64_t oldest = floor;
  for (const std::string& name : names.value()) {
    const auto number = file_names::walNumber(name);
    if (!number || *number >= floor) continue;
    const Status removed = state_.fs.remove(file_names::join(directory, name));
    if (!removed.ok()) oldest = std::min(oldest, *number);
  }
  state_.counters.walOldest.store(oldest, std::memory_order_relaxed);
}

void Flusher::settleWaiters(const Status& result) {
  const std::uint64_t flushed = state_.manifest->state().flushedSequence;
  std::vector<Done> settled;
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(waiters_, [&](auto& waiter) {
      if (waiter.first > flushed && result.ok()) return false;
      settled.push_back(std::move(waiter.second));
      return true;
    });
  }
  for (auto& done : settled) done(result);
}

}  // namespace seriesdb
