// Checks a database by reading it completely, file by file, and reports in lines of JSON:
//
//   {"kind":"plan","files":7,"bytes":81234,"timestamp_unit":"ms"}
//   {"kind":"file","file":"segments/0000000001.seg","status":"ok","bytes":…,"chunks":…,"samples":…}
//   {"kind":"file","file":…,"status":"damaged","bytes":…,"start":…,"end":…,"problems":["…"]}
//   {"kind":"recovery","status":"ok"}
//   {"kind":"end","status":"ok","files":7,"damaged":0,"bytes":81234,"samples":…}
//
// `recovery` tells whether a server would start, which no single file tells; it is left out for an
// open database. Each call of next() returns one line, so that the caller sees the progress.
// Changes nothing.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/file/file_system.h"
#include "format/manifest/manifest.h"
#include "maintenance/inspect/file_check.h"
#include "query/answers/json_reader.h"
#include "storage/view/pinned_view.h"

namespace seriesdb {

class Verification final : public JsonReader {
 public:
  // For a closed directory, through a read-only file system. next() fails with kLocked if a process
  // has it open.
  Verification(FileSystem& fs, std::string directory);
  // For an open database. Checks the segments of the view, whose files stay while it is held, and
  // the other files as they are when read.
  Verification(FileSystem& fs, std::string directory, PinnedView view);

  Status next(std::string& piece) override;
  bool isShort() const override { return false; }
  Stage stage() const override { return Stage::kVerify; }

 private:
  enum class Step : std::uint8_t { kBegin, kFiles, kRecovery, kEnd, kDone };

  Status begin(std::string& piece);
  Result<std::vector<std::string>> listFolder(std::string_view folder);
  Status planLogs();
  void readStates();
  Status lookForLostRefs();
  Status planSegments();
  Status planAllSegments();
  void plan(FileKind kind, std::string name, const SegmentFacts& facts = {});
  Status checkNext(std::string& piece);
  void print(const PlannedFile& file, const FileFindings& found, std::string& piece);
  Status recover(std::string& piece);
  void end(std::string& piece);
  bool isLive() const { return view_.has_value(); }
  std::string path(std::string_view name) const;

  FileSystem& fs_;
  const std::string directory_;
  const std::optional<PinnedView> view_;
  std::unique_ptr<DirectoryLock> lock_;
  bool isBackup_ = false;                  // A backup has neither MANIFEST nor CATALOG nor a WAL.
  std::optional<ManifestState> manifest_;  // None if unreadable.
  std::vector<ManifestState> states_;      // All readable states.
  std::optional<std::string> refsLoss_;    // The loss of refs, which only MANIFEST reveals.
  std::deque<PlannedFile> waiting_;
  Step step_ = Step::kBegin;
  std::uint64_t fileCount_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t samples_ = 0;
  std::uint64_t damagedCount_ = 0;
};

}  // namespace seriesdb
