// ROOT of a backup in a bucket, and the features of entries that this program knows.
#pragma once

#include <optional>
#include <string>

#include "bucket/claim.h"
#include "bucket/create.h"
#include "bucket/store_session.h"
#include "common/base/status.h"
#include "storage/ledger/root_file.h"

namespace seriesdb {

struct BucketRoot {
  RootFacts facts;  // With an id.
  ByteBuffer bytes;
};
// ROOT of a backup; nullopt: there is none. `url` stands in messages. kConfiguration: a database
// that is no backup. Otherwise fails as parseRoot() and StoreSession.
Result<std::optional<BucketRoot>> readBucketRoot(StoreSession& session, const std::string& url);

// A prefix of a bucket that is, or becomes, the place of one database.
struct BucketHome {
  StoreSession& session;
  CreateChains& chains;
  const std::string& url;

  // Creates ROOT, unless it is there. kConfiguration: the prefix belongs to another database, or
  // holds something else. REQUIRES: `root` has an id.
  Status settleRoot(const RootFacts& root) const;

 private:
  Status createRoot(const RootFacts& root) const;
};

// The features that this program knows. For the reader of entries, node and nonce stay empty.
SpineOwner spineReader(const DatabaseId& database);

}  // namespace seriesdb
