#include "storage/ledger/past_state.h"

#include "storage/ledger/history.h"

namespace seriesdb {

std::string noteOfState(const PastState& past, std::uint64_t edit, std::int64_t timeMs) {
  if (!past.timeMs || *past.timeMs == timeMs) return {};
  const std::string asked = timeText(*past.timeMs);
  const std::string shown = "shows commit @" + std::to_string(edit) + " of " + timeText(timeMs);
  return timeMs > *past.timeMs
             ? shown + ", the first after " + asked + "; it includes writes made in between"
             : shown + ", the last before " + asked + "; it lacks writes and deletions made since";
}

}  // namespace seriesdb
