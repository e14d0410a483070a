// Lookups of series, and of facts about them.
#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "common/base/check.h"
#include "index/memory_series_index.h"
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

}  // namespace

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

Status SeriesIndex::ambiguous(std::size_t count, std::string_view name) {
  return {StatusCode::kAmbiguousSelector, std::to_string(count) + " series are named \"" +
                                              std::string(name) +
                                              "\"; choose one by its labels or by series_id"};
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
