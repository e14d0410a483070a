// What the files of a database say, as lines of JSON: of a directory that nobody has open without
// opening it, and of an open one as they are at one moment. A file that cannot be read is a line
// with an `error`, and the others follow.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/file/file_system.h"
#include "format/log/wal_reader.h"
#include "format/manifest/manifest.h"
#include "format/objects/loose_tags.h"
#include "format/objects/refs_log.h"
#include "query/answers/json_reader.h"
#include "storage/engine/engine.h"

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
  // Of an open one, whose files stay readable until the end, whatever becomes of them meanwhile;
  // the log up to what is synced, or with `fsync = none` written. The engine must outlive next().
  Inspection(FileSystem& fs, Engine& engine, InspectionRequest request);

  Status next(std::string& piece) override;
  bool isShort() const override { return false; }
  Stage stage() const override { return Stage::kVerify; }

 private:
  // Of REFS and of the tags beside it.
  struct Refs {
    Result<std::unique_ptr<RefsLog>> log;
    Status listed;  // The tags.
    std::vector<std::pair<std::string, Result<LooseTag>>> tags;
  };
  struct Log {
    std::uint64_t number = 0;
    std::unique_ptr<ReadableFile> file;  // Null where it is read when its turn comes.
    std::uint64_t end = UINT64_MAX;      // Of what is told of it.
  };

  Status begin(std::string& piece);
  Status lockWhenClosed();
  Result<ManifestReading> readClosed();
  Result<ManifestReading> readBackup() const;
  Result<ManifestReading> readLive();
  bool isOfRefs() const {
    return request_.part == InspectionPart::kRefs || request_.part == InspectionPart::kHistory;
  }
  Refs readRefsNow() const;
  void printDamage(const Status& damage, std::string& piece) const;
  void planSegments();
  // Of an open database: those that it has now.
  Status planLogs(const Engine::FilesNow* now);
  void planLiveLog(std::uint64_t number, const WalEnd& end, std::uint64_t floor);
  void printManifest(std::string& piece) const;
  Result<std::shared_ptr<const Segment>> openSegment(const SegmentFacts& facts) const;
  void printSegment(const SegmentFacts& facts, std::string& piece) const;
  void printRefs(std::string& piece) const;
  void printHistory(std::string& piece) const;
  void printRef(const RefMove& move, const ObjectReader& objects, std::string& piece) const;
  Status beginLog();
  void printLog(std::string& piece);
  void printLogEnd(const std::string& name, std::string& piece) const;
  void beginChunks(std::string& piece);
  void printChunks(std::string& piece);
  std::string path(std::string_view name) const;

  FileSystem& fs_;
  Engine* const engine_;  // Null for a directory that nobody has open.
  const std::string directory_;
  const InspectionRequest request_;
  std::unique_ptr<DirectoryLock> lock_;
  std::optional<PinnedView> view_;
  std::optional<ManifestReading> manifest_;
  std::optional<Refs> refs_;
  std::deque<SegmentFacts> segments_;   // That wait.
  std::deque<Log> logs_;                // The first is told.
  ByteBuffer content_;                  // Of it, where it is not mapped.
  std::optional<WalScan> scan_;
  std::shared_ptr<const Segment> segment_;  // Whose chunks are told.
  std::size_t page_ = 0;
  bool isBegun_ = false;
  bool isDone_ = false;
};

}  // namespace seriesdb
