#include "storage/write/resolve_pending.h"

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/base/check.h"
#include "index/catalog/catalog.h"
#include "index/descriptor_table.h"

namespace seriesdb {
namespace {

// All or nothing: if the last new series would exceed a limit, the request creates no series.
Status checkRoom(const SeriesIndex& index, const StagedSamples& samples,
                 const SeriesLimits& limits) {
  if (limits.seriesMax == 0 && limits.seriesPerMetricMax == 0) return Status::okStatus();
  std::unordered_map<std::string_view, std::uint32_t> newOfMetric;
  std::uint32_t newCount = 0;
  for (const PendingSeries& series : samples.pendingSeries) {
    if (knownRef(index, series)) continue;
    Status room = index.checkRoom(series.name, ++newOfMetric[series.name], ++newCount);
    if (!room.ok()) return room;
  }
  return Status::okStatus();
}

Status check(const SeriesIndex& index, const StagedSamples& samples, const SeriesLimits& limits) {
  if (Status fits = checkSampleCount(samples.refs.size()); !fits.ok()) return fits;
  for (const PendingDescriptor& one : samples.pendingDescriptors) {
    if (samples.keepsFirstDescriptors) break;
    Status checked = index.checkDescriptor(one.metric, viewOf(one.descriptor));
    if (!checked.ok()) return checked;
  }
  return checkRoom(index, samples, limits);
}

// The definition of the series in the index that has it.
template <typename Indexes>
SeriesDefinition definitionIn(const Indexes& indexes, SeriesRef ref) {
  const auto found = std::ranges::find_if(indexes, [ref](const auto& one) {
    return ref < one->createdCount() && one->has(ref);
  });
  CHECK(found != indexes.end());
  return (*found)->definition(ref);
}

// A series that was deleted after its line was parsed is treated as a new one.
void forgetGone(const SeriesIndex& index, StagedSamples& samples) {
  const auto isOther = [&index](const auto& one) { return one.get() != &index; };
  const auto indexes = std::exchange(samples.indexes, {});
  if (std::ranges::none_of(indexes, isOther)) return;
  std::unordered_map<SeriesRef, SeriesRef> pendingOf;
  for (SeriesRef& ref : samples.refs) {
    if ((ref & kPendingBit) != 0 || index.has(ref)) continue;
    const auto next = static_cast<SeriesRef>(samples.pendingSeries.size()) | kPendingBit;
    const auto [at, isNew] = pendingOf.try_emplace(ref, next);
    if (isNew) {
      SeriesDefinition definition = definitionIn(indexes, ref);
      samples.pendingSeries.push_back({std::move(definition.name), std::move(definition.labels)});
    }
    ref = at->second;
  }
}

Status createAll(SeriesIndex& index, const std::deque<PendingSeries>& all,
                 std::vector<SeriesRef>& refs) {
  for (const PendingSeries& series : all) {
    auto ref = index.findOrCreate(series.name, viewsOf(series.labels));
    if (!ref.ok()) return ref.status();
    refs.push_back(ref.value());
  }
  return Status::okStatus();
}

}  // namespace

std::optional<SeriesRef> knownRef(const SeriesIndex& index, const PendingSeries& series) {
  return index.find(identityText(series.name, viewsOf(series.labels)));
}

Status limitDescriptors(const SeriesIndex& index, StagedSamples& samples, std::uint64_t bytesMax) {
  auto& pending = samples.pendingDescriptors;
  if (pending.empty()) return {};
  const std::uint64_t held = index.descriptorBytes();
  std::uint64_t room = bytesMax - std::min(bytesMax, held);
  const auto isPast = [&room](const PendingDescriptor& one) {
    const std::uint64_t bytes = DescriptorTable::memoryBytesOf(one.metric, viewOf(one.descriptor));
    if (bytes > room) return true;
    room -= bytes;
    return false;
  };
  const auto past = std::stable_partition(pending.begin(), pending.end(), std::not_fn(isPast));
  if (past == pending.end()) return {};
  const bool isAnyKept = !samples.refs.empty() || past != pending.begin();
  if (!samples.keepsFirstDescriptors || !isAnyKept) {
    return {StatusCode::kSeriesLimit,
            "metric descriptors (kind, unit, description) take " + std::to_string(held) +
                " bytes, and those of the request exceed the limit of " + std::to_string(bytesMax) +
                " bytes, an eighth of memory_limit_bytes"};
  }
  const auto pastCount = static_cast<std::uint64_t>(pending.end() - past);
  samples.skipped[static_cast<std::size_t>(SkipReason::kMetadataLimit)] += pastCount;
  pending.erase(past, pending.end());
  return {};
}

Status limitSeries(const SeriesIndex& index, const StagedSamples& samples, std::uint64_t room) {
  std::uint64_t bytes = 0;
  for (const PendingSeries& series : samples.pendingSeries) {
    const std::string identity = identityText(series.name, viewsOf(series.labels));
    if (index.find(identity)) continue;
    bytes += SeriesIndex::bytesOfNew(identity.size());
    if (bytes <= room) continue;
    return {StatusCode::kSeriesLimit,
            "no memory for the new series of the request; see memory_limit_bytes"};
  }
  return {};
}

Status resolvePending(SeriesIndex& index, StagedSamples& samples, const SeriesLimits& limits) {
  forgetGone(index, samples);
  Status checked = check(index, samples, limits);
  if (!checked.ok()) return checked;
  std::vector<SeriesRef> refs;
  if (Status created = createAll(index, samples.pendingSeries, refs); !created.ok()) return created;
  std::erase_if(samples.pendingDescriptors, [&index](const PendingDescriptor& one) {
    const auto merged = index.mergeDescriptor(one.metric, viewOf(one.descriptor));
    return !merged.ok() || !merged.value();
  });
  if (refs.empty()) return Status::okStatus();
  for (SeriesRef& ref : samples.refs) {
    if ((ref & kPendingBit) != 0) ref = refs[ref & ~kPendingBit];
  }
  samples.pendingSeries.clear();
  return Status::okStatus();
}

}  // namespace seriesdb
