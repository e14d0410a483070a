// The report of a repair, as lines of JSON:
//
//   {"kind":"plan","files":7,"bytes":81234}
//   {"kind":"progress","file":"objects/ab/cdef…","bytes":…}
//   {"kind":"fault","file":"MANIFEST","status":"mended","problem":"…","action":"…"}
//   {"kind":"fault","file":"objects/…","status":"left","problem":"…","action":"…","lost_series":…,…}
//   {"kind":"end","status":"ok","mended":1,"planned":0,"left":0,…}
//
// `files` are the segments; the repair reads each. Status of a fault: `mended`; `planned` in a dry
// run; `left`, because its repair needs isLossAccepted; `held`, because only snapshots need the
// file, and no repair can change it; `waits` for the repair of another fault; `hopeless`. The end
// is `ok`; `damaged` if any fault is left, held or waits; or `failed` with an `error` if any is
// hopeless.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "maintenance/inspect/kept_segment.h"
#include "maintenance/inspect/repair_plan.h"

namespace seriesdb {

class Engine;

struct RepairWishes {
  bool isDry = false;  // Change nothing.
  bool isLossAccepted = false;
  std::optional<TimestampUnit> unit;  // The unit, if ROOT does not have it.
};

enum class FaultStatus : std::uint8_t { kMended, kPlanned, kLeft, kHeld, kWaits, kHopeless };

class RepairReport {
 public:
  void plan(const std::vector<SegmentFacts>& segments, std::string& piece);
  void progress(const std::string& file, std::uint64_t bytes, std::string& piece);
  void fault(const Fault& fault, FaultStatus status, std::string& piece);
  void end(std::string& piece) const;

 private:
  std::uint64_t mended_ = 0;
  std::uint64_t planned_ = 0;
  std::uint64_t left_ = 0;
  std::uint64_t hopeless_ = 0;
  std::uint64_t lostSamples_ = 0;  // Lost by done and by planned repairs.
};

// The fault that remains after a damaged segment is replaced, if snapshots need its file, too. The
// last state has no further loss from it. None: no snapshot needs it, or its file is restored.
std::optional<Fault> keptFault(const Fault& fault,
                               const std::map<std::uint64_t, KeptSegment>& kept);

// Replaces a damaged segment of an open database, and updates `fault` with the result. Waits for
// running merges; kClosed if cancelled meanwhile.
Result<FaultStatus> mendSegment(Engine& engine, Fault& fault, bool isLossAccepted,
                                const std::function<bool()>& isCancelled);

}  // namespace seriesdb
