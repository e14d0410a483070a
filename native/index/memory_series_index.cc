#include "index/memory_series_index.h"

#include <algorithm>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "index/selection/wanted_series.h"

namespace seriesdb {
namespace {

Status limitReached(std::string message, std::uint64_t limit) {
  message.append(" (limit ").append(std::to_string(limit)).append(")");
  return {StatusCode::kSeriesLimit, std::move(message)};
}

}  // namespace

std::unique_ptr<SeriesIndex> SeriesIndex::make(SeriesLimits limits) {
  return std::make_unique<MemorySeriesIndex>(limits, &seriesIdOf);
}

MemorySeriesIndex::MemorySeriesIndex(SeriesLimits limits, IdOfIdentity idOfIdentity)
    : limits_(limits), idOfIdentity_(idOfIdentity), hashSeed_(randomSeed()), tables_(hashSeed_) {}

Result<SeriesRef> MemorySeriesIndex::findOrCreate(std::string_view name,
                                                  std::span<const Label> labels) {
  if (Status status = checkShape(name, labels); !status.ok()) return status;
  Wanted wanted(name, labels);
  if (Status status = wanted.checkSize(); !status.ok()) return status;
  wanted.hash = hashOf(wanted.identity);
  {
    const std::shared_lock lock(tables_.mutex);
    const SeriesRef known = findLocked(wanted);
    if (known != RefTable::kNone) return known;
  }
  SeriesId id = idOfIdentity_(wanted.identity) & kSeriesIdMask;
  const std::unique_lock lock(tables_.mutex);
  const SeriesRef known = findLocked(wanted);
  if (known != RefTable::kNone) return known;
  if (Status status = checkRoomLocked(name, 1, 1); !status.ok()) return status;
  // There are far fewer series than ids, so a free id exists.
  while (findIdLocked(id) != RefTable::kNone) id = (id + 1) & kSeriesIdMask;
  if (Status full = checkFull(); !full.ok()) return full;
  PairNumbers pairs;
  return addLocked(numberLocked(wanted, pairs), id, wanted.hash);
}

// The series is gone from here on. Posting lists still contain its ref.
void MemorySeriesIndex::loseLocked(SeriesRef ref) {
  std::vector<Label> labels;
  labelsOf(ref, labels);
  const Wanted lost(nameOf(ref), labels);
  SeriesEntry& entry = tables_.series[ref];
  replaceLocked(ref, std::nullopt);
  byIdentity_.remove(hashOf(lost.identity), ref);
  byId_.remove(hashOf(entry.id), ref);
  --tables_.names[entry.name].heldCount;
  entry = {};
  tables_.gone.fetch_add(1, std::memory_order_release);
}

Status MemorySeriesIndex::skip(std::uint32_t end) {
  const std::unique_lock lock(tables_.mutex);
  return skipToLocked(end);
}

Status MemorySeriesIndex::skipToLocked(std::uint32_t end) {
  const std::uint32_t next = tables_.created.load(std::memory_order_relaxed);
  if (end < next || end > kSeriesRefsMax) {
    return Status::corrupt("deleted series up to " + std::to_string(end) + " come after " +
                           std::to_string(next));
  }
  skipLocked(end - next);
  return {};
}

void MemorySeriesIndex::skipLocked(std::uint32_t count) {
  const std::uint32_t next = tables_.created.load(std::memory_order_relaxed);
  tables_.series.skip(count, {});
  if (count > 0) tables_.bounds.skipCells(next + count);
  tables_.gone.fetch_add(count, std::memory_order_release);
  tables_.created.store(next + count, std::memory_order_release);
}

Status MemorySeriesIndex::checkRoom(std::string_view name, std::uint32_t newOfMetric,
                                    std::uint32_t newCount) const {
  const std::shared_lock lock(tables_.mutex);
  return checkRoomLocked(name, newOfMetric, newCount);
}

Status MemorySeriesIndex::checkRoomLocked(std::string_view name, std::uint64_t newOfMetric,
                                          std::uint64_t newCount) const {
  if (limits_.seriesMax != 0 && heldCount() + newCount > limits_.seriesMax) {
    wantsRoom_.store(true, std::memory_order_relaxed);
    return limitReached("the database has reached its limit of series", limits_.seriesMax);
  }
  if (limits_.seriesPerMetricMax == 0) return {};
  const std::uint32_t number = tables_.names.find(name);
  const std::uint64_t held = number == RefTable::kNone ? 0 : tables_.names[number].heldCount;
  if (held + newOfMetric <= limits_.seriesPerMetricMax) return {};
  wantsRoom_.store(true, std::memory_order_relaxed);
  return limitReached("metric \"" + std::string(name) + "\" has as many series as it may have",
                      limits_.seriesPerMetricMax);
}

Status MemorySeriesIndex::checkBytes(std::uint64_t bytes) const {
  if (bytes <= room()) return {};
  noteRefused();
  wantsRoom_.store(true, std::memory_order_relaxed);
  return {StatusCode::kSeriesLimit,
          "memory has no room for a new series: series may take three quarters of "
          "memory_limit_bytes; those that are known are stored"};
}

Status MemorySeriesIndex::checkFull() const {
  const bool isFull = createdCount() >= kSeriesRefsMax || tables_.lists.isFull() ||
                      tables_.pairRuns.size() > UINT32_MAX - 2 * tables_.pairRuns.kChunkSize;
  return isFull ? limitReached("the index is full", kSeriesRefsMax) : Status();
}

// REQUIRES: checkFull() is ok.
SeriesRef MemorySeriesIndex::addLocked(const Numbered& series, SeriesId id, std::uint32_t hash) {
  const SeriesRef ref = tables_.created.load(std::memory_order_relaxed);
  tables_.bounds.addCell(ref);
  byIdentity_.insert(hash, ref);
  byId_.insert(hashOf(id), ref);
  insertLocked(series, id);
  return ref;
}

// Adds the series, except to the tables of identities and ids. REQUIRES: the next series has a
// bounds cell.
void MemorySeriesIndex::insertLocked(const Numbered& series, SeriesId id) {
  const auto& [name, pairs] = series;
  const SeriesRef ref = tables_.created.load(std::memory_order_relaxed);
  std::uint32_t* run = tables_.pairRuns.reserveRun(pairs.size() + 1);
  *run = static_cast<std::uint32_t>(pairs.size());
  std::copy(pairs.begin(), pairs.end(), run + 1);
  for (const std::uint32_t pair : pairs) tables_.lists.append(tables_.pairs.seriesOf(pair), ref);
  tables_.lists.append(tables_.names[name].series, ref);
  ++tables_.names[name].heldCount;
  const std::size_t runAt = tables_.pairRuns.size() - pairs.size() - 1;
  tables_.series.push({id, name, static_cast<std::uint32_t>(runAt)});
  tables_.created.store(ref + 1, std::memory_order_release);
}

// Numbers the texts; unknown texts get new numbers. Stores the numbers of the pairs in `pairs`.
MemorySeriesIndex::Numbered MemorySeriesIndex::numberLocked(const Wanted& wanted,
                                                            PairNumbers& pairs) {
  for (std::size_t i = 0; i < wanted.labels.size(); ++i) {
    const std::string_view text = wanted.pair(i);
    pairs[i] =
        tables_.pairs.intern(wanted.labels[i], {text, tables_.pairs.hashOf(text)}, tables_.keys);
  }
  const std::uint32_t name = internName(wanted.name, tables_.names.hashOf(wanted.name));
  return {name, std::span(pairs).first(wanted.labels.size())};
}

std::uint32_t MemorySeriesIndex::internName(std::string_view text, std::uint32_t hash) {
  const std::uint32_t known = tables_.names.count();
  const std::uint32_t name = tables_.names.intern(text, hash);
  if (name == known) {
    tables_.nameBounds.addCell(name);
    tables_.nameSince.addCell(name);
  }
  return name;
}

}  // namespace seriesdb
