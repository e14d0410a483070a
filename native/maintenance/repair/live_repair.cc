#include "maintenance/repair/live_repair.h"

#include <algorithm>
#include <utility>

#include "maintenance/inspect/refs_reading.h"
#include "storage/engine/engine.h"
#include "storage/state/engine_options.h"
#include "storage/view/view.h"

namespace seriesdb {

Status LiveRepair::next(std::string& piece) {
  piece.clear();
  if (isCancelled()) return {StatusCode::kClosed, "the repair was cancelled"};
  if (!view_) {
    auto [segments, view] = engine_.segmentsNow();
    view_.emplace(std::move(view));
    keptBy_ = segmentsOfSnapshots(fs_, engine_.options().directory);
    waiting_.assign(segments.begin(), segments.end());
    report_.plan(segments, piece);
    return {};
  }
  if (!waiting_.empty()) return takeOne(piece);
  if (isDone_) return {};
  isDone_ = true;
  report_.end(piece);
  return {};
}

// The damage that the database found in a segment whose file is intact now; empty: none.
std::string LiveRepair::formerProblem(const SegmentFacts& facts) const {
  const auto view = engine_.pinFiles();
  if (std::ranges::find(view->damaged, facts.number, &SegmentFacts::number) !=
      view->damaged.end()) {
    return "it was damaged or missing earlier; the server does not read it";
  }
  const auto isIt = [&facts](const auto& one) { return one->facts().number == facts.number; };
  const auto open = std::find_if(view->segments.begin(), view->segments.end(), isIt);
  const bool isMet = open != view->segments.end() && !(*open)->damageMet().empty();
  return isMet ? "a read found damage in the previous file" : "";
}

// A fault for a segment that the database found damaged earlier and that is intact now.
std::optional<Fault> LiveRepair::returned(const SegmentFacts& facts) const {
  std::string problem = formerProblem(facts);
  if (problem.empty()) return std::nullopt;
  Fault fault;
  fault.file = segmentFileOf(facts);
  fault.number = facts.number;
  fault.problem = std::move(problem);
  fault.action = "the file is intact again and is read from now on";
  fault.remedy = Remedy::kPutBack;
  return fault;
}

Status LiveRepair::takeOne(std::string& piece) {
  const SegmentFacts facts = waiting_.front();
  waiting_.pop_front();
  const std::function<bool()> isEnough = [this] { return isCancelled(); };
  auto found = lookAtSegment(fs_, engine_.options().directory, facts, isEnough);
  if (!found.ok()) return found.status();
  report_.progress(segmentFileOf(facts), facts.fileSize, piece);
  if (!found.value()) found = returned(facts);
  if (!found.value()) return {};
  Fault& fault = *found.value();
  if (wishes_.isDry) {
    const bool isLeft = fault.isLoss && !wishes_.isLossAccepted;
    report_.fault(fault, isLeft ? FaultStatus::kLeft : FaultStatus::kPlanned, piece);
    if (!isLeft) tellKept(fault, piece);
    return {};
  }
  const auto status = mendSegment(engine_, fault, wishes_.isLossAccepted, isEnough);
  if (!status.ok()) return status.status();
  report_.fault(fault, status.value(), piece);
  if (status.value() == FaultStatus::kMended) tellKept(fault, piece);
  return {};
}

void LiveRepair::tellKept(const Fault& fault, std::string& piece) {
  if (const auto kept = keptFault(fault, keptBy_)) report_.fault(*kept, FaultStatus::kHeld, piece);
}

}  // namespace seriesdb
