#include "maintenance/bucket/root.h"

#include <utility>

#include "bucket/layout.h"
#include "common/types/file_names.h"

namespace seriesdb {
namespace {

// Of a larger ROOT only this much is read, which no parser takes for one.
constexpr std::uint64_t kRootBytesMax = 4096;

}  // namespace

Result<std::optional<BucketRoot>> readBucketRoot(StoreSession& session, const std::string& url) {
  auto bytes = session.get(std::string(kBucketRoot), StoreRange{0, kRootBytesMax});
  if (!bytes.ok()) return bytes.status();
  if (!bytes.value()) return std::optional<BucketRoot>();
  const std::string path = file_names::join(url, file_names::kRoot);
  const auto facts = parseRoot(*bytes.value(), path);
  if (!facts.ok()) return facts.status();
  if (Status known = checkFeatures(facts.value(), url); !known.ok()) return known;
  if (!facts.value().isBackup() || !facts.value().id) {
    return Status(StatusCode::kConfiguration, url + " holds a database, not a backup of one");
  }
  return std::optional(BucketRoot{facts.value(), std::move(*bytes.value())});
}

SpineOwner spineReader(const DatabaseId& database) {
  SpineOwner reader;
  reader.database = database;
  reader.knownToRead = kRootKnownToRead;
  reader.knownToWrite = kRootKnownToWrite;
  return reader;
}

}  // namespace seriesdb
