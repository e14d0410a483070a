// What a repair tells, as lines of JSON:
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
// is `ok`, `damaged` if any fault is left or held, or `failed` with an `error`.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "maintenance/inspect/refs_reading.h"
#include "maintenance/inspect/repair_plan.h"
#include "storage/engine/engine.h"

namespace seriesdb {

struct RepairWishes {
  bool isDry = false;  // Nothing is changed.
  bool isLossAccepted = false;
  std::optional<TimestampUnit> unit;  // Where ROOT does not tell.
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
  std::uint64_t lostSamples_ = 0;  // With what was mended or is planned.
};

// What stays of a segment that is exchanged because it is damaged: the file, where snapshots need
// it too. Nothing of the last state is lost with it. None: no snapshot does, or its file is made
// whole.
std::optional<Fault> keptFault(const Fault& fault,
                               const std::map<std::uint64_t, KeptSegment>& kept);

// Exchanges a damaged segment of an open database, and says in `fault` what came of it. Waits for
// merges; kClosed when cancelled meanwhile.
Result<FaultStatus> mendSegment(Engine& engine, Fault& fault, bool isLossAccepted,
                                const std::function<bool()>& isCancelled);

}  // namespace seriesdb
