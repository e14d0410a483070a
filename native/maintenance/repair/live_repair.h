// Reads the segments of an open database completely and replaces damaged ones. Does not check the
// other files: the engine has their content in memory.
#pragma once

#include <deque>
#include <optional>
#include <string>

#include "maintenance/repair/repair_report.h"
#include "query/answers/json_reader.h"
#include "storage/view/pinned_view.h"

namespace seriesdb {

class LiveRepair final : public JsonReader {
 public:
  // Lines as in repair_report.h. The engine must outlive this.
  LiveRepair(FileSystem& fs, Engine& engine, RepairWishes wishes)
      : fs_(fs), engine_(engine), wishes_(wishes) {}

  Status next(std::string& piece) override;
  bool isShort() const override { return false; }
  Stage stage() const override { return Stage::kVerify; }

 private:
  Status takeOne(std::string& piece);
  void tellKept(const Fault& fault, std::string& piece);
  std::string formerProblem(const SegmentFacts& facts) const;
  std::optional<Fault> returned(const SegmentFacts& facts) const;

  FileSystem& fs_;
  Engine& engine_;
  const RepairWishes wishes_;
  std::map<std::uint64_t, KeptSegment> keptBy_;
  std::optional<PinnedView> view_;  // Keeps the files of its segments.
  std::deque<SegmentFacts> waiting_;
  RepairReport report_;
  bool isDone_ = false;
};

}  // namespace seriesdb
