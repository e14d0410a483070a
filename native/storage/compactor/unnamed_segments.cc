#include "storage/compactor/unnamed_segments.h"

#include <algorithm>
#include <functional>
#include <unordered_set>

#include "common/types/file_names.h"
#include "format/segment/object_files.h"
#include "format/segment/segment_identity.h"

namespace seriesdb {
namespace {

// A file that may hold a segment. A second name of a named segment is not `isWhole`.
using FoundFile = UnnamedFile;

Status listLegacy(const EngineSettings& settings, std::vector<FoundFile>& found) {
  const auto names = settings.fs.list(settings.path(file_names::kSegmentDirectory));
  if (!names.ok()) return names.status();
  for (const std::string& name : names.value()) {
    const bool isSegment = file_names::segmentNumber(name).has_value();
    if (!isSegment && !name.ends_with(kTemporarySuffix)) continue;
    found.push_back({file_names::join(file_names::kSegmentDirectory, name), isSegment, {}});
  }
  return {};
}

Status listObjects(const EngineSettings& settings, std::vector<FoundFile>& found) {
  auto objects = objectFilesIn(settings.fs, settings.options.directory);
  if (!objects.ok()) return objects.status();
  for (ObjectFile& one : objects.value()) {
    SegmentFacts facts;
    facts.hash = one.hash;
    found.push_back({std::move(one.name), one.hash.has_value(), facts});
  }
  return {};
}

}  // namespace

Result<std::vector<UnnamedFile>> unnamedFiles(const EngineSettings& settings,
                                              ManifestHolder& manifestHolder) {
  std::vector<FoundFile> found;
  Status listed = listLegacy(settings, found);
  if (listed.ok()) listed = listObjects(settings, found);
  if (!listed.ok()) return listed;
  std::unordered_set<std::string> there;
  for (const FoundFile& file : found) there.insert(file.name);
  std::unordered_set<std::string> named;
  std::unordered_set<std::string> secondNames;
  {
    const auto manifest = manifestHolder.hold();
    for (const SegmentFacts& facts : manifest->state().segments) {
      std::string name = segmentFileOf(facts);
      SegmentFacts before;
      before.number = facts.number;
      // If a segment has both names, it is read by the one with its hash.
      const bool hasBoth = facts.hash && there.contains(name);
      (hasBoth ? secondNames : named).insert(segmentFileOf(before));
      named.insert(std::move(name));
    }
    for (FoundFile& file : found) file.isWhole = file.isWhole && !secondNames.contains(file.name);
    std::erase_if(found, [&](const FoundFile& file) {
      return named.contains(file.name) || manifest->isPinned(file.facts);
    });
  }
  return found;
}

namespace {

// Calls `visit` with each removable file until it fails.
Status visitUnnamed(const EngineSettings& settings, ManifestHolder& manifestHolder,
                    const std::function<Status(const FoundFile& file)>& visit) {
  const auto found = unnamedFiles(settings, manifestHolder);
  if (!found.ok()) return found.status();
  for (const FoundFile& file : found.value()) {
    if (Status visited = visit(file); !visited.ok()) return visited;
  }
  return Status::okStatus();
}

// True if a named file is missing. Compaction removes a file only after MANIFEST names others with
// its samples.
bool isNamedOneMissing(const EngineSettings& settings, const ViewHolder& viewHolder) {
  const auto view = viewHolder.current();
  return std::any_of(view->damaged.begin(), view->damaged.end(), [&](const auto& facts) {
    const auto exists = settings.fs.exists(settings.path(segmentFileOf(facts)));
    return !exists.ok() || !exists.value();
  });
}

// Removes old names of segments that were opened by their hash.
Status removeSecondNames(const EngineSettings& settings, const ViewHolder& viewHolder,
                         ManifestHolder& manifestHolder) {
  {
    const auto manifest = manifestHolder.hold();
    if (manifest->isBehind()) return Status::okStatus();
  }
  const auto view = viewHolder.current();
  for (const auto& segment : view->segments) {
    if (!segment->facts().hash) continue;
    SegmentFacts before;
    before.number = segment->facts().number;
    const auto isThere = settings.fs.exists(settings.path(segmentFileOf(segment->facts())));
    if (!isThere.ok() || !isThere.value()) continue;
    const Status removed = removeLeftover(settings.fs, settings.path(segmentFileOf(before)));
    if (!removed.ok()) return removed;
  }
  return Status::okStatus();
}

}  // namespace

std::string firstObject(const EngineSettings& settings) {
  std::vector<FoundFile> found;
  // An unreadable folder may contain objects.
  if (!listObjects(settings, found).ok()) return settings.path(file_names::kObjectDirectory);
  const auto whole = std::find_if(found.begin(), found.end(),
                                  [](const FoundFile& file) { return file.isWhole; });
  return whole == found.end() ? std::string() : settings.path(whole->name);
}

std::string findUnnamedSegment(const EngineSettings& settings, ManifestHolder& manifestHolder) {
  std::string found;
  // If the folder is unreadable, the result is empty, which the caller accepts.
  const auto visit = [&](const FoundFile& file) {
    const bool isWhole =
        file.isWhole && readSegmentIdentity(settings.fs, settings.path(file.name)).ok();
    if (isWhole) found = file.name;
    return Status::okStatus();
  };
  static_cast<void>(visitUnnamed(settings, manifestHolder, visit).ok());
  return found;
}

Status checkUnnamedSegments(const EngineSettings& settings, const ViewHolder& viewHolder,
                            ManifestHolder& manifestHolder, std::uint64_t nextSequence) {
  std::uint64_t flushed = 0;
  std::uint64_t nextSegment = 0;
  std::string deciding;
  {
    const auto manifest = manifestHolder.hold();
    flushed = manifest->state().flushedSequence;
    nextSegment = manifest->state().nextSegment;
    deciding = manifest->decidingFile();
  }
  const bool isMissing = isNamedOneMissing(settings, viewHolder);
  return visitUnnamed(settings, manifestHolder, [&](const FoundFile& file) -> Status {
    if (!file.isWhole) return Status::okStatus();
    const auto identity = readSegmentIdentity(settings.fs, settings.path(file.name));
    if (!identity.ok()) {
      // A damaged file may be a leftover; an unreadable one may be data.
      const bool isDamaged = identity.status().code() == StatusCode::kStorageCorrupt;
      return isDamaged ? Status::okStatus() : identity.status();
    }
    const std::uint64_t last = identity.value().sequenceMax;
    const bool isOlder = !isMissing || identity.value().number < nextSegment;
    if (last <= flushed && isOlder) return Status::okStatus();
    if (last > flushed && last < nextSequence) return Status::okStatus();
    return Status::corrupt(settings.path(deciding) + " does not name " + file.name +
                           ", whose samples are not in the WAL: it is older than the data, or "
                           "belongs to another database");
  });
}

// True if the file may belong to a tag that a lost or cut REFS had. It stays until the next start,
// which finds a whole REFS.
bool isUnnamedKept(const ViewHolder& viewHolder, ManifestHolder& manifestHolder,
                   const UnnamedFile& file) {
  const auto view = viewHolder.current();
  if (!view->damaged.empty()) return true;
  const auto manifest = manifestHolder.hold();
  const bool mayBeTagged = file.isWhole && file.facts.hash.has_value();
  if (manifest->isBehind() || !manifest->failure().ok()) return true;
  return !manifest->refsStart().loss().empty() && mayBeTagged;
}

Status removeUnnamedSegments(const EngineSettings& settings, const ViewHolder& viewHolder,
                             ManifestHolder& manifestHolder, Health& health) {
  if (settings.options.isUnnamedKept) return Status::okStatus();
  {
    const auto view = viewHolder.current();
    if (!view->damaged.empty()) {
      return removeSecondNames(settings, viewHolder, manifestHolder);
    }
    const auto manifest = manifestHolder.hold();
    if (manifest->isBehind()) return Status::okStatus();
  }
  std::size_t keptCount = 0;
  const Status removed = visitUnnamed(settings, manifestHolder, [&](const FoundFile& file) {
    const bool isKept = isUnnamedKept(viewHolder, manifestHolder, file);
    if (isKept) ++keptCount;
    return isKept ? Status() : settings.fs.remove(settings.path(file.name));
  });
  if (keptCount > 0) {
    const std::string path = settings.path(file_names::kRefs);
    const auto manifest = manifestHolder.hold();
    health.report("refs", path + " " + std::string(manifest->refsStart().loss()) +
                              ", and with it are gone snapshots: " + std::to_string(keptCount) +
                              " segments that they may have " + "kept stay until the next start");
  }
  return removed;
}

std::uint64_t firstFreeSegment(const EngineSettings& settings) {
  std::uint64_t free = 1;
  // If the folder is unreadable, MANIFEST gives the number.
  const auto names = settings.fs.list(settings.path(file_names::kSegmentDirectory));
  if (!names.ok()) return free;
  for (const std::string& name : names.value()) {
    if (const auto number = file_names::segmentNumber(name)) free = std::max(free, *number + 1);
  }
  return free;
}

}  // namespace seriesdb
