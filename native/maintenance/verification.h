// A database read completely, file by file, and what was found, as lines of JSON:
//
//   {"kind":"plan","files":7,"bytes":81234,"timestamp_unit":"ms"}
//   {"kind":"file","file":"segments/0000000001.seg","status":"ok","bytes":…,"chunks":…,"samples":…}
//   {"kind":"file","file":…,"status":"damaged","bytes":…,"start":…,"end":…,"problems":["…"]}
//   {"kind":"recovery","status":"ok"}
//   {"kind":"end","status":"ok","files":7,"damaged":0,"bytes":81234,"samples":…}
//
// `recovery` says whether a server would start, which each file by itself does not tell; where one
// runs it is missing. Each call of next() gives one line, so that whoever waits sees how far it is.
// Nothing is changed.
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
#include "storage/view/view.h"

namespace seriesdb {

class Verification final : public JsonReader {
 public:
  // Of a directory that nobody has open, through a file system that only reads. next() fails with
  // kLocked where somebody has.
  Verification(FileSystem& fs, std::string directory);
  // Of an open one: the segments of the view, whose files stay as long as it is held, and what else
  // there is at the time.
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
  bool isBackup_ = false;  // It has neither MANIFEST nor CATALOG nor a log.
  std::optional<ManifestState> manifest_;  // Where it can be read.
  std::vector<ManifestState> states_;      // All that is named and can be read.
  std::optional<std::string> refsLoss_;    // What REFS lacks, which only MANIFEST tells.
  std::deque<PlannedFile> waiting_;
  Step step_ = Step::kBegin;
  std::uint64_t fileCount_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t samples_ = 0;
  std::uint64_t damagedCount_ = 0;
};

}  // namespace seriesdb
