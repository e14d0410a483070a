#include "storage/engine/flusher.h"

#include <algorithm>
#include <chrono>
#include <iterator>

#include "common/base/clock.h"
#include "common/types/file_names.h"
#include "storage/compactor/compaction_clock.h"
#include "storage/compactor/publication.h"
#include "storage/compactor/segments/level_zero.h"
#include "storage/state/free_memory.h"
#include "storage/state/refusals.h"
#include "storage/write/removal.h"

namespace seriesdb {
namespace {
// The delay between tries after a failure, for example while the disk is full.
constexpr auto kRetryAfterFirst = std::chrono::seconds(1);
constexpr auto kRetryAfterMax = std::chrono::seconds(60);
constexpr std::uint64_t kShortenPauseMs = 600'000;
// CATALOG gets definitions in pieces of this size; those of a million series take half a GiB.
constexpr std::size_t kCopiedBytes = std::size_t{16} << 20;
// If a flush describes this many new series, it frees some hundred bytes per series at its end.
constexpr std::uint32_t kManySeries = std::uint32_t{1} << 16;

std::uint64_t flushedSequenceOf(ManifestHolder& manifestHolder) {
  const auto manifest = manifestHolder.hold();
  return manifest->state().flushedSequence;
}
}  // namespace

Flusher::Flusher(const Owners& owners, Events events)
    : settings_(owners.settings),
      sources_(owners.sources),
      description_(owners.description),
      logs_(owners.logs),
      room_(owners.room),
      figures_(owners.figures),
      events_(std::move(events)),
      flushedSequence_(flushedSequenceOf(description_.manifest)) {
  // True at first: space may be free again for writes that failed at the start.
  isWoken_ = true;
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
  done(closedDatabase());
}

void Flusher::stop() {
  {
    const std::lock_guard lock(mutex_);
    isStopping_ = true;
    wake_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
  settleWaiters(closedDatabase());
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
    if (flushed.ok() && catchUp()) {
      retryAfter = kRetryAfterFirst;
      continue;
    }
    std::unique_lock lock(mutex_);
    // Any flush request, including one by stop(), ends the wait.
    wake_.wait_for(lock, retryAfter, [&] {
      return isStopping_ || !waiters_.empty() || (flushed.ok() && isWoken_);
    });
    retryAfter = std::min(retryAfter * 2, kRetryAfterMax);
    isWoken_ = true;
  }
}

// Flushes frozen memtables until none is left, or one fails.
Status Flusher::flushOldest() {
  for (;;) {
    const auto view = sources_.view.current();
    if (view->frozen.empty()) return Status::okStatus();
    // Replay may have frozen memtables while the disk is full.
    if (room_.isAwaited()) return awaitingRoom();
    const std::uint64_t begin = monotonicNanos();
    const Status flushed = flush(*view->frozen.front());
    auto& counters = figures_.counters;
    const std::uint64_t nanos = monotonicNanos() - begin;
    counters.flushNanos.fetch_add(nanos, std::memory_order_relaxed);
    figures_.stages.record(Stage::kFlush, nanos);
    failWritesIfFinal();
    if (!flushed.ok()) {
      counters.flushFailed.fetch_add(1, std::memory_order_relaxed);
      const bool isFull = flushed.code() == StatusCode::kStorageUnavailable;
      if (isFull && room_.reserve.release()) continue;
      figures_.health.report("flush", "a flush failed: " + flushed.message());
      // The compactor may be able to free space.
      if (isFull) events_.onFlushed();
      return flushed;
    }
    figures_.health.report("flush", "");
    counters.flushes.fetch_add(1, std::memory_order_relaxed);
    counters.flushPoints.fetch_add(view->frozen.front()->memtable->sampleCount(),
                                   std::memory_order_relaxed);
    const std::lock_guard lock(mutex_);
    if (isStopping_) return Status::okStatus();
  }
}

// After a failed sync the state on disk is unknown, so nothing may be appended. The log has all
// acknowledged records, but could never be shortened. Therefore writes stop until a restart has
// read the files.
void Flusher::failWritesIfFinal() {
  const auto manifest = description_.manifest.hold();
  const std::string deciding = manifest->decidingFile();
  for (const auto& [file, failure] :
       {std::pair{file_names::kCatalog, &logs_.catalog->failure()},
        std::pair{file_names::kAnnotations, &logs_.annotationLog.failure()},
        std::pair{std::string_view(deciding), &manifest->failure()}}) {
    if (failure->ok()) continue;
    figures_.health.failWrites("cannot write " + std::string(file) + ": " + failure->message());
  }
}

// Writes an edit that a description lacks. Until then no WAL or segment file is removed, so a disk
// that was full for a moment would stay full. False if the description still lacks it.
bool Flusher::catchUp() {
  if (settings_.options.isReadOnly || room_.isAwaited()) return true;
  {
    const auto manifest = description_.manifest.hold();
    if (!manifest->isBehind() && !isWalKept_) return true;
    if (manifest->isBehind()) {
      const auto free = settings_.fs.freeBytes(settings_.options.directory);
      // Without space for it, the write would only take space from the log.
      if (free.ok() && free.value() < manifest->unsavedBytes()) return false;
      const Status written = recordEdit(figures_.health, manifest, {});
      if (!written.ok() || manifest->isBehind()) return false;
    }
    isWalKept_ = false;
    removeWalBelow(manifest->state().walFloor);
  }
  events_.onFlushed();
  return true;
}

Status Flusher::flush(const FrozenMemtable& frozen) {
  const std::uint32_t known = logs_.catalogSeriesCount;
  const Status written = write(frozen);
  if (logs_.catalogSeriesCount - known >= kManySeries) returnFreeMemory();
  return written;
}

Status Flusher::write(const FrozenMemtable& frozen) {
  if (Status catalogued = writeCatalog(frozen); !catalogued.ok()) return catalogued;
  const Status annotated = logs_.annotationLog.append(sources_.annotations, frozen.annotationCount);
  if (!annotated.ok()) return annotated;

  const std::lock_guard writing(description_.segmentWriting);
  const auto facts = writeSegment(frozen);
  if (!facts.ok()) return facts.status();
  if (Status recorded = record(frozen, facts.value()); !recorded.ok()) return recorded;
  reportSegmentCount(description_.manifest, settings_.options.segmentCountMax, figures_.health);
  figures_.counters.walOutlived.store(figures_.counters.walNumber, std::memory_order_relaxed);
  if (!isWalKept_) removeWalBelow(frozen.walFloor);
  shortenCatalog();
  events_.onFlushed();
  return Status::okStatus();
}

// If the edit of the last try failed, its segment is used again: a memtable may take a minute to
// write. If the segment's file is gone, it is written anew.
Result<std::optional<SegmentFacts>> Flusher::writeSegment(const FrozenMemtable& frozen) {
  if (written_ && writtenSequence_ == frozen.sequenceMax && sources_.openSegment(*written_).ok()) {
    return written_;
  }
  written_.reset();
  // A try that failed before left a file, which this one replaces.
  if (number_ == 0) number_ = description_.nextSegment.fetch_add(1);
  auto facts = writeLevelZero(settings_, description_.manifest, *frozen.memtable, number_,
                              frozen.sequenceMax);
  if (!facts.ok()) return facts.status();
  written_ = facts.value();
  writtenSequence_ = frozen.sequenceMax;
  return facts;
}

Status Flusher::record(const FrozenMemtable& frozen, std::optional<SegmentFacts> facts) {
  const auto manifest = description_.manifest.hold();
  ManifestEdit edit;
  SegmentChange change;
  change.isFlush = true;
  if (facts) {
    facts->sequenceMin = manifest->state().flushedSequence + 1;
    facts->frozenAt =
        presentOf(settings_.options, std::max(facts->tsMax, newestOf(manifest->state())));
    facts->codecs = kCodecsOfTiers;
    auto segment = sources_.openSegment(*facts);
    if (!segment.ok()) return segment.status();
    change.added.push_back(std::move(segment).value());
    edit.added.push_back(*facts);
  }
  edit.timeMs = frozen.frozenMs;
  edit.isBeforeRemoval = frozen.isBeforeRemoval;
  edit.walFloor = frozen.walFloor;
  edit.flushedSequence = frozen.sequenceMax;
  edit.annotationCount = frozen.annotationCount;
  edit.seriesCount = logs_.catalogSeriesCount;
  edit.tombstones = unrecordedTombstones(manifest->state(), frozen.sequenceMax);
  const Status recorded =
      recordEdit(figures_.health, manifest, std::move(edit), frozen.descriptors.all());
  if (!recorded.ok()) return recorded;
  isWalKept_ = manifest->isBehind();
  publish(sources_, manifest->state(), std::move(change));
  flushedSequence_ = frozen.sequenceMax;
  if (facts) number_ = 0;
  written_.reset();
  return recorded;
}

// Rewrites CATALOG without deleted series if they are most of it. CATALOG also works with them, so
// a failure is not retried soon.
void Flusher::shortenCatalog() {
  const auto index = sources_.index.current();
  const std::uint64_t most =
      2 * std::uint64_t{index->heldCount()} + settings_.options.goneSeriesMin;
  if (logs_.catalog->definitionCount() < most || monotonicMs() < shortenAfterMs_) return;
  const auto free = settings_.fs.freeBytes(settings_.options.directory);
  const bool hasRoom = free.ok() && free.value() > 2 * logs_.catalog->size();
  const Status done =
      hasRoom ? logs_.catalog->rewrite(*index, logs_.catalogSeriesCount) : free.status();
  if (!hasRoom || !done.ok()) shortenAfterMs_ = monotonicMs() + kShortenPauseMs;
}

Status Flusher::writeCatalog(const FrozenMemtable& frozen) {
  // A retried flush finds the definitions that the first try recorded.
  if (frozen.sequenceMax == cataloguedSequence_) return Status::okStatus();
  const auto index = sources_.index.current();
  std::vector<SeriesDefinition> series;
  std::uint32_t ref = logs_.catalogSeriesCount;
  while (ref < frozen.seriesCount) {
    series.clear();
    for (std::size_t bytes = 0; ref < frozen.seriesCount && bytes < kCopiedBytes; ++ref) {
      series.push_back(index->definition(ref));
      bytes += memoryBytesOf(series.back());
    }
    const Status appended = logs_.catalog->append(series, {});
    if (!appended.ok()) return appended;
    logs_.catalogSeriesCount = ref;
  }
  const Status appended = logs_.catalog->append({}, frozen.descriptors.all());
  if (!appended.ok()) return appended;
  cataloguedSequence_ = frozen.sequenceMax;
  return appended;
}

// The tombstones that leave the WAL and mask samples of segments, joined where this keeps the
// result.
Tombstones Flusher::unrecordedTombstones(const ManifestState& recorded,
                                         std::uint64_t last) const {
  const auto view = sources_.view.current();
  Tombstones wanted;
  for (const auto& one : view->tombstones.all()) {
    const bool isNew = one->sequence > recorded.flushedSequence;
    if (isNew && one->sequence <= last && masksSegment(*view, *one)) wanted.push_back(one);
  }
  return joinTombstones(recorded, wanted);
}

void Flusher::removeWalBelow(std::uint64_t floor) {
  const std::string directory = settings_.path(file_names::kWalDirectory);
  const auto names = settings_.fs.list(directory);
  if (!names.ok()) return;  // The next flush or the next start removes these files.
  floor = settings_.walFloor(floor);
  std::uint64_t oldest = floor;
  for (const std::string& name : names.value()) {
    const auto number = file_names::walNumber(name);
    if (!number || *number >= floor) continue;
    const Status removed = settings_.fs.remove(file_names::join(directory, name));
    if (removed.ok()) {
      events_.onWalRemoved(*number);
    } else {
      oldest = std::min(oldest, *number);
    }
  }
  figures_.counters.walOldest.store(oldest, std::memory_order_relaxed);
}

void Flusher::settleWaiters(const Status& result) {
  std::vector<Done> settled;
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(waiters_, [&](auto& waiter) {
      if (waiter.first > flushedSequence_ && result.ok()) return false;
      settled.push_back(std::move(waiter.second));
      return true;
    });
  }
  for (auto& done : settled) done(result);
}

}  // namespace seriesdb
