#include "storage/engine/engine.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <limits>
#include <thread>

#include "common/base/parallel.h"
#include "common/types/file_names.h"
#include "format/segment/segment.h"
#include "storage/engine/empty_labels.h"
#include "storage/engine/engine_open.h"
#include "storage/engine/engine_parts.h"
#include "storage/engine/engine_stats.h"
#include "storage/engine/files_now.h"
#include "storage/engine/recovery.h"
#include "storage/state/refusals.h"
#include "storage/view/selector.h"

namespace seriesdb {
namespace {

// The cores that ingest at full rate keeps busy: one of a listener, one of the committer.
constexpr unsigned kIngestCores = 2;

// Percent of one core for compaction, while ingest is busy.
constexpr std::uint32_t kCompactionPercent = 25;

// Series whose bounds are widened in one step of the committer.
constexpr std::size_t kNotedPerTurn = 256;

using SeriesRanges = std::vector<std::pair<SeriesRef, TimeRange>>;

// Adds the time ranges of the segment's chunks per series. False if a part is unreadable.
bool addRanges(const Segment& segment, std::uint32_t knownSeries, SeriesRanges& ranges) {
  bool isWhole = true;
  std::vector<ChunkEntry> chunks;
  for (std::size_t page = 0; page < segment.pageCount(); ++page) {
    if (!segment.readPage(page, chunks).ok()) {
      isWhole = false;
      continue;
    }
    for (const ChunkEntry& chunk : chunks) {
      if (chunk.series >= knownSeries) continue;
      ranges.push_back({chunk.series, {chunk.summary.tsMin, chunk.summary.tsMax}});
    }
  }
  return isWhole;
}

unsigned coreCount() { return std::max(1u, std::thread::hardware_concurrency()); }

// One core is left to the listener. With two cores or one, all serve queries, because an idle core
// would cost too much.
std::size_t queryThreadCount() {
  const unsigned cores = coreCount();
  return std::max(cores - 1, std::min(cores, 2u));
}

// The CPU percentage for queries while ingest is busy: the cores that ingest leaves, or a tenth of
// one.
std::uint32_t queryPercent() {
  const unsigned cores = coreCount();
  return cores > kIngestCores ? 100 * (cores - kIngestCores) : 10;
}

PaceSurroundings querySurroundings(const StageTimes& stages) {
  return {
      monotonicNanos, [&stages] { return stages.ingestNanos(); },
      [](std::uint64_t nanos) { std::this_thread::sleep_for(std::chrono::nanoseconds(nanos)); }};
}

Status openForReading() {
  return {StatusCode::kStorageUnavailable, "the database is open for reading only"};
}

Compactor::Watch orUnwatched(Engine::Watch watch) {
  return watch == nullptr ? std::make_shared<TaskWatch>() : std::move(watch);
}

Status wrongSnapshotName() {
  return Status::invalid(
      "a snapshot name has 1 to 128 letters, digits, \"_\", \"-\" and \".\", and " +
      std::string("begins with a letter, a digit or \"_\""));
}

}  // namespace

Result<std::unique_ptr<Engine>> Engine::open(FileSystem& fs, const EngineOptions& options) {
  if (const Status checked = options.check(); !checked.ok()) return checked;
  auto owners = openDatabase(fs, options);
  const Status& opened = owners.status();
  if (opened.code() == StatusCode::kStorageCorrupt && options.snapshot.empty()) {
    return Status::corrupt(opened.message() + "; run \"seriesdb repair " + options.directory +
                           "\" to see what can be repaired");
  }
  if (!owners.ok()) return opened;
  auto engine = std::make_unique<Engine>(Key{}, std::move(owners).value());
  if (engine->checkWritable().ok()) renameEmptyLabels(*engine);
  return engine;
}

Engine::Parts::Parts(EngineOwners& engineOwners)
    : owners(engineOwners),
      compactionPace(querySurroundings(owners.figures.stages), kCompactionPercent),
      compactor({owners.settings, owners.sources, owners.description, owners.room, owners.figures},
                compactionPace,
                [this](auto segments, auto done) {
                  remover.forget(std::move(segments), std::move(done));
                }),
      flusher({owners.settings, owners.sources, owners.description, owners.logs, owners.room,
               owners.figures},
              {[this] { compactor.wake(); },
               [this](std::uint64_t number) { owners.writes.wal->forget(number); }}),
      committer({owners.settings, owners.sources, owners.writes, owners.room, owners.figures},
                {[this] { flusher.wake(); }, [this] { return beginWriting(); }}),
      queryPace(querySurroundings(owners.figures.stages), queryPercent()),
      remover(
          {owners.settings, owners.sources, owners.description.manifest, owners.figures.counters},
          committer, queryPace, [this] { compactor.wake(); }),
      queries(queryThreadCount(), &queryPace),
      maintenance(1, &queryPace) {
  compactor.start();
}

Status Engine::Parts::beginWriting() {
  if (Status resumed = resumeWriting(owners); !resumed.ok()) return resumed;
  owners.room.awaitsRoom.store(false, std::memory_order_release);
  compactor.wake();
  flusher.wake();
  return {};
}

Engine::Engine(Key, std::unique_ptr<EngineOwners> owners)
    : owners_(std::move(owners)), parts_(std::make_unique<Parts>(*owners_)) {}

const EngineOptions& Engine::options() const { return owners_->settings.options; }
EngineLimits Engine::limits() const { return owners_->settings.limits.current(); }
PinnedIndex Engine::index() const { return owners_->sources.index.current(); }
const IndexHolder& Engine::indexes() const { return owners_->sources.index; }
const MemoryAccounts& Engine::memory() const { return owners_->sources.memory; }
const AnnotationIndex& Engine::annotations() const { return owners_->sources.annotations; }
PinnedView Engine::pinFiles() const { return owners_->sources.view.current(); }
Result<CommittedFiles> Engine::holdFiles() { return parts_->compactor.holdFiles(); }
const RootFacts& Engine::root() const { return owners_->settings.root; }
StageTimes& Engine::stages() { return owners_->figures.stages; }
const BlockFigures* Engine::blocks() const { return owners_->sources.blocks.get(); }

MemoryUse Engine::memoryUse() const {
  return memoryUseOf(owners_->sources, owners_->writes.activeDescriptors, owners_->figures);
}

Threads Engine::queryThreads() {
  TaskPool& queries = parts_->queries;
  return {[&queries](std::function<void()> task) { return queries.post(std::move(task)); },
          std::max<std::size_t>(queries.threadCount(), 1)};
}

bool Engine::post(Lane lane, std::function<void()> task) {
  TaskPool& pool = lane == Lane::kMaintenance ? parts_->maintenance : parts_->queries;
  return pool.post(std::move(task));
}

// A deletion that was just answered may have frozen a memtable. Its flush makes the requested
// state, so wait for it.
Result<std::shared_ptr<const HeldCommit>> Engine::hold(const PastState& past) {
  const auto view = owners_->sources.view.current();
  if (past.timeMs && !view->frozen.empty()) {
    std::promise<void> tried;
    parts_->flusher.awaitFlushed(view->frozen.back()->sequenceMax,
                          [&tried](const Status&) { tried.set_value(); });
    tried.get_future().wait();
  }
  return parts_->compactor.hold(past);
}

std::string Engine::noteFor(const PastState& past) const {
  const auto manifest = owners_->description.manifest.hold();
  const Commit& head = manifest->headCommit();
  return noteOfState(past, head.edit, head.timeMs);
}

Status Engine::checkWritable() const {
  if (options().isReadOnly) return openForReading();
  return owners_->room.isAwaited() ? awaitingRoom() : Status();
}

Result<std::unique_ptr<Engine>> Engine::openBeside(FileSystem& fs, EngineOptions options,
                                                   std::shared_ptr<const HeldCommit> held) {
  const std::uint64_t bytes = held->memoryBytes;
  const std::uint64_t limit = owners_->settings.limits.current().memoryLimitBytes;
  if (bytes > memoryUse().roomForPast(limit)) {
    return Status(StatusCode::kQueryLimit, "the past state needs about " + std::to_string(bytes) +
                                               " bytes of memory, more than memory_limit_bytes = " +
                                               std::to_string(limit) + " has free now");
  }
  // Counts the memory until the new engine counts its own.
  MemoryHold opening(owners_->sources.memory.past);
  opening.set(bytes);
  options.isLockHeld = true;
  options.copy = nullptr;  // It has no log, and its close must not end the copy of ours.
  options.held = std::move(held);
  options.counted = memory();
  return open(fs, options);
}

Engine::~Engine() { static_cast<void>(close().ok()); }

Status Engine::close() {
  const std::lock_guard lock(parts_->closing);
  parts_->remover.stop();
  static_cast<void>(parts_->committer.stop().ok());  // Health reports the failure, too.
  parts_->flusher.stop();
  parts_->compactor.stop();
  parts_->maintenance.stop();
  parts_->queries.stop();
  if (options().copy) options().copy->finish();
  if (owners_->settings.options.held) owners_->settings.options.held->isDone = true;
  owners_->settings.lock.reset();
  if (!owners_->figures.health.isReadOnly()) return Status::okStatus();
  return {StatusCode::kStorageUnavailable, owners_->figures.health.writeFailure()};
}

void Engine::configure(const EngineLimits& limits) {
  owners_->settings.limits.replace(limits);
  if (owners_->settings.historyKeepMs.exchange(limits.historyKeepMs) != limits.historyKeepMs) {
    parts_->compactor.wake();
  }
}

Status Engine::admit() const {
  Status room = checkRoom();
  if (room.code() == StatusCode::kBackpressure) countMemoryRefusal();
  return room;
}

Status Engine::admitScratch(std::uint64_t bytes) const {
  const MemoryUse use = memoryUse();
  const std::uint64_t limit = owners_->settings.limits.current().memoryLimitBytes;
  if (use.unflushed + use.requests + bytes < use.roomToIngest(limit)) return {};
  countMemoryRefusal();
  if (bytes >= use.mostRoomToIngest(limit)) {
    return {StatusCode::kPayloadTooLarge,
            "to read so long a line takes more memory than memory_limit_bytes leaves"};
  }
  return {StatusCode::kBackpressure,
          "memory to read a long line is used up (memory_limit_bytes); try again shortly"};
}

void Engine::countMemoryRefusal() const {
  owners_->figures.counters.rejectedByMemory.fetch_add(1, std::memory_order_relaxed);
}

Status Engine::checkRoom() const {
  if (Status open = checkWritable(); !open.ok()) return open;
  if (owners_->figures.health.isReadOnly()) {
    return {StatusCode::kStorageUnavailable,
            "the database is read-only because a WAL write failed"};
  }
  if (Status copied = checkCopied(options().copy.get()); !copied.ok()) return copied;
  const MemoryUse use = memoryUse();
  const std::uint64_t room = use.roomToIngest(owners_->settings.limits.current().memoryLimitBytes);
  if (use.unflushed + use.requests < room) return Status::okStatus();
  return {StatusCode::kBackpressure,
          "memory for unflushed data is used up (memory_limit_bytes); try again shortly"};
}

Status Engine::admitQuery() const {
  const MemoryUse use = memoryUse();
  const std::uint64_t limit = owners_->settings.limits.current().memoryLimitBytes;
  if (use.queries <= use.roomToQuery(limit)) return Status::okStatus();
  return {StatusCode::kQueryLimit, "the query needs more memory than memory_limit_bytes = " +
                                       std::to_string(limit) + " leaves for queries"};
}

std::uint64_t Engine::countCutAnswers(std::uint64_t count) {
  owners_->figures.counters.answersCut.fetch_add(count, std::memory_order_relaxed);
  return unreadBytesMax(owners_->settings.limits.current().memoryLimitBytes, options().listeners);
}

void Engine::holdBytes(std::int64_t change) {
  owners_->figures.counters.requestBytes.fetch_add(static_cast<std::uint64_t>(change),
                                                   std::memory_order_relaxed);
}

void Engine::freeApart(std::shared_ptr<void> held, std::uint64_t bytes) const {
  const auto count = [&counters = owners_->figures.counters, bytes] {
    counters.requestBytes.fetch_sub(bytes, std::memory_order_relaxed);
  };
  const bool isPosted = owners_->sources.releases->post([held = std::move(held), count]() mutable {
    held.reset();
    count();
  });
  if (!isPosted) count();
}

void Engine::countRejected(std::uint64_t samples) {
  owners_->figures.counters.rejected.fetch_add(samples, std::memory_order_relaxed);
}

void Engine::countRequest(Stage stage) {
  Counters& counters = owners_->figures.counters;
  if (stage == Stage::kRangeRead) counters.rangeQueries.fetch_add(1, std::memory_order_relaxed);
  if (stage == Stage::kCompare) counters.compareQueries.fetch_add(1, std::memory_order_relaxed);
  if (stage != Stage::kAnnotations) return;
  counters.annotationQueries.fetch_add(1, std::memory_order_relaxed);
}

void Engine::commit(StagedSamples samples, std::uint64_t bytes, Committed done) {
  parts_->committer.submit({std::move(samples), bytes, std::move(done), nullptr, nullptr, {}});
}

void Engine::commitMissing(StagedSamples samples, std::uint64_t bytes, Committed done) {
  parts_->committer.submit(
      {std::move(samples), bytes, std::move(done), nullptr, nullptr, {}, true});
}

void Engine::deleteAnnotation(std::uint64_t publicId, Annotated done, OwnedLabels required) {
  // The committer fills in the last text of the annotation.
  Annotation erasure;
  erasure.changes = publicId;
  erasure.isErasure = true;
  annotate(std::move(erasure), std::move(done), std::move(required));
}

void Engine::annotate(Annotation annotation, Annotated done, OwnedLabels required) {
  const Status admitted = admit();
  if (!admitted.ok()) return done(admitted);
  const std::uint64_t bytes = sizeOf(annotation);
  holdBytes(static_cast<std::int64_t>(bytes));
  auto write = std::make_unique<AnnotationWrite>(
      AnnotationWrite{std::move(annotation), std::move(required), std::move(done)});
  parts_->committer.submit({{}, bytes, {}, std::move(write), nullptr, {}});
}

void Engine::remove(Removal removal, Removed done) {
  const Status admitted = admit();
  if (!admitted.ok()) return done(admitted);
  for (const TimeRange range : removal.ranges) {
    if (range.start > range.end) return done(Status::invalid("a range ends before it begins"));
  }
  const std::size_t idCount = removal.series.ids ? removal.series.ids->size() : 0;
  const auto bytes = static_cast<std::int64_t>(idCount * sizeof(SeriesId));
  holdBytes(bytes);
  parts_->remover.remove(std::move(removal), [this, bytes, done = std::move(done)](auto removed) {
    holdBytes(-bytes);
    acknowledge(options().copy.get(), owners_->writes.wal.get(), done, std::move(removed));
  });
}

void Engine::compact(Compacted done, Watch watch) {
  if (Status open = checkWritable(); !open.ok()) return done(open);
  parts_->compactor.compactAll(std::move(done), orUnwatched(std::move(watch)));
}

void Engine::compactDue(Compacted done) {
  if (Status open = checkWritable(); !open.ok()) return done(open);
  parts_->compactor.compactDue(std::move(done));
}

void Engine::migrate(Migrated done, Watch watch) {
  if (Status open = checkWritable(); !open.ok()) return done(open);
  parts_->compactor.migrateAll(std::move(done), orUnwatched(std::move(watch)));
}

void Engine::collect(CollectionRequest request, Collected done) {
  const bool isOnlyAsked = request.isDryRun && options().isReadOnly;
  if (Status open = checkWritable(); !open.ok() && !isOnlyAsked) return done(open);
  parts_->compactor.collect(request, std::move(done));
}

void Engine::repairSegment(std::uint64_t number, bool isLossAccepted, Repaired done) {
  if (Status open = checkWritable(); !open.ok()) return done(open);
  owners_->sources.unnotedSegments.fetch_add(1, std::memory_order_acq_rel);
  parts_->compactor.repairSegment(
      number, isLossAccepted, [this, done = std::move(done)](auto repaired) {
        noteSeries(std::move(repaired), std::move(done));
      });
}

// Only the committer may widen bounds.
void Engine::noteSeries(Result<SegmentRepair> repaired, Repaired done) {
  auto waiting = std::make_shared<SeriesRanges>();
  if (repaired.ok()) {
    const auto index = this->index();
    const std::uint32_t known = index->createdCount();
    for (const auto& segment : repaired.value().readable) {
      // If a part is unreadable, bounds stay too narrow until a restart. Until then no series may
      // be dropped.
      if (addRanges(*segment, known, *waiting)) continue;
      owners_->sources.unnotedSegments.fetch_add(1, std::memory_order_acq_rel);
    }
  }
  const auto tell = [this, repaired = std::move(repaired), done = std::move(done)] {
    owners_->sources.unnotedSegments.fetch_sub(1, std::memory_order_acq_rel);
    done(repaired);
  };
  const bool isTaken = parts_->committer.runInTurns([this, waiting, tell] {
    const auto noted = owners_->sources.index.writable();
    for (std::size_t i = 0; i < kNotedPerTurn && !waiting->empty(); ++i) {
      const auto& [ref, range] = waiting->back();
      noted->noteSamples(ref, range.start, range.end);
      waiting->pop_back();
    }
    if (waiting->empty()) tell();
    return !waiting->empty();
  });
  if (!isTaken) tell();
}

std::pair<std::vector<SegmentFacts>, PinnedView> Engine::segmentsNow() const {
  auto view = owners_->sources.view.current();
  std::vector<SegmentFacts> all(view->damaged.begin(), view->damaged.end());
  for (const auto& segment : view->segments) all.push_back(segment->facts());
  return {std::move(all), std::move(view)};
}

FilesNow Engine::filesNow(const std::function<void(const FilesNow&)>& look) const {
  const auto manifest = owners_->description.manifest.hold();
  FilesNow now{manifest->state(), owners_->sources.view.current(), std::nullopt};
  if (owners_->writes.wal) now.log = owners_->writes.wal->settledEnd();
  look(now);
  return now;
}

void Engine::createSnapshot(std::string name, Tagged done) {
  if (Status open = checkWritable(); !open.ok()) return done(open);
  if (!file_names::isSnapshotName(name)) return done(wrongSnapshotName());
  flush([this, name = std::move(name), done = std::move(done)](Status flushed) {
    done(flushed.ok() ? parts_->compactor.addTag(name) : flushed);
  });
}

void Engine::deleteSnapshot(std::string name, Tagged done) {
  if (Status open = checkWritable(); !open.ok()) return done(open);
  if (!file_names::isSnapshotName(name)) return done(wrongSnapshotName());
  const bool isPosted = parts_->maintenance.post([this, name = std::move(name), done] {
    done(parts_->compactor.removeTag(name));
  });
  if (!isPosted) done(closedDatabase());
}

Result<PinnedView> Engine::pinView(TimeRange range) const {
  owners_->figures.counters.reads.fetch_add(1, std::memory_order_relaxed);
  auto view = owners_->sources.view.current();
  const Status readable = checkReadable(*view, range);
  if (!readable.ok()) return readable;
  return view;
}

void Engine::flush(Flushed done, bool isOfLog) {
  if (Status open = checkWritable(); !open.ok()) return done(open);
  const auto cause = isOfLog ? Freezer::Cause::kLog : Freezer::Cause::kFlush;
  const auto await = [this, done = std::move(done)](const Result<std::uint64_t>& frozen) {
    if (!frozen.ok()) return done(frozen.status());
    parts_->flusher.awaitFlushed(frozen.value(), done);
  };
  parts_->committer.freeze(await, cause);
}

std::vector<std::pair<std::string, double>> Engine::stats() const {
  return statsOf(*owners_, memoryUse());
}

void Engine::report(const std::string& topic, const std::string& reason) {
  owners_->figures.health.report(topic, reason);
}

std::uint64_t Engine::lastSequence() { return parts_->committer.lastSequence(); }

Engine::Described Engine::described() const {
  const auto manifest = owners_->description.manifest.hold();
  return {manifest->headCommit().edit, manifest->refsBytes()};
}

Status Engine::checkDescribed() const {
  const auto manifest = owners_->description.manifest.hold();
  const std::string reason = manifest->behindReason();
  return reason.empty() ? Status() : Status(StatusCode::kStorageUnavailable, reason);
}

std::vector<std::string> Engine::degradedReasons() const {
  std::vector<std::string> reasons = owners_->figures.health.reasons();
  const auto view = owners_->sources.view.current();
  for (const auto& segment : view->segments) {
    std::string damage = segment->damageMet();
    if (!damage.empty()) reasons.push_back(std::move(damage));
  }
  return reasons;
}

std::vector<std::string> Engine::degradedKinds() const {
  std::vector<std::string> kinds = owners_->figures.health.kinds();
  const auto view = owners_->sources.view.current();
  kinds.insert(kinds.end(), damagedChunkCount(*view), "damaged_chunk");
  return kinds;
}

}  // namespace seriesdb
