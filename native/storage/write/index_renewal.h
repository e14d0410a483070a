// Rebuilds the index once enough series have lost all their samples.
//
// The deletion thread builds the new index; only on this thread do series lose their bounds. A turn
// of the committer, the only thread that adds series, replaces the old index. A series may be
// dropped if CATALOG has it and no file has its samples. Then neither a flush nor the WAL defines
// it again. Damaged files may have any samples, so while one exists no series is dropped.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "common/base/work_pace.h"
#include "storage/ledger/manifest_holder.h"
#include "storage/state/counters.h"
#include "storage/state/engine_settings.h"
#include "storage/state/sources.h"
#include "storage/write/committer.h"

namespace seriesdb {

class IndexRenewal {
 public:
  // Lets the committer take the turn, and waits for its end. False if the engine is closing.
  using RunTurn = std::function<bool(const Committer::Turn&)>;

  // Other work of the thread.
  enum class Work { kNone, kSome, kEnd };

  // All references must outlive it.
  IndexRenewal(const EngineSettings& settings, Sources& sources, ManifestHolder& manifest,
               Counters& counters, std::function<Work()> otherWork)
      : settings_(settings),
        sources_(sources),
        manifest_(manifest),
        counters_(counters),
        otherWork_(std::move(otherWork)) {}

  // REQUIRES: the caller is the thread that renews bounds, and no renewal of bounds is in progress.
  bool isDue() const;
  // Changes nothing and returns false if no renewal is possible now, a dropped series has samples
  // again, or the thread has other work.
  bool run(const RunTurn& runTurn);

 private:
  bool mayGo() const;
  std::uint64_t cataloguedCount() const;
  void pauseFor(std::uint64_t ms);

  const EngineSettings& settings_;
  Sources& sources_;
  ManifestHolder& manifest_;
  Counters& counters_;
  const std::function<Work()> otherWork_;
  int brokenOff_ = 0;
  // No renewal before that time, unless CATALOG has more series by then.
  std::uint64_t notBeforeMs_ = 0;
  std::uint64_t pausedAt_ = UINT64_MAX;
};

}  // namespace seriesdb
