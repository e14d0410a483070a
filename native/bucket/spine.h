// Reads the spine of a database.
#pragma once

#include <cstdint>
#include <optional>

#include "bucket/entry.h"
#include "bucket/layout.h"
#include "bucket/store_session.h"
#include "common/base/status.h"
#include "common/digest/sha256.h"

namespace seriesdb {

struct FoundEntry {
  SpineEntry entry;
  Sha256 hash;  // Of its bytes: the `before` of the next one.
};

// One thread at a time. The session must outlive it.
class Spine {
 public:
  Spine(StoreSession& session, const DatabaseId& database)
      : session_(session), database_(database), layout_(database) {}

  // Nullopt: there is none with this number. kStorageCorrupt, kConfiguration: as decodeEntry().
  // Otherwise fails as StoreSession.
  Result<std::optional<FoundEntry>> read(std::uint64_t number);
  // The newest entry; nullopt: the spine is empty. `known` is the number of an entry that was
  // there, or 0. Entries are created in order and never deleted, so few requests find the last.
  Result<std::optional<FoundEntry>> newest(std::uint64_t known);

 private:
  Result<std::optional<ByteBuffer>> bytesAt(std::uint64_t number);

  StoreSession& session_;
  const DatabaseId database_;
  const BucketLayout layout_;
};

}  // namespace seriesdb
