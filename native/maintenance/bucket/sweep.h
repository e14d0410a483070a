// What a backup deletes from a bucket once its entry is known to be there.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bucket/spine.h"
#include "bucket/store_session.h"
#include "bucket/trim.h"
#include "common/base/status.h"

namespace seriesdb {

struct BucketSweep {
  StoreSession& session;
  const KnownEntry& known;      // Of the new backup.
  Bytes refs;                   // Its REFS.
  const SweepListing& listing;  // Made before its state was taken.
  std::size_t keep;             // So many of the newest backups stay, the new one included.

  // The listed keys that neither the new backup nor one of the kept ones names. `named` are the
  // segments of the new one. None if a kept backup cannot be read, for then nobody knows what it
  // names. Fails as StoreSession and keysToSweep().
  Result<std::vector<std::string>> chooseKeys(std::unordered_set<Sha256> named) const;

 private:
  Status addKept(NamedObjects& named) const;
  Status addNamed(const SpineEntry& entry, NamedObjects& named) const;
  Result<ByteBuffer> refsOf(const SpineEntry& entry) const;
};

}  // namespace seriesdb
