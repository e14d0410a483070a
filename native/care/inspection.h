// What the files of a directory that nobody has open say, as lines of JSON: a look without opening
// the database. A file that cannot be read is a line with an `error`, and the others follow.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "answer/json_reader.h"
#include "file/file_system.h"
#include "manifest/manifest.h"
#include "objects/refs_record.h"

namespace seriesdb {

enum class InspectionPart : std::uint8_t {
  kManifest,  // One line.
  kSegments,  // A line each.
  kChunks,    // A line each, of all segments, or of one.
  kWal,       // A line for each record, files in order.
  kRefs,      // A line for each ref, tags that REFS does not have yet at the end.
  kHistory,   // A line for each commit that can be read, the last one first.
};

struct InspectionRequest {
  InspectionPart part = InspectionPart::kManifest;
  std::optional<std::uint64_t> number;  // Only this segment, or this file of the log.
};

class Inspection final : public JsonReader {
 public:
  // `fs` only reads. next() fails with kLocked where somebody has the directory open, and where
  // there is no database. A MANIFEST that cannot be read is all that is told but refs.
  Inspection(FileSystem& fs, std::string directory, InspectionRequest request);

  Status next(std::string& piece) override;
  bool isShort() const override { return false; }
  Stage stage() const override { return Stage::kVerify; }

 private:
  Status begin(std::string& piece);
  Result<ManifestReading> readState(bool hasManifest) const;
  void printDamage(const Status& damage, std::string& piece) const;
  Status planLogs();
  void printManifest(std::string& piece) const;
  void printSegment(const SegmentFacts& facts, std::string& piece) const;
  void printRefs(std::string& piece) const;
  void printHistory(std::string& piece) const;
  void printRef(const RefMove& move, const ObjectReader& objects, std::string& piece) const;
  void printLog(std::uint64_t number, std::string& piece) const;
  void printChunks(std::string& piece);
  std::string path(std::string_view name) const;

  FileSystem& fs_;
  const std::string directory_;
  const InspectionRequest request_;
  std::unique_ptr<DirectoryLock> lock_;
  std::optional<ManifestReading> manifest_;
  std::deque<SegmentFacts> segments_;   // That wait.
  std::deque<std::uint64_t> logs_;
  std::unique_ptr<Segment> segment_;    // Whose chunks are told.
  std::size_t page_ = 0;
  bool isBegun_ = false;
  bool isDone_ = false;
};

}  // namespace seriesdb
