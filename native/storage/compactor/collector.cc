#include "storage/compactor/collector.h"

#include <unordered_set>
#include <utility>

#include "storage/compactor/publication.h"
#include "storage/state/refusals.h"

namespace seriesdb {
namespace {

// Adds the commits and files that only history keeps.
void addHistory(const ManifestHolder::Held& ledger, CollectionReport& report) {
  std::unordered_set<Sha256> seen;
  report.commits += ledger->history().commits().size();
  for (const PastCommit& one : ledger->history().commits()) {
    report.refsBytes += one.objectBytes;
    for (const SegmentFacts& facts : one.segments) {
      if (ledger->isTagged(facts) || ledger->isHeld(facts)) continue;
      if (!seen.insert(*facts.hash).second) continue;
      ++report.files;
      report.bytes += facts.fileSize;
    }
  }
}

std::uint64_t sizeOf(const EngineSettings& settings, const std::string& name) {
  const auto file = settings.fs.openRead(settings.path(name));
  return file.ok() ? file.value()->size() : 0;
}

}  // namespace

Result<CollectionReport> Collector::run(CollectionRequest request) {
  // After a final failure it is unknown which files a restart will find named.
  const Status writable = checkWritable(description_.manifest);
  if (!writable.ok() && !request.isDryRun) return writable;
  CollectionReport report;
  {
    const auto manifest = description_.manifest.hold();
    if (request.isDryRun) {
      if (request.isOfHistory) addHistory(manifest, report);
      report.refsBytes += manifest->refsWaste();
    } else {
      if (manifest->isBehind()) {
        const Status recorded = recordEdit(figures_.health, manifest, {});
        if (!recorded.ok()) return recorded;
      }
      const std::size_t before = manifest->history().commits().size();
      gone_.noteFreed(manifest->trimHistory(request.isOfHistory));
      report.commits = before - manifest->history().commits().size();
      const auto shortened = manifest->shortenRefs();
      reportLedger(figures_.health, manifest);
      if (!shortened.ok()) return shortened.status();
      report.refsBytes = shortened.value();
    }
  }
  const Status swept = sweep(request.isDryRun, report);
  if (!swept.ok()) return swept;
  gone_.remove();
  return report;
}

Status Collector::sweep(bool isDryRun, CollectionReport& report) {
  const std::lock_guard writing(description_.segmentWriting);
  const auto files = unnamedFiles(settings_, description_.manifest);
  if (!files.ok()) return files.status();
  std::unordered_set<std::string> removed;
  for (const UnnamedFile& file : files.value()) {
    if (isStopping_) return closedDatabase();
    if (isUnnamedKept(sources_.view, description_.manifest, file) || gone_.isRead(file)) {
      ++report.kept;
      continue;
    }
    const std::uint64_t bytes = sizeOf(settings_, file.name);
    if (!isDryRun) {
      const std::string path = settings_.path(file.name);
      const Status gone = settings_.fs.remove(path);
      // A concurrent deletion of a snapshot may have removed the file.
      const auto isThere = settings_.fs.exists(path);
      if (!gone.ok() && (!isThere.ok() || isThere.value())) return gone;
      removed.insert(file.name);
    }
    ++report.files;
    report.bytes += bytes;
  }
  gone_.forget(removed);
  return {};
}

}  // namespace seriesdb
