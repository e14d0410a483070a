// Which objects of a bucket may be deleted. Pure functions; the callers list and delete.
//
// A group goes only below the floor of an entry that is known to be in the spine, because every
// later state then has its records in segments. A live position is no floor: a claim may still
// begin at the published one. Entries and seals never go: they fence old owners for ever. A segment
// or a part goes only if nobody names it: not the entry with its tags, not the local state, which
// may be ahead, and no upload that has begun.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "bucket/create.h"
#include "bucket/entry.h"
#include "bucket/layout.h"
#include "common/base/status.h"
#include "common/digest/sha256.h"

namespace seriesdb {

// An entry that this process created and that is known to be in the spine. Every deletion needs
// one.
class KnownEntry {
 public:
  // kInvalidArgument if the create is not ours or not of this database's spine; otherwise fails as
  // decodeEntry().
  static Result<KnownEntry> ofCreate(const Created& created, const DatabaseId& database);

  const SpineEntry& entry() const { return entry_; }

 private:
  explicit KnownEntry(SpineEntry entry) : entry_(std::move(entry)) {}

  SpineEntry entry_;
};

// The objects that must stay beside the known entry's own parts of REFS.
struct NamedObjects {
  std::unordered_set<Sha256> byEntry;  // Segments of the known entry's head and of its tags.
  std::unordered_set<Sha256> byState;  // Segments of the local state and of its tags.
  // Segments and parts whose upload has begun and that no known entry names yet.
  std::unordered_set<Sha256> pending;
};

// Groups [first, end) of an epoch.
struct GroupRange {
  std::uint64_t epoch = 0;
  std::uint64_t first = 0;
  std::uint64_t end = 0;
  bool operator==(const GroupRange&) const = default;
};

// What the listings before a sweep showed.
struct SweepListing {
  // The newest entry that was known when the first listing was sent.
  std::uint64_t entryNumber = 0;
  std::vector<std::string> keys;
};

// The rule for one object. False for a group of an ended epoch that the entry does not list: its
// seal could be any group.
bool mayDelete(const BucketPlace& place, const KnownEntry& known, const NamedObjects& named);

// After a publication: the groups between the floors of the entry before and of the known one,
// seals excepted, in order.
std::vector<GroupRange> groupsBelowFloor(const SpineEntry& before, const KnownEntry& known);

// After a publication: of the objects of the entry before, those that may go.
std::vector<BucketPlace> objectsToDelete(const std::vector<BucketPlace>& before,
                                         const KnownEntry& known, const NamedObjects& named);

// Of a sweep: the listed keys that may go, in the order of the listing. Keys that are not of the
// exact form stay. kInvalidArgument unless the known entry was created after the listing began: an
// object of a later owner could be in it.
Result<std::vector<std::string>> keysToSweep(const SweepListing& listing, const KnownEntry& known,
                                             const NamedObjects& named);

}  // namespace seriesdb
