#include "storage/compactor/migration.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "common/file/hashing_file.h"
#include "format/segment/segment_identity.h"
#include "storage/compactor/publication.h"
#include "storage/state/refusals.h"

namespace seriesdb {
namespace {

// Bytes per edit; after a crash, at most these are read again.
constexpr std::uint64_t kMigrationBytes = std::uint64_t{1} << 30;
constexpr std::size_t kBatchSegments = 1024;

// Readable segments without a hash.
std::vector<std::shared_ptr<const Segment>> unhashed(const ViewHolder& viewHolder) {
  std::vector<std::shared_ptr<const Segment>> found;
  const auto view = viewHolder.current();
  for (const auto& segment : view->segments) {
    if (!segment->facts().hash) found.push_back(segment);
  }
  return found;
}

Result<Sha256> hashOfFile(FileSystem& fs, const std::string& path, const TaskControl& control) {
  const auto file = fs.openRead(path);
  if (!file.ok()) return file.status();
  auto hash = hashOf(*file.value(), [&](std::uint64_t bytes) {
    control.showPart(bytes, file.value()->size());
    return control.isOver() ? closedDatabase() : Status();
  });
  if (hash.ok()) return hash;
  return Status(hash.status().code(), path + ": " + hash.status().message());
}

// The content of one edit.
struct Batch {
  ManifestEdit edit;
  std::vector<std::shared_ptr<const Segment>> before;
  std::uint64_t bytes = 0;
  std::vector<std::string> made;  // Names created by this batch.
};

// Gives the file its second name, durably. An interrupted run may have created the name already.
Status nameByHash(const EngineSettings& settings, const SegmentFacts& facts, const Sha256& hash,
                  Batch& batch) {
  SegmentFacts named = facts;
  named.hash = hash;
  std::string path = settings.path(segmentFileOf(named));
  const auto isThere = settings.fs.exists(path);
  if (!isThere.ok()) return isThere.status();
  const auto folder = makeObjectFolder(settings.fs, settings.options.directory, hash);
  if (!folder.ok()) return folder.status();
  if (!isThere.value()) {
    const Status linked = settings.fs.link(settings.path(segmentFileOf(facts)), path);
    if (!linked.ok()) return linked;
    batch.made.push_back(std::move(path));
  }
  return settings.fs.syncDirectory(folder.value());
}

// Skips a segment that cannot be read through.
Status addTo(Batch& batch, const EngineSettings& settings, std::shared_ptr<const Segment> segment,
             const TaskControl& control, MigrationReport& report) {
  const SegmentFacts& facts = segment->facts();
  const auto hash = hashOfFile(settings.fs, settings.path(segmentFileOf(facts)), control);
  const StatusCode code = hash.status().code();
  if (code == StatusCode::kIo || code == StatusCode::kStorageCorrupt) {
    ++report.left;
    return {};
  }
  if (!hash.ok()) return hash.status();
  if (Status named = nameByHash(settings, facts, hash.value(), batch); !named.ok()) return named;
  batch.edit.hashed.push_back({facts.number, hash.value()});
  batch.bytes += facts.fileSize;
  batch.before.push_back(std::move(segment));
  return {};
}

SegmentFacts hashedFacts(const std::vector<SegmentFacts>& all, const SegmentHash& hashed) {
  const auto known = std::ranges::find(all, hashed.number, &SegmentFacts::number);
  CHECK(known != all.end());
  SegmentFacts facts = *known;
  facts.hash = hashed.hash;
  return facts;
}

// Replaces the segments with those opened by their new names.
Status adopt(const MigrationOwners& owners, const Batch& batch) {
  SegmentChange change;
  const auto manifest = owners.manifest.hold();
  for (const SegmentHash& one : batch.edit.hashed) {
    auto segment = owners.sources.openSegment(hashedFacts(manifest->state().segments, one));
    if (!segment.ok()) return segment.status();
    change.added.push_back(std::move(segment).value());
    change.removed.push_back(one.number);
  }
  Status recorded = recordEdit(owners.figures.health, manifest, batch.edit);
  if (recorded.ok()) publish(owners.sources, manifest->state(), std::move(change));
  return recorded;
}

// Removes the names of an edit that failed. After a final failure they stay, because a restart may
// find the edit.
void undo(const MigrationOwners& owners, const Batch& batch) {
  const auto manifest = owners.manifest.hold();
  if (!manifest->failure().ok()) return;
  FileSystem& fs = owners.settings.fs;
  for (const std::string& path : batch.made) static_cast<void>(fs.remove(path).ok());
}

Status carryOut(const MigrationOwners& owners,
                std::vector<std::shared_ptr<const Segment>>& segments, TaskControl& control,
                Batch& batch, MigrationReport& report) {
  while (!segments.empty() && batch.bytes < kMigrationBytes &&
         batch.edit.hashed.size() < kBatchSegments) {
    auto segment = std::move(segments.back());
    segments.pop_back();
    control.beginPart(segment->facts().fileSize);
    const Status added = addTo(batch, owners.settings, std::move(segment), control, report);
    control.endPart(segments.size());
    if (!added.ok()) return added;
  }
  return batch.edit.hashed.empty() ? Status() : adopt(owners, batch);
}

}  // namespace

Status checkMigratable(const EngineOptions& options) {
  if (options.casMode == CasMode::kDualWrite) return {};
  return {StatusCode::kConfiguration,
          "nothing names segments by their hashes: cas_mode is \"off\""};
}

Result<MigrationReport> migrate(const MigrationOwners& owners, TaskControl& control,
                                const OnRenamed& onRenamed) {
  if (Status can = checkMigratable(owners.settings.options); !can.ok()) return can;
  MigrationReport report;
  {
    const auto manifest = owners.manifest.hold();
    const std::uint64_t before = owners.figures.ledger.looseRefs;
    if (Status packed = manifest->packTags(); !packed.ok()) return packed;
    report.tags = before - owners.figures.ledger.looseRefs;
    const auto view = owners.sources.view.current();
    report.left = view->damaged.size();
  }
  auto segments = unhashed(owners.sources.view);
  std::uint64_t bytesLeft = 0;
  for (const auto& segment : segments) bytesLeft += segment->facts().fileSize;
  control.look(segments.size(), bytesLeft);
  while (!segments.empty()) {
    Batch batch;
    const Status done = carryOut(owners, segments, control, batch, report);
    if (!done.ok()) {
      undo(owners, batch);
      return done;
    }
    report.segments += batch.before.size();
    report.bytes += batch.bytes;
    onRenamed(std::move(batch.before));
  }
  if (report.segments != 0) return report;
  // A new commit names the WAL files that were closed before it.
  const auto manifest = owners.manifest.hold();
  const Status committed = recordEdit(owners.figures.health, manifest, {});
  if (!committed.ok()) return committed;
  return report;
}

}  // namespace seriesdb
