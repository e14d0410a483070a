#include "maintenance/repair/repair_report.h"

#include <array>
#include <chrono>
#include <future>
#include <numeric>
#include <string_view>

#include "maintenance/inspect/json_line.h"
#include "maintenance/inspect/refs_reading.h"
#include "storage/compactor/segment_repair.h"
#include "storage/engine/engine.h"

namespace seriesdb {
namespace {

constexpr std::array<std::string_view, 6> kStatusWords = {"mended", "planned", "left",
                                                          "held",   "waits",   "hopeless"};

}  // namespace

void RepairReport::plan(const std::vector<SegmentFacts>& segments, std::string& piece) {
  const std::uint64_t bytes =
      std::accumulate(segments.begin(), segments.end(), std::uint64_t{0},
                      [](std::uint64_t sum, const auto& one) { return sum + one.fileSize; });
  JsonLine(piece).text("kind", "plan").count("files", segments.size()).count("bytes", bytes).end();
}

void RepairReport::progress(const std::string& file, std::uint64_t bytes, std::string& piece) {
  JsonLine(piece).text("kind", "progress").text("file", file).count("bytes", bytes).end();
}

void RepairReport::fault(const Fault& fault, FaultStatus status, std::string& piece) {
  const bool isDone = status == FaultStatus::kMended;
  const bool isPlanned = status == FaultStatus::kPlanned;
  mended_ += isDone ? 1 : 0;
  planned_ += isPlanned ? 1 : 0;
  hopeless_ += status == FaultStatus::kHopeless ? 1 : 0;
  left_ +=
      status == FaultStatus::kLeft || status == FaultStatus::kHeld || status == FaultStatus::kWaits
          ? 1
          : 0;
  const std::uint64_t samples = fault.samples + fault.lost.samples;
  if (isDone || isPlanned) lostSamples_ += samples;
  JsonLine line(piece);
  line.text("kind", "fault").text("file", fault.file);
  line.text("status", kStatusWords[static_cast<std::size_t>(status)]);
  line.text("problem", fault.problem).text("action", fault.action);
  if (fault.lost.samples > 0) {
    line.count("lost_series", fault.lost.series).count("lost_samples", samples);
    line.integer("start", fault.lost.range.start).integer("end", fault.lost.range.end);
  } else if (fault.sequence > 0) {
    line.count("from_sequence", fault.sequence).count("lost_records", fault.records);
    line.count("lost_samples", samples).count("lost_bytes", fault.bytes);
  }
  line.end();
}

void RepairReport::end(std::string& piece) const {
  const char* status = hopeless_ > 0 ? "failed" : left_ > 0 ? "damaged" : "ok";
  JsonLine line(piece);
  line.text("kind", "end").text("status", status).count("mended", mended_);
  line.count("planned", planned_).count("left", left_).count("lost_samples", lostSamples_);
  if (hopeless_ > 0)
    line.text("error", "the remaining faults cannot be repaired: restore a backup");
  line.end();
}

std::optional<Fault> keptFault(const Fault& fault,
                               const std::map<std::uint64_t, KeptSegment>& kept) {
  const bool isExchanged = fault.remedy == Remedy::kRewrite || fault.remedy == Remedy::kDrop;
  const auto found = kept.find(fault.number);
  if (!isExchanged || found == kept.end()) return std::nullopt;
  Fault stays;
  stays.file = fault.file;
  stays.problem = fault.problem;
  stays.action = found->second.sentence();
  stays.number = fault.number;
  return stays;
}

Result<FaultStatus> mendSegment(Engine& engine, Fault& fault, bool isLossAccepted,
                                const std::function<bool()>& isCancelled) {
  const auto answer = std::make_shared<std::promise<Result<SegmentRepair>>>();
  auto answered = answer->get_future();
  engine.repairSegment(fault.number, isLossAccepted,
                       [answer](auto repaired) { answer->set_value(std::move(repaired)); });
  while (answered.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) {
    if (isCancelled()) return Status(StatusCode::kClosed, "the repair was cancelled");
  }
  const Result<SegmentRepair> repaired = answered.get();
  if (!repaired.ok()) return repaired.status();
  fault.lost = repaired.value().loss;
  switch (repaired.value().outcome) {
    case SegmentOutcome::kLeft:
      return FaultStatus::kLeft;
    case SegmentOutcome::kGone:
      fault.action = "none: the database no longer needs it";
      return FaultStatus::kMended;
    default:
      return FaultStatus::kMended;
  }
}

}  // namespace seriesdb
