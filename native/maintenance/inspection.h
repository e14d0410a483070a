// Prints the content of a database's files as lines of JSON. Reads a closed directory without
// opening the database, or an open database as of one moment. An unreadable file is a line with an
// `error`; the others follow.
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
#include "query/answers/json_reader.h"
#include "storage/view/pinned_view.h"

namespace seriesdb {

class Engine;
class ObjectReader;
struct FilesNow;
struct RefMove;
struct WalEnd;

enum class InspectionPart : std::uint8_t {
  kManifest,  // One line.
  kSegments,  // One line per segment.
  kChunks,    // One line per chunk, of all segments or of one.
  kWal,       // One line per record, files in order.
  kRefs,      // One line per ref; tags that REFS does not have yet come last.
  kHistory,   // One line per readable commit, the last one first.
};

struct InspectionRequest {
  InspectionPart part = InspectionPart::kManifest;
  std::optional<std::uint64_t> number;  // Only this segment, or this WAL file.
};

class Inspection final : public JsonReader {
 public:
  // For a closed directory; `fs` is read-only. next() fails with kLocked if a process has it open;
  // it also fails if there is no database. If MANIFEST is unreadable, only that error and refs are
  // printed.
  Inspection(FileSystem& fs, std::string directory, InspectionRequest request);
  // For an open database. Its files stay readable until the end, even if they are removed
  // meanwhile. The log is read up to its synced end, or its written end with `fsync = none`. The
  // engine must outlive next().
  Inspection(FileSystem& fs, Engine& engine, InspectionRequest request);
  ~Inspection() override;

  Status next(std::string& piece) override;
  bool isShort() const override { return false; }
  Stage stage() const override { return Stage::kVerify; }

 private:
  struct Refs;
  struct Log {
    std::uint64_t number = 0;
    std::unique_ptr<ReadableFile> file;  // Null if the file is read when its turn comes.
    std::uint64_t end = UINT64_MAX;      // The end of the printed part, in bytes.
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
  // `now` is null for a closed directory; otherwise plans the files of the open database.
  Status planLogs(const FilesNow* now);
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
  Engine* const engine_;  // Null for a closed directory.
  const std::string directory_;
  const InspectionRequest request_;
  std::unique_ptr<DirectoryLock> lock_;
  std::optional<PinnedView> view_;
  std::optional<ManifestReading> manifest_;
  std::unique_ptr<Refs> refs_;
  std::deque<SegmentFacts> segments_;  // Still to print.
  std::deque<Log> logs_;               // The first one is being printed.
  ByteBuffer content_;                 // Content of the first log, if it is not mapped.
  std::optional<WalScan> scan_;
  std::shared_ptr<const Segment> segment_;  // The segment whose chunks are being printed.
  std::size_t page_ = 0;
  bool isBegun_ = false;
  bool isDone_ = false;
};

}  // namespace seriesdb
