// Repairs a closed directory, as far as its files allow. Lines as in repair_report.h.
//
//   1. Read all files, and find faults and remedies.
//   2. Change nothing if there is no fault. Also change nothing if a fault keeps the database
//      closed and has no remedy, or if its remedy loses data and this was not allowed.
//   3. Repair ROOT and the end of the log; move damaged descriptions to quarantine/.
//      If only a snapshot needs a segment, restore it from a copy, or else report it.
//   4. Open the database by its intact description, which rebuilds the other one, and drop its
//      damaged segments as a running database does.
//
// Nothing is removed: files go to quarantine/ before they are taken out of use. The next repair
// completes an interrupted one.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "maintenance/repair/repair_report.h"
#include "query/answers/json_reader.h"

namespace seriesdb {

struct RootFacts;

class Repair final : public JsonReader {
 public:
  // A dry run needs only a read-only file system. next() fails with kLocked, with kConfiguration
  // for a backup, with kStorageCorrupt for data of a newer version, with kIo without a database. No
  // byte was changed then.
  Repair(FileSystem& fs, std::string directory, RepairWishes wishes);
  ~Repair() override;

  Status next(std::string& piece) override;
  bool isShort() const override { return false; }
  Stage stage() const override { return Stage::kVerify; }

 private:
  enum class Step : std::uint8_t { kBegin, kLook, kFiles, kSegments, kEnd, kDone };

  Status step(std::string& piece);
  Status begin(std::string& piece);
  Status checkIsOurs();
  Status lookAtFiles();
  Status lookAtFolder();
  Status lookAtRoot(const Status& read);
  void lookForKept();
  void tellKept(const Fault& fault, std::string& piece);
  Result<std::optional<Fault>> look(const SegmentFacts& facts, std::string& piece);
  Status lookAtNextSegment(std::string& piece);
  void settlePlan(std::string& piece);
  Status lookAtNextKept(std::string& piece);
  Status mendFiles(std::string& piece);
  Status mendKept(std::string& piece);
  Status openEngine();
  Status mendNextSegment(std::string& piece);
  Status finish(std::string& piece);
  Status checkPermissions() const;
  bool isAllowed(const Fault& fault) const { return !fault.isLoss || wishes_.isLossAccepted; }
  std::string path(std::string_view name) const;

  FileSystem& fs_;
  const std::string directory_;
  const RepairWishes wishes_;
  Step step_ = Step::kBegin;
  Status failure_;
  std::unique_ptr<DirectoryLock> lock_;
  std::unique_ptr<const RootFacts> root_;  // Null while it is unreadable.
  std::optional<Opening> opening_;
  LogCut cut_;
  std::vector<Fault> files_;  // In ROOT, descriptions and the log.
  std::vector<Fault> segments_;
  std::map<std::uint64_t, KeptSegment> keptBy_;  // All segments that snapshots need.
  // A segment that only snapshots need, and its fault.
  struct Kept {
    KeptSegment segment;
    std::optional<Fault> fault{};
  };
  static bool isPutBack(const Kept& one) {
    return one.fault && one.fault->remedy == Remedy::kPutBack;
  }
  std::vector<Kept> kept_;
  std::size_t looked_ = 0;      // How many segments of the opening were checked.
  std::size_t lookedKept_ = 0;  // How many of `kept_` were checked.
  std::size_t mended_ = 0;      // How many of `segments_` were repaired.
  std::unique_ptr<Engine> engine_;
  RepairReport report_;
};

}  // namespace seriesdb
