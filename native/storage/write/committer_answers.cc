// Applies a logged request to memory, and answers it.
#include <algorithm>
#include <utility>

#include "storage/compaction/ladder.h"
#include "storage/compactor/compaction_clock.h"
#include "storage/write/committer.h"
#include "storage/write/removal.h"

namespace seriesdb {
namespace {

// The maximum bytes of columns that return to their thread; nothing counts them while they wait.
constexpr std::uint64_t kSpentBytesMax = std::uint64_t{128} << 10;

SpentColumns spentOf(StagedSamples& samples) {
  return {std::move(samples.refs), std::move(samples.ts), std::move(samples.values)};
}

}  // namespace

void Committer::apply(const StagedSamples& samples) {
  const auto view = sources_.view.current();
  view->active->append(samples.refs, samples.ts, samples.values);
  const auto index = sources_.index.writable();
  index->noteSamples(samples.refs, samples.ts);
}

void Committer::finish(Request& request, const Status& logged) {
  const StagedSamples& samples = request.samples;
  const std::uint64_t rejectedCount = rejectedCountOf(samples.rejected);
  auto& counters = figures_.counters;
  counters.queueDepth.fetch_sub(1, std::memory_order_relaxed);
  if (request.annotation) return finishAnnotation(request, logged);
  if (request.removal) return finishRemoval(request, logged);
  if (!logged.ok()) {
    counters.rejected.fetch_add(samples.refs.size() + rejectedCount, std::memory_order_relaxed);
    counters.requestBytes.fetch_sub(request.bytes, std::memory_order_relaxed);
    request.done(logged);
    return;
  }
  if (!samples.refs.empty()) apply(samples);
  counters.ingested.fetch_add(samples.refs.size(), std::memory_order_relaxed);
  counters.rejected.fetch_add(rejectedCount, std::memory_order_relaxed);
  counters.legacyLines.fetch_add(samples.legacyLineCount, std::memory_order_relaxed);
  counters.inexact.fetch_add(samples.inexactCount, std::memory_order_relaxed);
  IngestReport report{.ingested = samples.refs.size(),
                      .rejected = rejectedCount,
                      .skipped = samples.skipped,
                      .lineCount = samples.lineCount};
  const TimestampUnit unit = settings_.options.unit;
  const Timestamp wall = wallOf(settings_.options);
  report.suspects =
      findUnitSuspects(samples.ts, unit, wall / unitsPerSecond(unit), samples.conversion);
  noteArrivals(samples.ts, report.suspects.greatest, wall);
  counters.unitSuspect.fetch_add(report.suspects.count, std::memory_order_relaxed);
  for (const RejectedLine& line : samples.rejected) {
    report.rejectedByCode[line.code] += line.count;
  }
  const std::size_t shown = std::min(samples.rejected.size(), kReportedErrorsMax);
  for (std::size_t i = 0; i < shown; ++i) {
    const RejectedLine& line = samples.rejected[i];
    report.errors.push_back({line.line, line.code, line.error, {}});
  }
  counters.requestBytes.fetch_sub(request.bytes, std::memory_order_relaxed);
  if (!samples.rejected.empty()) rejects_.add(std::move(request.samples.rejected));
  if (request.bytes <= kSpentBytesMax) report.spent = spentOf(request.samples);
  request.samples = {};
  request.done(std::move(report));
}

// Timestamps far ahead of our clock say nothing about the clients' clocks, so they are ignored.
void Committer::noteArrivals(std::span<const Timestamp> ts, Timestamp greatest, Timestamp wall) {
  const Timestamp last = later(wall, days(1, settings_.options.unit));
  if (greatest <= last) return figures_.arrivals.note(greatest);
  for (const Timestamp one : ts) {
    if (one <= last) figures_.arrivals.note(one);
  }
}

void Committer::finishAnnotation(Request& request, const Status& logged) {
  figures_.counters.requestBytes.fetch_sub(request.bytes, std::memory_order_relaxed);
  const auto write = std::move(request.annotation);
  if (!logged.ok()) return write->done(logged);
  sources_.annotations.add(write->annotation);
  write->done(std::move(write->annotation));
}

void Committer::finishRemoval(Request& request, const Status& logged) {
  figures_.counters.requestBytes.fetch_sub(request.bytes, std::memory_order_relaxed);
  const auto removal = std::move(request.removal);
  if (!logged.ok()) return removal->done(logged);
  std::shared_ptr<const Tombstone> applied;
  if (!removal->tombstone.refs.empty()) {
    unfrozenRemovals_ += removal->tombstone.refs.size() + kTombstoneWeight;
    applied = applyRemoval(sources_.view, writes_, std::move(removal->tombstone));
  }
  removal->done(std::move(applied));
}

}  // namespace seriesdb
