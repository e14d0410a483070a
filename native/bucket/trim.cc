#include "bucket/trim.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

namespace seriesdb {
namespace {

// The place that no record group of an epoch reaches: its seal, or none while the epoch is open. 0
// if the entry does not know the end.
std::uint64_t endOfGroups(const SpineEntry& entry, std::uint64_t epoch) {
  if (epoch == entry.epoch) return kChainNumberMax + 1;
  const EpochEnd* end = entry.endOf(epoch);
  return end == nullptr ? 0 : end->number;
}

bool mayDeleteGroup(const GroupPlace& place, const SpineEntry& known) {
  return place < known.floor.place && place.number < endOfGroups(known, place.epoch);
}

bool isNamed(const Sha256& hash, const NamedObjects& named) {
  return named.byEntry.contains(hash) || named.byState.contains(hash) ||
         named.pending.contains(hash);
}

}  // namespace

Result<KnownEntry> KnownEntry::ofCreate(const Created& created, const DatabaseId& database) {
  if (!created.isMine()) return Status::invalid(created.key + " is not known to be ours");
  const auto place = BucketLayout(database).placeOf(created.key);
  const auto* spine = place ? std::get_if<EntryPlace>(&*place) : nullptr;
  if (spine == nullptr) return Status::invalid(created.key + " is no key of the spine");
  Result<SpineEntry> entry = decodeEntry(created.standing, {database, spine->number});
  if (!entry.ok()) return entry.status();
  return KnownEntry(std::move(entry).value());
}

bool mayDelete(const BucketPlace& place, const KnownEntry& known, const NamedObjects& named) {
  const SpineEntry& entry = known.entry();
  if (const auto* group = std::get_if<GroupPlace>(&place)) return mayDeleteGroup(*group, entry);
  if (const auto* segment = std::get_if<SegmentPlace>(&place))
    return !isNamed(segment->hash, named);
  if (const auto* part = std::get_if<PartPlace>(&place)) {
    const bool isOfEntry = std::ranges::any_of(
        entry.parts, [&](const RefsPart& one) { return one.hash == part->hash; });
    return !isOfEntry && !isNamed(part->hash, named);
  }
  return false;
}

std::vector<GroupRange> groupsBelowFloor(const SpineEntry& before, const KnownEntry& known) {
  const SpineEntry& entry = known.entry();
  const GroupPlace& from = before.floor.place;
  const GroupPlace& to = entry.floor.place;
  std::vector<GroupRange> ranges;
  const auto add = [&](std::uint64_t epoch, std::uint64_t seal) {
    if (epoch < from.epoch || epoch > to.epoch) return;
    const std::uint64_t first = epoch == from.epoch ? from.number : 1;
    const std::uint64_t end = epoch == to.epoch ? std::min(to.number, seal) : seal;
    if (first < end) ranges.push_back({epoch, first, end});
  };
  // Only listed epochs are walked: the numbers of a foreign entry could be far apart.
  const std::uint64_t shared = std::min(before.epoch, entry.firstEndedEpoch());
  for (std::uint64_t epoch = before.firstEndedEpoch(); epoch < shared; ++epoch) {
    add(epoch, endOfGroups(before, epoch));
  }
  for (std::uint64_t epoch = entry.firstEndedEpoch(); epoch <= entry.epoch; ++epoch) {
    add(epoch, endOfGroups(entry, epoch));
  }
  return ranges;
}

std::vector<BucketPlace> objectsToDelete(const std::vector<BucketPlace>& before,
                                         const KnownEntry& known, const NamedObjects& named) {
  std::vector<BucketPlace> gone;
  std::ranges::copy_if(before, std::back_inserter(gone), [&](const BucketPlace& place) {
    return !std::holds_alternative<GroupPlace>(place) && mayDelete(place, known, named);
  });
  return gone;
}

Result<std::vector<std::string>> keysToSweep(const SweepListing& listing, const KnownEntry& known,
                                             const NamedObjects& named) {
  const SpineEntry& entry = known.entry();
  if (entry.number <= listing.entryNumber) {
    return Status::invalid("entry " + std::to_string(entry.number) + " is older than the listing");
  }
  const BucketLayout layout(entry.link.database);
  std::vector<std::string> gone;
  std::ranges::copy_if(listing.keys, std::back_inserter(gone), [&](const std::string& key) {
    const auto place = layout.placeOf(key);
    return place && mayDelete(*place, known, named);
  });
  return gone;
}

}  // namespace seriesdb
