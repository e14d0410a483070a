#include "index/memory_series_index.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "common/base/check.h"
#include "index/memory_series_generation.h"
#include "index/restoring/memory_series_restore.h"
#include "index/selection/series_selection.h"
#include "index/selection/wanted_series.h"

namespace seriesdb {
namespace {

// The number of ids looked up under one lock, before other users get a turn.
constexpr std::size_t kIdsPerLock = 256;

// Removes `part` from the front of `rest`; false if `rest` does not begin with it.
bool take(std::string_view& rest, std::string_view part) {
  if (!rest.starts_with(part)) return false;
  rest.remove_prefix(part.size());
  return true;
}

Status limitReached(std::string message, std::uint64_t limit) {
  message.append(" (limit ").append(std::to_string(limit)).append(")");
  return {StatusCode::kSeriesLimit, std::move(message)};
}

}  // namespace

std::unique_ptr<SeriesIndex> SeriesIndex::make(SeriesLimits limits) {
  return std::make_unique<MemorySeriesIndex>(limits, &seriesIdOf);
}

Status SeriesIndex::ambiguous(std::size_t count, std::string_view name) {
  return {StatusCode::kAmbiguousSelector, std::to_string(count) + " series are named \"" +
                                              std::string(name) +
                                              "\"; choose one by its labels or by series_id"};
}

Status SeriesIndex::restore(std::span<const SeriesDefinition> definitions) {
  SeriesLoad load = emptyLoad();
  for (const auto& [ref, id, name, owned] : definitions) {
    const std::vector<Label> labels = viewsOf(owned);
    const Status added = load.add({ref, id, name, labels}, SeriesLoad::LeftOut::kRefused);
    if (!added.ok()) return added;
  }
  return restoreAll(load);
}

void SeriesIndex::renewNames() {
  constexpr std::size_t kNames = 4096;
  for (auto names = beginNameRenewal(kNames); !names.empty(); names = beginNameRenewal(kNames)) {
    endNameRenewal(names, boundsOfNames(names));
  }
}

MemorySeriesIndex::MemorySeriesIndex(SeriesLimits limits, IdOfIdentity idOfIdentity)
    : limits_(limits),
      idOfIdentity_(idOfIdentity),
      hashSeed_(randomSeed()),
      tables_(hashSeed_),
      visibility_(tables_) {}

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
  visibility_.replace(ref, std::nullopt);
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

Status MemorySeriesIndex::restoreAll(const SeriesLoad& load) {
  const std::unique_lock lock(tables_.mutex);
  return Restoring(*this, load).run();
}

SeriesLoad MemorySeriesIndex::emptyLoad() const { return SeriesLoad(hashSeed_); }

void MemorySeriesIndex::expect(std::uint32_t seriesCount) {
  const std::unique_lock lock(tables_.mutex);
  byIdentity_.reserve(seriesCount);
  byId_.reserve(seriesCount);
}

std::unique_ptr<NextGeneration> MemorySeriesIndex::beginGeneration(SeriesRef keptFrom) {
  return std::make_unique<Generation>(*this, keptFrom);
}

std::optional<SeriesRef> MemorySeriesIndex::find(std::string_view identity) const {
  const std::uint32_t hash = hashOf(identity);
  const std::shared_lock lock(tables_.mutex);
  const SeriesRef ref =
      byIdentity_.find(hash, [&](SeriesRef held) { return isIdentity(held, identity); });
  if (ref == RefTable::kNone) return std::nullopt;
  return ref;
}

bool MemorySeriesIndex::has(SeriesRef ref) const {
  CHECK(ref < createdCount());
  return tables_.has(ref);
}

SeriesRef MemorySeriesIndex::findLocked(const Wanted& wanted) const {
  return byIdentity_.find(wanted.hash,
                          [&](SeriesRef held) { return isIdentity(held, wanted.identity); });
}

SeriesRef MemorySeriesIndex::findIdLocked(SeriesId id) const {
  return byId_.find(hashOf(id), [&](SeriesRef held) { return tables_.series[held].id == id; });
}

bool MemorySeriesIndex::isIdentity(SeriesRef ref, std::string_view identity) const {
  std::string_view rest = identity;
  if (!take(rest, nameOf(ref)) || !take(rest, "|{")) return false;
  bool isFirst = true;
  for (const std::uint32_t pair : tables_.pairsOf(ref)) {
    if (!isFirst && !take(rest, ",")) return false;
    if (!take(rest, tables_.pairs.canonicalOf(pair))) return false;
    isFirst = false;
  }
  return rest == "}";
}

std::uint32_t MemorySeriesIndex::hashOf(std::string_view identity) const {
  return static_cast<std::uint32_t>(tableHash(asBytes(identity), hashSeed_) >> 32);
}

// Ids are hashes already; the seed prevents chosen ids from colliding.
std::uint32_t MemorySeriesIndex::hashOf(SeriesId id) const {
  return static_cast<std::uint32_t>((id * (hashSeed_ | 1)) >> 32);
}

std::optional<SeriesRef> MemorySeriesIndex::findById(SeriesId id) const {
  const std::shared_lock lock(tables_.mutex);
  const SeriesRef ref = findIdLocked(id);
  if (ref == RefTable::kNone || !tables_.bounds.isSet(ref)) return std::nullopt;
  return ref;
}

std::optional<SeriesRef> MemorySeriesIndex::findExact(std::string_view name,
                                                      std::span<const Label> labels) const {
  // A series of another shape cannot exist.
  if (!checkShape(name, labels).ok()) return std::nullopt;
  Wanted wanted(name, labels);
  wanted.hash = hashOf(wanted.identity);
  const std::shared_lock lock(tables_.mutex);
  const SeriesRef ref = findLocked(wanted);
  if (ref == RefTable::kNone || !tables_.bounds.isSet(ref)) return std::nullopt;
  return ref;
}

Result<std::optional<SeriesRef>> MemorySeriesIndex::findByName(std::string_view name) const {
  const std::shared_lock lock(tables_.mutex);
  const std::uint32_t number = tables_.names.find(name);
  if (number == RefTable::kNone) return std::optional<SeriesRef>{};
  const SeriesName& held = tables_.names[number];
  if (held.visibleCount == 0) return std::optional<SeriesRef>{};
  if (held.visibleWithoutLabels != RefTable::kNone) return std::optional(held.visibleWithoutLabels);
  if (held.visibleCount == 1) return std::optional(held.visibleRefs);
  return ambiguous(held.visibleCount, name);
}

SeriesDefinition MemorySeriesIndex::definition(SeriesRef ref) const {
  SeriesDefinition copy{ref, idOf(ref), std::string(nameOf(ref)), {}};
  const auto pairs = tables_.pairsOf(ref);
  copy.labels.reserve(pairs.size());
  for (const std::uint32_t pair : pairs) {
    const Label label = tables_.pairs.labelOf(pair);
    copy.labels.emplace_back(label.key, label.value);
  }
  return copy;
}

SeriesId MemorySeriesIndex::idOf(SeriesRef ref) const {
  CHECK(has(ref));
  return tables_.series[ref].id;
}

std::string_view MemorySeriesIndex::nameOf(SeriesRef ref) const {
  CHECK(has(ref));
  return tables_.names.textOf(tables_.series[ref].name);
}

void MemorySeriesIndex::labelsOf(SeriesRef ref, std::vector<Label>& labels) const {
  CHECK(has(ref));
  labels.clear();
  for (const std::uint32_t pair : tables_.pairsOf(ref)) {
    labels.push_back(tables_.pairs.labelOf(pair));
  }
}

std::vector<SeriesRef> MemorySeriesIndex::withEmptyLabel() const {
  std::vector<SeriesRef> refs;
  const std::shared_lock lock(tables_.mutex);
  const SortedNumbers& keys = tables_.keys.sorted();
  for (auto key = keys.firstNot([](auto) { return false; }); !keys.isEnd(key);
       key = keys.after(key)) {
    // The empty text precedes all others.
    const SortedNumbers& pairs = tables_.keys.pairsOf(keys[key]);
    const auto first = pairs.firstNot([](auto) { return false; });
    if (pairs.isEnd(first) || !tables_.pairs.labelOf(pairs[first]).value.empty()) continue;
    std::vector<PostingSpan> spans;
    tables_.lists.addSpans(tables_.pairs.seriesOf(pairs[first]), spans);
    for (const PostingSpan span : spans) {
      std::ranges::copy_if(span, std::back_inserter(refs),
                           [this](SeriesRef ref) { return tables_.isVisible(ref); });
    }
  }
  std::sort(refs.begin(), refs.end());
  refs.erase(std::unique(refs.begin(), refs.end()), refs.end());
  return refs;
}

std::vector<SeriesRef> MemorySeriesIndex::select(const SeriesFilter& filter) const {
  std::vector<SeriesRef> ofIds;
  if (filter.ids) ofIds = findIds(*filter.ids);
  return selectSeries(tables_, filter, std::move(ofIds));
}

std::optional<std::vector<SeriesRef>> MemorySeriesIndex::selectFew(
    const SeriesFilter& filter) const {
  if (filter.ids && filter.ids->size() > kFewLookups) return std::nullopt;
  std::vector<SeriesRef> ofIds;
  if (filter.ids) ofIds = findIds(*filter.ids);
  return selectFewSeries(tables_, filter, std::move(ofIds));
}

// Ascending, without unknown ids.
std::vector<SeriesRef> MemorySeriesIndex::findIds(std::span<const SeriesId> ids) const {
  std::vector<SeriesRef> refs;
  for (std::size_t at = 0; at < ids.size();) {
    const std::shared_lock lock(tables_.mutex);
    const std::size_t end = std::min(ids.size(), at + kIdsPerLock);
    for (; at < end; ++at) {
      const SeriesRef ref = findIdLocked(ids[at]);
      if (ref != RefTable::kNone) refs.push_back(ref);
    }
  }
  std::sort(refs.begin(), refs.end());
  refs.erase(std::unique(refs.begin(), refs.end()), refs.end());
  return refs;
}

std::optional<TimeRange> MemorySeriesIndex::boundsOf(SeriesRef ref) const {
  CHECK(ref < createdCount());
  return tables_.bounds.of(ref);
}

Status MemorySeriesIndex::checkDescriptor(std::string_view metric,
                                          const DescriptorView& given) const {
  const std::shared_lock lock(tables_.mutex);
  return descriptors_.check(metric, given);
}

Result<bool> MemorySeriesIndex::mergeDescriptor(std::string_view metric,
                                                const DescriptorView& given) {
  const std::unique_lock lock(tables_.mutex);
  return descriptors_.merge(metric, given);
}

Descriptor MemorySeriesIndex::descriptorOf(std::string_view metric) const {
  const std::shared_lock lock(tables_.mutex);
  return descriptors_.of(metric);
}

std::uint64_t MemorySeriesIndex::descriptorBytes() const {
  const std::shared_lock lock(tables_.mutex);
  return descriptors_.memoryBytes();
}

void MemorySeriesIndex::forEachDescriptor(
    const std::function<void(std::string_view, const Descriptor&)>& visit) const {
  // A copy, so that the visitor may call the index.
  std::map<std::string, Descriptor, std::less<>> copy;
  {
    const std::shared_lock lock(tables_.mutex);
    copy = descriptors_.all();
  }
  for (const auto& [metric, descriptor] : copy) visit(metric, descriptor);
}

IndexMemory MemorySeriesIndex::memoryParts() const {
  const std::shared_lock lock(tables_.mutex, std::try_to_lock);
  const std::lock_guard counted(countedMutex_);
  if (!lock.owns_lock()) return counted_;
  counted_ = tables_.memoryParts();
  counted_.tables += byIdentity_.memoryBytes() + byId_.memoryBytes();
  counted_.texts += descriptors_.memoryBytes();
  return counted_;
}

}  // namespace seriesdb
