#include "index/memory_series_index.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <shared_mutex>

#include "base/check.h"
#include "index/series_selection.h"
#include "index/wanted_series.h"

namespace seriesdb {

namespace {

// How many ids are looked up before other users of the index get their turn.
constexpr std::size_t kIdsPerLock = 256;

Status checkShape(std::string_view name, std::span<const Label> labels) {
  if (name.empty() || name.size() > kNameSizeMax) {
    return Status::invalid("a series name has 1 to 255 bytes");
  }
  if (labels.size() > kLabelCountMax) return Status::invalid("a series has at most 64 labels");
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i].key.empty() || labels[i].key.size() > kNameSizeMax) {
      return Status::invalid("a label key has 1 to 255 bytes");
    }
    if (i > 0 && labels[i - 1].key >= labels[i].key) {
      return Status::invalid("the labels are not sorted by key");
    }
  }
  return {};
}

// Takes `part` off the front of `rest`; false when it does not begin with it.
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

MemorySeriesIndex::MemorySeriesIndex(SeriesLimits limits, IdOfIdentity idOfIdentity)
    : limits_(limits), idOfIdentity_(idOfIdentity), hashSeed_(randomSeed()), tables_(hashSeed_) {}

std::optional<SeriesRef> MemorySeriesIndex::find(std::string_view identity) const {
  const std::uint32_t hash = hashOf(identity);
  const std::shared_lock lock(tables_.mutex);
  const SeriesRef ref =
      byIdentity_.find(hash, [&](SeriesRef held) { return isIdentity(held, identity); });
  if (ref == RefTable::kNone) return std::nullopt;
  return ref;
}

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
  // There are far fewer series than ids, so that a free one is always found.
  while (findIdLocked(id) != RefTable::kNone) id = (id + 1) & kSeriesIdMask;
  return addLocked(wanted, id);
}

Status MemorySeriesIndex::restore(const SeriesDefinition& definition) {
  const auto refuse = [&](std::string_view why) {
    return Status::corrupt("series " + std::to_string(definition.ref) + ": " + std::string(why));
  };
  const std::vector<Label> labels = viewsOf(definition.labels);
  if (Status status = checkShape(definition.name, labels); !status.ok()) {
    return refuse(status.message());
  }
  Wanted wanted(definition.name, labels);
  if (Status status = wanted.checkSize(); !status.ok()) return refuse(status.message());
  wanted.hash = hashOf(wanted.identity);

  const std::unique_lock lock(tables_.mutex);
  const std::uint32_t next = tables_.created.load(std::memory_order_relaxed);
  const SeriesRef known = findLocked(wanted);
  if (known == definition.ref) {
    if (tables_.series[known].id != definition.id) return refuse("it is known with another id");
    return {};
  }
  if (definition.ref < next && !tables_.has(definition.ref)) return {};
  if (definition.ref < next && known != RefTable::kNone) {
    return refuse("it is known under another number");
  }
  if (definition.ref < next) return refuse("its number belongs to another series");
  if (definition.ref > next) return refuse("the series before it are missing");
  if (definition.id > kSeriesIdMask) return refuse("its id has more than 53 bits");
  // Those were gone when it was created.
  if (known != RefTable::kNone) loseLocked(known);
  const SeriesRef ofId = findIdLocked(definition.id);
  if (ofId != RefTable::kNone) loseLocked(ofId);
  // What is recorded stands, whatever the limits are now.
  const auto added = addLocked(wanted, definition.id);
  return added.ok() ? Status{} : added.status();
}

// The series is gone from here on. Lists have its ref still.
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
  const std::uint32_t next = tables_.created.load(std::memory_order_relaxed);
  if (end < next || end > kSeriesRefsMax) {
    return Status::corrupt("series that are gone up to " + std::to_string(end) + " stand after " +
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

Status MemorySeriesIndex::checkRoom(std::string_view name, std::uint32_t newOfMetric,
                                    std::uint32_t newCount) const {
  const std::shared_lock lock(tables_.mutex);
  return checkRoomLocked(name, newOfMetric, newCount);
}

Status MemorySeriesIndex::checkRoomLocked(std::string_view name, std::uint64_t newOfMetric,
                                          std::uint64_t newCount) const {
  if (limits_.seriesMax != 0 && heldCount() + newCount > limits_.seriesMax) {
    wantsRoom_.store(true, std::memory_order_relaxed);
    return limitReached("the database has as many series as it may have", limits_.seriesMax);
  }
  if (limits_.seriesPerMetricMax == 0) return {};
  const std::uint32_t number = tables_.names.find(name);
  const std::uint64_t held = number == RefTable::kNone ? 0 : tables_.names[number].heldCount;
  if (held + newOfMetric <= limits_.seriesPerMetricMax) return {};
  wantsRoom_.store(true, std::memory_order_relaxed);
  return limitReached("metric \"" + std::string(name) + "\" has as many series as it may have",
                      limits_.seriesPerMetricMax);
}

Status MemorySeriesIndex::checkFull() const {
  const bool isFull = createdCount() >= kSeriesRefsMax || tables_.lists.isFull() ||
                      tables_.pairRuns.size() > UINT32_MAX - 2 * tables_.pairRuns.kChunkSize;
  return isFull ? limitReached("the index is full", kSeriesRefsMax) : Status();
}

Result<SeriesRef> MemorySeriesIndex::addLocked(const Wanted& wanted, SeriesId id) {
  if (Status room = checkFull(); !room.ok()) return room;
  const SeriesRef ref = tables_.created.load(std::memory_order_relaxed);
  tables_.bounds.addCell(ref);
  byIdentity_.insert(wanted.hash, ref);
  byId_.insert(hashOf(id), ref);
  insertLocked(wanted, id);
  return ref;
}

// Not into the tables of identities and ids. REQUIRES: the next series has a cell of bounds.
void MemorySeriesIndex::insertLocked(const Wanted& wanted, SeriesId id) {
  const SeriesRef ref = tables_.created.load(std::memory_order_relaxed);
  const std::size_t runSize = wanted.labels.size() + 1;
  std::uint32_t* run = tables_.pairRuns.reserveRun(runSize);
  *run = static_cast<std::uint32_t>(wanted.labels.size());
  for (std::size_t i = 0; i < wanted.labels.size(); ++i) {
    run[i + 1] = tables_.pairs.intern(wanted.labels[i], wanted.pair(i), tables_.keys);
    tables_.lists.append(tables_.pairs.seriesOf(run[i + 1]), ref);
  }
  const std::uint32_t name = internName(wanted.name);
  tables_.lists.append(tables_.names[name].series, ref);
  ++tables_.names[name].heldCount;
  tables_.series.push({id, name, static_cast<std::uint32_t>(tables_.pairRuns.size() - runSize)});
  tables_.created.store(ref + 1, std::memory_order_release);
}

std::uint32_t MemorySeriesIndex::internName(std::string_view text) {
  const std::uint32_t known = tables_.names.count();
  const std::uint32_t name = tables_.names.intern(text);
  if (name == known) {
    tables_.nameBounds.addCell(name);
    tables_.nameSince.addCell(name);
  }
  return name;
}

std::uint32_t MemorySeriesIndex::hashOf(std::string_view identity) const {
  return static_cast<std::uint32_t>(tableHash(asBytes(identity), hashSeed_) >> 32);
}

// Ids are hashes already; the seed keeps chosen ones from sharing a place.
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
  return Status(StatusCode::kAmbiguousSelector, std::to_string(held.visibleCount) +
                                                    " series are named \"" + std::string(name) +
                                                    "\"; choose one by its labels or by series_id");
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

// Ascending, without those that are unknown.
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

void MemorySeriesIndex::forEachDescriptor(
    const std::function<void(std::string_view, const Descriptor&)>& visit) const {
  // A copy, so that the visitor may call back.
  std::map<std::string, Descriptor, std::less<>> copy;
  {
    const std::shared_lock lock(tables_.mutex);
    copy = descriptors_.all();
  }
  for (const auto& [metric, descriptor] : copy) visit(metric, descriptor);
}

std::uint64_t MemorySeriesIndex::memoryBytes() const {
  const std::shared_lock lock(tables_.mutex, std::try_to_lock);
  if (lock.owns_lock()) {
    memoryBytes_ = tables_.memoryBytes() + byIdentity_.memoryBytes() + byId_.memoryBytes() +
                   descriptors_.memoryBytes();
  }
  return memoryBytes_;
}

}  // namespace seriesdb
