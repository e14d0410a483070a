#include "maintenance/bucket/opening.h"

#include <utility>

#include "bucket/layout.h"
#include "bucket/refs_parts.h"
#include "bucket/spine.h"
#include "format/objects/refs_log.h"
#include "maintenance/bucket/root.h"
#include "storage/engine/engine_open.h"

namespace seriesdb {
namespace {

Result<FoundEntry> findEntry(Spine& spine, const BucketOpening& opening) {
  auto found = opening.entry ? spine.read(*opening.entry) : spine.newest(0);
  if (!found.ok()) return found.status();
  if (found.value()) return std::move(*found.value());
  if (opening.entry) {
    return Status(StatusCode::kConfiguration,
                  opening.url + " has no entry " + std::to_string(*opening.entry));
  }
  return Status(StatusCode::kConfiguration,
                opening.url + " has no backup yet: the first one did not end");
}

// Parts of another state could be whole, too.
Status checkHead(BucketFiles& files, const SpineEntry& entry) {
  const auto log = RefsLog::open(files, files.directory());
  if (!log.ok()) return log.status();
  if (log.value()->target(kHeadRef) == entry.headCommit) return {};
  return Status::corrupt(files.directory() + ": entry " + std::to_string(entry.number) +
                         " names another head commit than its parts of REFS");
}

}  // namespace

Result<OpenedBucket> openBucket(StoreSession& session, const BucketOpening& opening) {
  auto root = readBucketRoot(session, opening.url);
  if (!root.ok()) return root.status();
  if (!root.value()) return noDatabase(opening.url);
  const DatabaseId id = *root.value()->facts.id;
  Spine spine(session, id);
  const auto found = findEntry(spine, opening);
  if (!found.ok()) return found.status();
  const SpineEntry& entry = found.value().entry;
  if (Status known = checkEntryFeatures(entry, spineReader(id)); !known.ok()) return known;
  if (opening.isLogNeeded && !opening.entry && !entry.address.empty()) {
    return Status(StatusCode::kConfiguration,
                  opening.url + " is the home of a server, whose newest samples are in its log. " +
                      "Start a server with --bucket and an empty directory to have them, or name " +
                      "entry " + std::to_string(entry.number) + " to restore without them");
  }
  auto refs = readRefsParts(session, entry.parts);
  if (!refs.ok()) {
    return Status(refs.status().code(), opening.url + ": entry " + std::to_string(entry.number) +
                                            ": " + refs.status().message());
  }
  const auto listed = session.list(std::string(kBucketSegments));
  if (!listed.ok()) return listed.status();
  BucketFiles::Content content{opening.url, std::move(root.value()->bytes), std::move(refs).value(),
                               bucketObjectsIn(listed.value())};
  auto files = std::make_unique<BucketFiles>(session, std::move(content));
  if (Status fits = checkHead(*files, entry); !fits.ok()) return fits;
  return OpenedBucket{entry.number, std::move(files)};
}

}  // namespace seriesdb
