#include "care/file_check.h"

#include <utility>

#include "annotation/annotation_log.h"
#include "care/segment_check.h"
#include "care/wal_record.h"
#include "engine/root_file.h"
#include "index/catalog.h"
#include "model/file_names.h"
#include "segment/segment_identity.h"
#include "wal/wal_reader.h"

namespace seriesdb {
namespace {

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
    case FileKind::kSegment:
      checked = checkSegmentFile(file, found);
      break;
  }
  if (checked.ok()) return found;
  if (checked.code() == StatusCode::kExhausted || checked.code() == StatusCode::kClosed) {
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

// Series are numbered without gaps, and may be told again. Whether all are consistent with each
// other is what a recovery finds out.
Status FileCheck::checkCatalog(FileFindings& found) const {
  const CatalogVisitor visitor{
      [&](const SeriesDefinition& one) -> Status {
        if (one.ref > found.series) {
          return Status::corrupt("series number " + std::to_string(found.series) + " is missing");
        }
        if (one.ref == found.series) ++found.series;
        return isCancelled() ? Status{StatusCode::kClosed, "the check was cancelled"} : Status{};
      },
      [](const std::string&, const Descriptor&) { return Status{}; }};
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

// A torn tail is what a crash leaves; whether it may stand in this file is what a recovery finds.
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

Status FileCheck::checkSegmentFile(const PlannedFile& file, FileFindings& found) const {
  const std::string folder = file_names::join(directory, file_names::kSegmentDirectory);
  SegmentFacts facts = file.facts;
  // Without MANIFEST the file is what it says of itself.
  if (facts.fileSize == 0) {
    const auto told = readSegmentIdentity(fs, folder, facts.number);
    if (!told.ok()) return told.status();
    facts = told.value();
  }
  found.series = facts.seriesCount;
  return checkSegment(fs, folder, {facts, isCancelled}, found);
}

}  // namespace seriesdb
