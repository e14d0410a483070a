#include "maintenance/inspect/file_check.h"

#include <algorithm>
#include <utility>

#include "common/base/work_pace.h"
#include "common/file/hashing_file.h"
#include "common/types/file_names.h"
#include "format/annotation/annotation_log.h"
#include "format/log/wal_reader.h"
#include "format/objects/loose_tags.h"
#include "format/objects/object_tree.h"
#include "format/segment/segment_identity.h"
#include "index/catalog/catalog.h"
#include "maintenance/inspect/refs_reading.h"
#include "maintenance/inspect/segment_check.h"
#include "maintenance/inspect/wal_record.h"
#include "storage/ledger/root_file.h"
#include "storage/ledger/state_tree.h"

namespace seriesdb {
namespace {

// How often REFS of an open database is read again if it seems to be damaged.
constexpr int kLiveTries = 3;

void take(const LogReadReport& log, FileFindings& found) {
  found.records = log.recordCount;
  found.tornBytes = log.fileSize - log.validSize;
}

}  // namespace

Result<FileFindings> FileCheck::run(const PlannedFile& file) const {
  FileFindings found;
  Status checked;
  switch (file.kind) {
    case FileKind::kRoot:
      checked = checkRoot(found);
      break;
    case FileKind::kManifest:
      checked = checkManifest(found);
      break;
    case FileKind::kCatalog:
      checked = checkCatalog(found);
      break;
    case FileKind::kAnnotations:
      checked = checkAnnotations(found);
      break;
    case FileKind::kWal:
      checked = checkWal(file, found);
      break;
    case FileKind::kRefs:
      checked = checkRefs(found);
      break;
    case FileKind::kTag:
      checked = checkTag(file, found);
      break;
    case FileKind::kSegment:
      checked = checkSegmentFile(file, found);
      break;
    case FileKind::kFolder:
      checked = fs.list(file_names::join(directory, file.name)).status();
      break;
  }
  if (checked.ok()) return found;
  if (isUnread(checked)) {
    return checked;
  }
  const auto exists = fs.exists(file_names::join(directory, file.name));
  found.isGone = exists.ok() && !exists.value();
  found.add(checked.message());
  return found;
}

Status FileCheck::checkRoot(FileFindings&) const { return readRoot(fs, directory).status(); }

Status FileCheck::checkManifest(FileFindings& found) const {
  const auto reading = readManifest(fs, directory);
  if (!reading.ok()) return reading.status();
  take(reading.value().log, found);
  return {};
}

// Series are numbered without gaps, except for gone ones, and may be recorded twice. Recovery
// checks whether all of them are consistent with each other.
Status FileCheck::checkCatalog(FileFindings& found) const {
  const CatalogVisitor visitor{
      [&](const SeriesDefinition& one) -> Status {
        if (one.ref > found.series) {
          return Status::corrupt("series number " + std::to_string(found.series) + " is missing");
        }
        if (one.ref == found.series) ++found.series;
        return isCancelled() ? Status{StatusCode::kClosed, "the check was cancelled"} : Status{};
      },
      [](const std::string&, const Descriptor&) { return Status{}; },
      [&](std::uint32_t end) {
        found.series = std::max<std::uint64_t>(found.series, end);
        return Status{};
      }};
  const auto report = readCatalog(fs, directory, visitor);
  if (!report.ok()) return report.status();
  take(report.value(), found);
  return {};
}

Status FileCheck::checkAnnotations(FileFindings& found) const {
  std::uint64_t count = 0;
  const auto report = readAnnotations(fs, directory, [&count](const Annotation& one) -> Status {
    if (one.id > count + 1) {
      return Status::corrupt("annotation " + std::to_string(count + 1) + " is missing");
    }
    if (one.id == count + 1) ++count;
    return {};
  });
  if (!report.ok()) return report.status();
  take(report.value(), found);
  if (manifest != nullptr && count < manifest->annotationCount) {
    found.add("it holds " + std::to_string(count) + " annotations of " +
              std::to_string(manifest->annotationCount));
  }
  return {};
}

// A crash leaves a torn tail. Recovery checks whether this file may have one.
Status FileCheck::checkWal(const PlannedFile& file, FileFindings& found) const {
  const std::string path = file_names::join(directory, file.name);
  const auto onRecord = [&](const LogRecord& record) -> Status {
    if (isCancelled()) return {StatusCode::kClosed, "the check was cancelled"};
    const auto facts = lookAtRecord(record);
    if (!facts.ok()) {
      return Status::corrupt(path + ": the record with sequence " +
                             std::to_string(record.sequence) + ": " + facts.status().message());
    }
    found.samples += facts.value().samples;
    return {};
  };
  const auto report = readWalFile(fs, path, file.facts.number, onRecord);
  if (!report.ok()) return report.status();
  take(report.value().log, found);
  return {};
}

// Checks that the file's name is the hash of its bytes.
Status FileCheck::checkHash(const PlannedFile& file, const Sha256& hash,
                            FileFindings& found) const {
  const auto opened = fs.openRead(file_names::join(directory, file.name));
  if (!opened.ok()) return opened.status();
  const auto read = hashOf(*opened.value(), [this](std::uint64_t) {
    PacedThread::giveWay();
    return isCancelled() ? Status{StatusCode::kClosed, "the check was cancelled"} : Status{};
  });
  if (!read.ok()) return read.status();
  if (read.value() == hash) return {};
  found.add({file.facts.tsMin, file.facts.tsMax},
            "its content does not match the hash in its name");
  return {};
}

// An open database may replace REFS before an object is read from it.
Status FileCheck::checkRefs(FileFindings& found) const {
  for (int tries = isLive ? kLiveTries : 1;; --tries) {
    const auto refs = readRefs(fs, directory);
    Status checked = refs.status();
    if (refs.ok()) {
      take(refs.value().log->report(), found);
      for (const NamedState& one : refs.value().states) {
        if (checked.ok()) checked = checkTree(one.tree, *refs.value().log);
      }
    }
    if (checked.code() != StatusCode::kStorageCorrupt || tries <= 1) return checked;
  }
}

Status FileCheck::checkTag(const PlannedFile& file, FileFindings& found) const {
  const auto tag =
      readLooseTag(fs, directory, file.name.substr(file_names::kTagDirectory.size() + 1));
  if (!tag.ok()) return tag.status();
  found.records = 1;
  const TagObjects objects(tag.value());
  const auto named = readNamed(tag.value().move, objects);
  return named.ok() ? checkTree(named.value().tree, objects) : named.status();
}

// Reading an object checks its hash.
Status FileCheck::checkTree(const ObjectTree& tree, const ObjectReader& objects) const {
  Status checked;
  for (const TreeSectionId section :
       {TreeSectionId::kSeries, TreeSectionId::kDescriptors, TreeSectionId::kAnnotations}) {
    if (!checked.ok()) return checked;
    checked = tree.visit(static_cast<std::uint8_t>(section), objects, [this](auto, auto) {
      return isCancelled() ? Status{StatusCode::kClosed, "the check was cancelled"} : Status{};
    });
  }
  return checked;
}

Status FileCheck::checkSegmentFile(const PlannedFile& file, FileFindings& found) const {
  SegmentFacts facts = file.facts;
  // If no description names the file, check it against its own footer.
  if (facts.fileSize == 0) {
    const auto told = readSegmentIdentity(fs, file_names::join(directory, file.name));
    if (!told.ok()) return told.status();
    const auto hash = facts.hash;
    facts = told.value();
    facts.hash = hash;
  }
  found.series = facts.seriesCount;
  Status checked = checkSegment(fs, directory, {facts, isCancelled}, found);
  if (checked.ok() && facts.hash) checked = checkHash(file, *facts.hash, found);
  return checked;
}

}  // namespace seriesdb
