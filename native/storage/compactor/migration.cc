#include "storage/compactor/migration.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "common/file/hashing_file.h"
#include "format/segment/segment_identity.h"
#include "storage/compactor/publication.h"

namespace seriesdb {
namespace {

// Bytes per edit; after a crash, at most these are read again.
constexpr std::uint64_t kMigrationBytes = std::uint64_t{1} << 30;
constexpr std::size_t kBatchSegments = 1024;

// Readable segments without a hash.
std::vector<std::shared_ptr<const Segment>> unhashed(EngineState& state) {
  std::vector<std::shared_ptr<const Segment>> found;
  const auto view = state.view.current();
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
Status nameByHash(EngineState& state, const SegmentFacts& facts, const Sha256& hash,
                  Batch& batch) {
  SegmentFacts named = facts;
  named.hash = hash;
  std::string path = state.path(segmentFileOf(named));
  const auto isThere = state.fs.exists(path);
  if (!isThere.ok()) return isThere.status();
  const auto folder = makeObjectFolder(state.fs, state.options.directory, hash);
  if (!folder.ok()) return folder.status();
  if (!isThere.value()) {
    const Status linked = state.fs.link(state.path(segmentFileOf(facts)), path);
    if (!linked.ok()) return linked;
    batch.made.push_back(std::move(path));
  }
  return state.fs.syncDirectory(folder.value());
}

// Skips a segment that cannot be read through.
Status addTo(Batch& batch, EngineState& state, std::shared_ptr<const Segment> segment,
             const TaskControl& control, MigrationReport& report) {
  const SegmentFacts& facts = segment->facts();
  const auto hash = hashOfFile(state.fs, state.path(segmentFileOf(facts)), control);
  const StatusCode code = hash.status().code();
  if (code == StatusCode::kIo || code == StatusCode::kStorageCorrupt) {
    ++report.left;
    return {};
  }
  if (!hash.ok()) return hash.status();
  if (Status named = nameByHash(state, facts, hash.value(), batch); !named.ok()) return named;
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
Status adopt(EngineState& state, const Batch& batch) {
  SegmentChange change;
  const auto manifest = state.manifest.hold();
  for (const SegmentHash& one : batch.edit.hashed) {
    auto segment = state.openSegment(hashedFacts(manifest->state().segments, one));
    if (!segment.ok()) return segment.status();
    change.added.push_back(std::move(segment).value());
    change.removed.push_back(one.number);
  }
  Status recorded = recordEdit(state, manifest, batch.edit);
  if (recorded.ok()) publish(state, manifest->state(), std::move(change));
  return recorded;
}

// Removes the names of an edit that failed. After a final failure they stay, because a restart may
// find the edit.
void undo(EngineState& state, const Batch& batch) {
  const auto manifest = state.manifest.hold();
  if (!manifest->failure().ok()) return;
  for (const std::string& path : batch.made) static_cast<void>(state.fs.remove(path).ok());
}

Status carryOut(EngineState& state, std::vector<std::shared_ptr<const Segment>>& segments,
                TaskControl& control, Batch& batch, MigrationReport& report) {
  while (!segments.empty() && batch.bytes < kMigrationBytes &&
         batch.edit.hashed.size() < kBatchSegments) {
    auto segment = std::move(segments.back());
    segments.pop_back();
    control.beginPart(segment->facts().fileSize);
    const Status added = addTo(batch, state, std::move(segment), control, report);
    control.endPart(segments.size());
    if (!added.ok()) return added;
  }
  return batch.edit.hashed.empty() ? Status() : adopt(state, batch);
}

}  // namespace

Status checkMigratable(const EngineOptions& options) {
  if (options.casMode == CasMode::kDualWrite) return {};
  return {StatusCode::kConfiguration,
          "nothing names segments by their hashes: cas_mode is \"off\""};
}

Result<MigrationReport> migrate(EngineState& state, TaskControl& control,
                                const OnRenamed& onRenamed) {
  if (Status can = checkMigratable(state.options); !can.ok()) return can;
  MigrationReport report;
  {
    const auto manifest = state.manifest.hold();
    const std::uint64_t before = state.ledgerFigures.looseRefs;
    if (Status packed = manifest->packTags(); !packed.ok()) return packed;
    report.tags = before - state.ledgerFigures.looseRefs;
    const auto view = state.view.current();
    report.left = view->damaged.size();
  }
  auto segments = unhashed(state);
  std::uint64_t bytesLeft = 0;
  for (const auto& segment : segments) bytesLeft += segment->facts().fileSize;
  control.look(segments.size(), bytesLeft);
  while (!segments.empty()) {
    Batch batch;
    const Status done = carryOut(state, segments, control, batch, report);
    if (!done.ok()) {
      undo(state, batch);
      return done;
    }
    report.segments += batch.before.size();
    report.bytes += batch.bytes;
    onRenamed(std::move(batch.before));
  }
  if (report.segments != 0) return report;
  // A new commit names the WAL files that were closed before it.
  const auto manifest = state.manifest.hold();
  const Status committed = recordEdit(state, manifest, {});
  if (!committed.ok()) return committed;
  return report;
}

}  // namespace seriesdb
