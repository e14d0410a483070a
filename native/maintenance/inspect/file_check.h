// Checks one file of a database by reading it completely.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "common/base/status.h"
#include "common/file/file_system.h"
#include "format/manifest/manifest.h"
#include "format/segment/segment.h"
#include "maintenance/inspect/file_findings.h"

namespace seriesdb {

class ObjectReader;
class ObjectTree;

enum class FileKind : std::uint8_t {
  kRoot,
  kManifest,
  kCatalog,
  kAnnotations,
  kRefs,
  kTag,
  kWal,
  kSegment,
  kFolder,  // A folder whose files could not be listed.
};

struct PlannedFile {
  FileKind kind;
  std::string name;  // Relative to the database's directory.
  std::uint64_t bytes;
  SegmentFacts facts;  // For a segment; for a WAL file only its number.
};

struct FileCheck {
  FileSystem& fs;
  const std::string& directory;
  const ManifestState* manifest;  // Null if MANIFEST is unreadable.
  const std::function<bool()>& isCancelled;
  bool isLive;  // True if a process is writing these files.

  // Fails only with kExhausted, if the file could not be examined, and with kClosed.
  Result<FileFindings> run(const PlannedFile& file) const;

 private:
  Status checkRoot(FileFindings& found) const;
  Status checkManifest(FileFindings& found) const;
  Status checkCatalog(FileFindings& found) const;
  Status checkAnnotations(FileFindings& found) const;
  Status checkWal(const PlannedFile& file, FileFindings& found) const;
  Status checkRefs(FileFindings& found) const;
  Status checkTag(const PlannedFile& file, FileFindings& found) const;
  Status checkTree(const ObjectTree& tree, const ObjectReader& objects) const;
  Status checkHash(const PlannedFile& file, const Sha256& hash, FileFindings& found) const;
  Status checkSegmentFile(const PlannedFile& file, FileFindings& found) const;
};

}  // namespace seriesdb
