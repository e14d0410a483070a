#include "storage/engine/engine_stats.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "storage/engine/engine_owners.h"

namespace seriesdb {
namespace {

using Figures = EngineStats;

double counterOf(const Counters::Count& counter) {
  return static_cast<double>(counter.load(std::memory_order_relaxed));
}

void addRetention(const EngineFigures& figures, TimestampUnit unit, const View& view, Figures& to) {
  std::optional<Timestamp> oldest;
  for (const auto& segment : view.segments) {
    const Timestamp first = segment->facts().tsMin;
    oldest = std::min(oldest.value_or(first), first);
  }
  const auto secondsOf = [unit](Timestamp ts) {
    return static_cast<double>(ts) / static_cast<double>(unitsPerSecond(unit));
  };
  const Counters& counters = figures.counters;
  to.insert(to.end(), {
      {"retention_jump_total", counterOf(counters.retentionJumps)},
      {"retention_deferred_total", counterOf(counters.retentionDeferred)},
      {"retention_dropped_segments_total", counterOf(counters.retentionSegments)},
      {"retention_dropped_bytes_total", counterOf(counters.retentionBytes)},
      {"retention_dropped_samples_total", counterOf(counters.retentionSamples)},
      {"retention_clock_seconds", secondsOf(figures.retentionClock.load())},
      {"segment_oldest_seconds", secondsOf(oldest.value_or(0))},
  });
}

// The number of closed WAL files that outlived the last publication and that no commit names.
double unnamedLogs(const Counters& counters, const LedgerFigures& figures) {
  const std::uint64_t first = counters.walOldest.load(std::memory_order_relaxed);
  const std::uint64_t end = counters.walOutlived.load(std::memory_order_relaxed);
  const std::uint64_t from = std::max(first, figures.walNamedFrom.load(std::memory_order_relaxed));
  const std::uint64_t to = std::min(end, figures.walNamedTo.load(std::memory_order_relaxed));
  const std::uint64_t named = from < to ? to - from : 0;
  return end > first ? static_cast<double>(end - first - named) : 0;
}

void addLog(const EngineOwners& owners, Figures& to) {
  const Counters& counters = owners.figures.counters;
  // In this order: the committer sets the pointer before it clears the flag.
  const bool isLogOpen = !owners.room.isAwaited() && owners.writes.wal != nullptr;
  to.insert(to.end(), {
      {"wal_append_total", counterOf(counters.walAppends)},
      {"wal_append_seconds_total", counterOf(counters.walAppendNanos) / 1e9},
      {"wal_append_failed_total", counterOf(counters.walAppendFailed)},
      {"wal_bytes_total", counterOf(counters.walBytes)},
      {"wal_sync_total", counterOf(counters.walSyncs)},
      {"wal_disk_bytes", isLogOpen ? static_cast<double>(owners.writes.wal->diskBytes()) : 0},
      {"wal_torn_tails_total", counterOf(counters.walTornTails)},
  });
  if (const auto& copy = owners.settings.options.copy) {
    std::ranges::move(copy->stats(), std::back_inserter(to));
  }
}

std::uint64_t samplesInMemory(const View& view) {
  std::uint64_t samples = view.active->sampleCount();
  for (const auto& frozen : view.frozen) samples += frozen->memtable->sampleCount();
  return samples;
}

void addMemory(const MemoryUse& use, std::uint64_t limit, Figures& to) {
  const std::pair<const char*, std::uint64_t> parts[] = {
      {"memory_limit_bytes", limit},
      {"memory_used_bytes", use.total()},
      {"memory_memtable_bytes", use.memtables()},
      {"memory_request_bytes", use.requests},
      {"memory_index_bytes", use.index},
      {"memory_annotation_bytes", use.annotations},
      {"memory_tombstone_bytes", use.tombstones},
      {"memory_segment_bytes", use.segments},
      {"memory_commit_bytes", use.commits},
      {"memory_line_bytes", use.lines},
      {"memory_past_bytes", use.past},
      {"memory_query_bytes", use.queries},
      // Older names of four of these figures.
      {"memtable_bytes", use.unflushed},
      {"request_bytes", use.requests},
      {"index_bytes", use.index},
      {"annotation_bytes", use.annotations},
  };
  for (const auto& [name, bytes] : parts) to.emplace_back(name, static_cast<double>(bytes));
}

void addRoom(const EngineOwners& owners, std::uint64_t limit, Figures& to) {
  const std::uint64_t room =
      roomForSeries(owners.sources, owners.figures.ledger, seriesBytesMax(limit));
  to.emplace_back("series_room_bytes", static_cast<double>(room));
  to.emplace_back("series_refused_total", counterOf(owners.figures.counters.seriesRefused));
  to.emplace_back("unread_answers_cut_total", counterOf(owners.figures.counters.answersCut));
}

void addLocks(const EngineOwners& owners, const SeriesIndex& index, Figures& to) {
  const auto secondsOf = [](const LockWaits& waits) { return counterOf(waits.nanos) / 1e9; };
  to.insert(to.end(), {
      {"lock_queue_waits_total", counterOf(owners.figures.queueWaits.count)},
      {"lock_queue_wait_seconds_total", secondsOf(owners.figures.queueWaits)},
      {"lock_memtable_waits_total", counterOf(owners.sources.memtableWaits->count)},
      {"lock_memtable_wait_seconds_total", secondsOf(*owners.sources.memtableWaits)},
      {"lock_index_waits_total", counterOf(index.waits().count)},
      {"lock_index_wait_seconds_total", secondsOf(index.waits())},
      {"lock_generation_waits_total", counterOf(owners.sources.index.waits().count)},
      {"lock_generation_wait_seconds_total", secondsOf(owners.sources.index.waits())},
      {"lock_view_waits_total", counterOf(owners.sources.view.waits().count)},
      {"lock_view_wait_seconds_total", secondsOf(owners.sources.view.waits())},
      {"lock_limits_waits_total", counterOf(owners.settings.limits.waits().count)},
      {"lock_limits_wait_seconds_total", secondsOf(owners.settings.limits.waits())},
  });
}

void addIndex(const IndexMemory& memory, Figures& to) {
  const std::pair<const char*, std::uint64_t> parts[] = {
      {"index_table_bytes", memory.tables},
      {"index_series_bytes", memory.series},
      {"index_bounds_bytes", memory.bounds},
      {"index_posting_bytes", memory.postings},
      {"index_text_bytes", memory.texts},
      {"index_label_bytes", memory.labels},
  };
  for (const auto& [name, bytes] : parts) to.emplace_back(name, static_cast<double>(bytes));
}

}  // namespace

std::size_t damagedChunkCount(const View& view) {
  std::size_t count = 0;
  for (const auto& segment : view.segments) count += segment->damageMet().empty() ? 0 : 1;
  return count;
}

// memtable_append_failed_total is always 0: without memory the process ends.
EngineStats statsOf(const EngineOwners& owners, const MemoryUse& memory) {
  const Counters& counters = owners.figures.counters;
  const LedgerFigures& figures = owners.figures.ledger;
  const PinnedIndex index = owners.sources.index.current();
  const auto view = owners.sources.view.current();
  std::uint64_t segmentBytes = 0;
  std::uint64_t segmentSamples = 0;
  for (const auto& segment : view->segments) {
    segmentBytes += segment->facts().fileSize;
    segmentSamples += segment->facts().sampleCount;
  }
  const std::size_t damagedCount = view->damaged.size();
  const std::uint64_t limit = owners.settings.limits.current().memoryLimitBytes;
  const auto count = counterOf;
  Figures told{
      {"legacy_segment_descriptors", count(figures.legacySegments)},
      {"legacy_wal_descriptors", unnamedLogs(counters, figures)},
      {"loose_refs_present", count(figures.looseRefs)},
      {"snapshots", count(figures.tags)},
      {"history_commits", count(figures.historyCommits)},
      {"history_bytes", count(figures.historyBytes)},
      {"history_oldest_seconds", static_cast<double>(figures.historyOldestMs.load()) / 1e3},
      {"cas_sync_total", count(figures.syncs)},
      {"cas_sync_failed_total", count(figures.syncFailed)},
      {"cas_sync_seconds_total", count(figures.syncNanos) / 1e9},
      {"cas_shadow_mismatch_total", count(figures.shadowMismatches)},
      {"queue_depth", count(counters.queueDepth)},
      {"memtable_samples", static_cast<double>(samplesInMemory(*view))},
      {"flush_total", count(counters.flushes)},
      {"flush_failed_total", count(counters.flushFailed)},
      {"flush_points_total", count(counters.flushPoints)},
      {"flush_seconds_total", count(counters.flushNanos) / 1e9},
      {"memtable_append_failed_total", 0},
      {"ingest_total", count(counters.ingested)},
      {"ingest_rejected_total", count(counters.rejected)},
      {"ingest_rejected_mem_limit_total", count(counters.rejectedByMemory)},
      {"ingest_quarantined_total", count(counters.rejectsWritten)},
      {"ingest_quarantine_write_failed_total", count(counters.rejectsWriteFailed)},
      {"legacy_ingest_lines_total", count(counters.legacyLines)},
      {"ingest_inexact_total", count(counters.inexact)},
      {"ingest_unit_suspect_total", count(counters.unitSuspect)},
      {"range_queries_total", count(counters.rangeQueries)},
      {"compare_queries_total", count(counters.compareQueries)},
      {"annotation_queries_total", count(counters.annotationQueries)},
      {"removals_total", count(counters.removals)},
      {"index_generations_total", count(counters.indexGenerations)},
      {"compactions_total", count(counters.compactions)},
      {"compaction_failed_total", count(counters.compactionFailed)},
      {"compaction_read_bytes_total", count(counters.compactionBytesIn)},
      {"compaction_written_bytes_total", count(counters.compactionBytesOut)},
      {"compaction_seconds_total", count(counters.compactionNanos) / 1e9},
      {"compaction_without_room_bytes", count(counters.compactionWithoutRoom)},
      {"tombstones", static_cast<double>(view->tombstones.size())},
      {"annotations", static_cast<double>(owners.sources.annotations.count())},
      {"series", static_cast<double>(index->visibleCount())},
      {"writes_blocked", owners.figures.health.blocksWrites() ? 1.0 : 0.0},
      {"segments", static_cast<double>(view->segments.size())},
      {"segment_bytes", static_cast<double>(segmentBytes)},
      {"segment_samples", static_cast<double>(segmentSamples)},
      {"segments_quarantined", static_cast<double>(damagedCount)},
      {"segments_damaged", static_cast<double>(damagedChunkCount(*view))},
  };
  addLog(owners, told);
  addMemory(memory, limit, told);
  addRoom(owners, limit, told);
  addIndex(index->memoryParts(), told);
  addRetention(owners.figures, owners.settings.options.unit, *view, told);
  addLocks(owners, *index, told);
  return told;
}

}  // namespace seriesdb
