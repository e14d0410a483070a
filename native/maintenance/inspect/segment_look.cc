#include <utility>

#include "format/segment/segment_identity.h"
#include "maintenance/inspect/file_check.h"
#include "maintenance/inspect/repair_plan.h"

namespace seriesdb {

Result<std::optional<Fault>> lookAtSegment(FileSystem& fs, const std::string& directory,
                                           const SegmentFacts& facts,
                                           const std::function<bool()>& isCancelled) {
  const auto path = findSegmentFile(fs, directory, facts);
  if (!path.ok()) return path.status();
  std::string name = path.value().substr(directory.size() + 1);
  const PlannedFile file{FileKind::kSegment, std::move(name), facts.fileSize, facts};
  const FileCheck check{fs, directory, nullptr, isCancelled, false};
  const auto found = check.run(file);
  if (!found.ok()) return found.status();
  if (found.value().problemCount == 0) return std::optional<Fault>();
  Fault fault;
  fault.file = file.name;
  fault.number = facts.number;
  fault.problem = found.value().problems.front();
  // If the file still has its original bytes, a copy of them is no better.
  if (!isWholeInPlace(fs, directory, facts, isCancelled)) {
    auto copy = findWholeCopy(fs, directory, facts);
    if (!copy.ok()) return copy.status();
    if (copy.value()) {
      fault.remedy = Remedy::kPutBack;
      fault.action = "restored from " + *copy.value();
      return std::optional(std::move(fault));
    }
  }
  const auto salvage = salvageSegment(fs, directory, facts, isCancelled);
  if (!salvage.ok()) return salvage.status();
  fault.lost = salvage.value().loss;
  fault.isLoss = fault.lost.samples > 0;
  const bool isReadable = salvage.value().readable != nullptr;
  fault.remedy = isReadable ? Remedy::kRewrite : Remedy::kDrop;
  fault.action = isReadable ? "readable samples rewritten" : "removed: none of it is readable";
  return std::optional(std::move(fault));
}

}  // namespace seriesdb
