// A directory that nobody has open is made whole again, as far as its files allow. The lines are
// those of repair_report.h.
//
//   1. All files are read: what is wrong, and what would mend it.
//   2. Where nothing is wrong, nothing is changed. Nor where a fault would keep the database closed
//      that has no remedy, or whose remedy loses something and was not allowed.
//   3. ROOT; the end of the log; descriptions that are damaged go to quarantine/.
//      A segment that a snapshot alone needs is put back where another file has it, else told of.
//   4. The database is opened by the description that is whole, which makes the other anew, and
//      gives up its damaged segments as a running one does.
//
// Nothing is removed: what goes out of use is in quarantine/ before. A repair that is cut short is
// done by the next one.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "maintenance/repair/repair_report.h"
#include "query/answers/json_reader.h"
#include "storage/ledger/root_file.h"

namespace seriesdb {

class Repair final : public JsonReader {
 public:
  // With a file system that only reads where nothing is to be changed. next() fails with kLocked,
  // kConfiguration for a backup, kStorageCorrupt for what a later program wrote, kIo without a
  // database: then no byte was changed.
  Repair(FileSystem& fs, std::string directory, RepairWishes wishes)
      : fs_(fs), directory_(std::move(directory)), wishes_(wishes) {}
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
  std::optional<RootFacts> root_;
  std::optional<Opening> opening_;
  LogCut cut_;
  std::vector<Fault> files_;     // ROOT, descriptions, the log.
  std::vector<Fault> segments_;
  std::map<std::uint64_t, KeptSegment> keptBy_;  // All that snapshots need.
  // Those that they alone need, and what is wrong.
  struct Kept {
    KeptSegment segment;
    std::optional<Fault> fault{};
  };
  static bool isPutBack(const Kept& one) {
    return one.fault && one.fault->remedy == Remedy::kPutBack;
  }
  std::vector<Kept> kept_;
  std::size_t looked_ = 0;      // Of the segments of the opening.
  std::size_t lookedKept_ = 0;  // Of those.
  std::size_t mended_ = 0;  // Of `segments_`.
  std::unique_ptr<Engine> engine_;
  RepairReport report_;
};

}  // namespace seriesdb
