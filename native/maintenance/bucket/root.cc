#include "maintenance/bucket/root.h"

#include <algorithm>
#include <utility>

#include "bucket/layout.h"
#include "common/types/file_names.h"

namespace seriesdb {
namespace {

// Of a larger ROOT only this much is read, which no parser takes for one.
constexpr std::uint64_t kRootBytesMax = 4096;
constexpr std::uint64_t kRootCreateNanos = 60'000'000'000;
// Of the keys that stand without a ROOT.
constexpr std::size_t kForeignLookMax = 1000;

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

Status BucketHome::settleRoot(const RootFacts& root) const {
  auto there = readBucketRoot(session, url);
  if (there.ok() && !there.value()) {
    if (Status created = createRoot(root); !created.ok()) return created;
    there = readBucketRoot(session, url);
  }
  if (!there.ok()) return there.status();
  if (!there.value()) {
    return {StatusCode::kStorageUnavailable, url + ": ROOT is not there after its create"};
  }
  if (there.value()->facts.id == root.id) return {};
  return {StatusCode::kConfiguration,
          url + " belongs to another database, which has the id " +
              textOf(*there.value()->facts.id)};
}

Status BucketHome::createRoot(const RootFacts& root) const {
  const auto found = session.listSome("", kForeignLookMax);
  if (!found.ok()) return found.status();
  const auto foreign = std::ranges::find_if_not(
      found.value(), [](const ListedObject& one) { return one.key.starts_with(kBucketNodes); });
  if (foreign != found.value().end()) {
    // Another process may have created ROOT since it was read.
    const auto again = readBucketRoot(session, url);
    if (!again.ok() || again.value()) return again.status();
    return {StatusCode::kConfiguration, url + " holds " + foreign->key +
                                            " but no database: choose an empty prefix"};
  }
  CreateChain& chain = chains.in("");
  Status begun = chain.begin(std::string(kBucketRoot),
                             encodeRoot(RootFacts{root.unit, root.id, 0, kRootBackup}));
  if (!begun.ok()) return begun;
  const Created created = chain.settle(session.pauser().nowNanos() + kRootCreateNanos);
  if (created.isMine() || created.isTaken()) return {};
  return {StatusCode::kStorageUnavailable,
          "the bucket gave no answer for " + created.key + ": " + created.reason};
}

SpineOwner spineReader(const DatabaseId& database) {
  SpineOwner reader;
  reader.database = database;
  reader.knownToRead = kRootKnownToRead;
  reader.knownToWrite = kRootKnownToWrite;
  return reader;
}

}  // namespace seriesdb
