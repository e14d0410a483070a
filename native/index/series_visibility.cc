#include "index/series_visibility.h"

#include <algorithm>
#include <mutex>
#include <shared_mutex>

#include "common/base/check.h"
#include "common/base/work_pace.h"

namespace seriesdb {
namespace {

// The number of series changed under one lock, before other users get a turn.
constexpr std::size_t kReplacedPerLock = 256;

void widen(std::optional<TimeRange>& bounds, TimeRange by) {
  if (!bounds) bounds = by;
  bounds = TimeRange{std::min(bounds->start, by.start), std::max(bounds->end, by.end)};
}

}  // namespace

void SeriesVisibility::noteSamples(std::span<const SeriesRef> refs,
                                   std::span<const Timestamp> ts) {
  const std::uint32_t created = tables_.createdCount();
  for (std::size_t i = 0; isRenewingNames_ && i < refs.size(); ++i) {
    tables_.nameSince.widen(tables_.series[refs[i]].name, {ts[i], ts[i]});
  }
  for (std::size_t i = 0; i < refs.size(); ++i) {
    CHECK(refs[i] < created);
    if (!tables_.bounds.isSet(refs[i])) {
      noteSamples(refs[i], ts[i], ts[i]);
      continue;
    }
    tables_.nameBounds.widen(tables_.series[refs[i]].name, {ts[i], ts[i]});
    tables_.bounds.widen(refs[i], {ts[i], ts[i]});
  }
}

void SeriesVisibility::noteSamples(SeriesRef ref, Timestamp tsMin, Timestamp tsMax) {
  CHECK(ref < tables_.createdCount());
  CHECK(tsMin <= tsMax);
  if (!tables_.has(ref)) return;
  const std::uint32_t name = tables_.series[ref].name;
  tables_.nameBounds.widen(name, {tsMin, tsMax});
  if (isRenewingNames_) tables_.nameSince.widen(name, {tsMin, tsMax});
  if (tables_.bounds.isSet(ref)) return tables_.bounds.widen(ref, {tsMin, tsMax});

  const std::unique_lock lock(tables_.mutex);
  // Bounds first: readers that count the series as visible read its bounds without the lock.
  tables_.bounds.widen(ref, {tsMin, tsMax});
  publish(ref);
}

void SeriesVisibility::publish(SeriesRef ref) {
  const std::uint32_t number = tables_.series[ref].name;
  SeriesName& name = tables_.names[number];
  const auto pairs = tables_.pairsOf(ref);
  name.visibleRefs ^= ref;
  ++name.visibleCount;
  if (pairs.empty()) name.visibleWithoutLabels = ref;
  for (const std::uint32_t pair : pairs) {
    tables_.names.addLabelKey(number, tables_.pairs.keyOf(pair));
  }
  if (published_ != nullptr) published_->push_back(ref);
  tables_.visible.fetch_add(1, std::memory_order_release);
}

void SeriesVisibility::hide(SeriesRef ref) {
  const std::uint32_t number = tables_.series[ref].name;
  SeriesName& name = tables_.names[number];
  const auto pairs = tables_.pairsOf(ref);
  tables_.visible.fetch_sub(1, std::memory_order_release);
  name.visibleRefs ^= ref;
  --name.visibleCount;
  if (pairs.empty()) name.visibleWithoutLabels = RefTable::kNone;
  for (const std::uint32_t pair : pairs) {
    tables_.names.removeLabelKey(number, tables_.pairs.keyOf(pair));
  }
}

void SeriesVisibility::replaceBounds(std::span<const SeriesRef> refs,
                                     std::span<const std::optional<TimeRange>> bounds) {
  CHECK(refs.size() == bounds.size());
  for (std::size_t at = 0; at < refs.size();) {
    const std::unique_lock lock(tables_.mutex);
    const std::size_t end = std::min(refs.size(), at + kReplacedPerLock);
    for (; at < end; ++at) replace(refs[at], bounds[at]);
  }
}

void SeriesVisibility::replace(SeriesRef ref, std::optional<TimeRange> after) {
  CHECK(published_ == nullptr);
  CHECK(ref < tables_.createdCount());
  if (!tables_.has(ref)) return;
  const auto before = tables_.bounds.of(ref);
  // Hide it before removing its bounds; publishing has the reverse order.
  if (before && !after) hide(ref);
  tables_.bounds.replace(ref, after);
  const std::uint32_t number = tables_.series[ref].name;
  if (after) tables_.nameBounds.widen(number, *after);
  if (!before && after) publish(ref);
  SeriesName& name = tables_.names[number];
  if (!before || name.isNarrowed) return;
  const auto all = tables_.nameBounds.of(number);
  const bool hadStart = before->start == all->start && (!after || after->start > before->start);
  const bool hadEnd = before->end == all->end && (!after || after->end < before->end);
  if (!hadStart && !hadEnd) return;
  name.isNarrowed = true;
  tables_.narrowedNames.push_back(number);
}

std::vector<std::uint32_t> SeriesVisibility::beginNameRenewal(std::size_t countMax) {
  const std::unique_lock lock(tables_.mutex);
  auto& all = tables_.narrowedNames;
  const std::size_t left = all.size() - std::min(all.size(), countMax);
  const std::vector<std::uint32_t> names(all.begin() + static_cast<std::ptrdiff_t>(left),
                                         all.end());
  all.resize(left);
  for (const std::uint32_t name : names) {
    tables_.names[name].isNarrowed = false;
    tables_.nameSince.replace(name, std::nullopt);
  }
  isRenewingNames_ = !names.empty();
  return names;
}

std::vector<std::optional<TimeRange>> SeriesVisibility::boundsOfNames(
    std::span<const std::uint32_t> names) const {
  std::vector<std::optional<TimeRange>> all;
  all.reserve(names.size());
  std::vector<PostingSpan> spans;
  for (const std::uint32_t name : names) {
    spans.clear();
    {
      const std::shared_lock lock(tables_.mutex);
      tables_.lists.addSpans(tables_.names[name].series, spans);
    }
    std::optional<TimeRange> bounds;
    for (const PostingSpan span : spans) {
      for (const SeriesRef ref : span) {
        if (const auto one = tables_.bounds.of(ref)) widen(bounds, *one);
      }
      PacedThread::giveWay();
    }
    all.push_back(bounds);
  }
  return all;
}

void SeriesVisibility::endNameRenewal(std::span<const std::uint32_t> names,
                                      std::span<const std::optional<TimeRange>> bounds) {
  CHECK(names.size() == bounds.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    auto all = bounds[i];
    if (const auto since = tables_.nameSince.of(names[i])) widen(all, *since);
    tables_.nameBounds.replace(names[i], all);
  }
  isRenewingNames_ = false;
}

void SeriesVisibility::collectPublished(std::vector<SeriesRef>& published) {
  CHECK(published_ == nullptr && !isRenewingNames_);
  published_ = &published;
}

}  // namespace seriesdb
