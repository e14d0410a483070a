// The next generation of the index, when so many series have lost all their samples that it pays.
//
// It is built on the thread behind deletions, on which alone series lose their bounds, and takes
// the place of the one before at a turn of the committer, on whose thread alone series come. Which
// series may go: those that CATALOG has, so that neither a flush nor the log defines them again,
// and that have no sample in any file. What a damaged file holds nobody knows, so that none goes
// while there is one.
#pragma once

#include <functional>

#include "base/work_pace.h"
#include "state/engine_state.h"
#include "write/committer.h"

namespace seriesdb {

class IndexRenewal {
 public:
  // Has the committer take the turn, and waits for its end. False when the engine is closing.
  using RunTurn = std::function<bool(const Committer::Turn&)>;

  // Other work of the thread.
  enum class Work { kNone, kSome, kEnd };

  IndexRenewal(EngineState& state, std::function<Work()> otherWork)
      : state_(state), otherWork_(std::move(otherWork)) {}

  // The caller's thread is the one that renews bounds, and is at none.
  bool isDue() const;
  // Nothing is changed, and it is false, when there may be none now, a series that was to go has
  // samples again, or the thread has other work.
  bool run(const RunTurn& runTurn);

 private:
  bool mayGo() const;
  std::uint64_t cataloguedCount() const;
  void pauseFor(std::uint64_t ms);

  EngineState& state_;
  const std::function<Work()> otherWork_;
  int brokenOff_ = 0;
  // There is none before that time, unless CATALOG has more series by then.
  std::uint64_t notBeforeMs_ = 0;
  std::uint64_t pausedAt_ = UINT64_MAX;
};

}  // namespace seriesdb
