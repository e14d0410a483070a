#include "storage/write/index_renewal.h"

#include <algorithm>
#include <utility>

#include "common/base/clock.h"
#include "common/base/memory_account.h"
#include "storage/state/release_apart.h"

namespace seriesdb {
namespace {

// If the index has room, a renewal waits until one series in kShare is gone.
constexpr std::uint32_t kShare = 4;
// Series between two yields of the core.
constexpr std::size_t kSeriesPerLook = 1024;
// The pause after a renewal that removed few series, or was interrupted by a returning series.
constexpr std::uint64_t kPoorPauseMs = 600'000;
constexpr std::uint64_t kAgainPauseMs = 30'000;
// How often a renewal may be interrupted because its thread has other work.
constexpr int kBrokenOffMax = 3;

}  // namespace

bool IndexRenewal::isDue() const {
  const bool isKnownFormat = (settings_.root.toRead & kRootGoneSeries) != 0;
  if (settings_.options.isReadOnly || !isKnownFormat || !mayGo()) return false;
  const auto index = sources_.index.current();
  const std::uint32_t held = index->heldCount();
  const std::uint32_t visible = std::min(held, index->visibleCount());
  const std::uint64_t catalogued = cataloguedCount();
  // An upper bound: some of these series may be only in the WAL.
  const std::uint64_t without = std::min<std::uint64_t>(held - visible, catalogued);
  if (without == 0) return false;
  if (pausedAt_ == catalogued && monotonicMs() < notBeforeMs_) return false;
  return index->wantsRoom() || without >= std::max(settings_.options.goneSeriesMin, held / kShare);
}

std::uint64_t IndexRenewal::cataloguedCount() const {
  const auto manifest = manifest_.hold();
  return manifest->state().seriesCount;
}

// True if the engine knows for every series whether it has samples.
bool IndexRenewal::mayGo() const {
  // This order matters: a repaired segment is counted before the view shows it.
  const auto view = sources_.view.current();
  return view->damaged.empty() && sources_.unnotedSegments.load(std::memory_order_acquire) == 0;
}

bool IndexRenewal::run(const RunTurn& runTurn) {
  const std::uint64_t catalogued = cataloguedCount();
  const auto index = sources_.index.writable();
  const std::uint32_t wanted = index->heldCount() - index->visibleCount();
  const auto next = index->beginGeneration(static_cast<SeriesRef>(catalogued));
  MemoryHold held(sources_.index.building());
  while (next->takeSome(kSeriesPerLook)) {
    held.set(next->memoryBytes());
    PacedThread::giveWay();
    const Work other = otherWork_();
    // Other work comes first, but only kBrokenOffMax times.
    const bool isFirst = other == Work::kSome && brokenOff_ < kBrokenOffMax;
    if (isFirst) ++brokenOff_;
    if (isFirst || other == Work::kEnd) return false;
  }
  bool isRenewed = false;
  const bool isDone = runTurn([&] {
    auto renewed = mayGo() ? next->finish() : nullptr;
    if (renewed == nullptr) return false;
    isRenewed = true;
    // From here on the index counts its own memory.
    held.set(0);
    sources_.index.replace(releasedApart(std::move(renewed), sources_.releases));
    return false;
  });
  brokenOff_ = 0;
  if (!isDone || !isRenewed) {
    pauseFor(kAgainPauseMs);
    return false;
  }
  if (next->left().size() < wanted / 2) pauseFor(kPoorPauseMs);
  {
    const auto manifest = manifest_.hold();
    manifest->forgetSeries(next->left());
  }
  // The ledger's lock ensures that the next commit has whatever this counter announces.
  counters_.indexGenerations.fetch_add(1, std::memory_order_relaxed);
  return true;
}

void IndexRenewal::pauseFor(std::uint64_t ms) {
  notBeforeMs_ = monotonicMs() + ms;
  pausedAt_ = cataloguedCount();
}

}  // namespace seriesdb
