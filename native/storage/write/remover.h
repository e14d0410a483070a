// The background thread of deletions. It does their work per series beside requests, or between
// them in short turns.
//
//   here           looks up the series, if there are many, and encodes the tombstone
//   the committer  freezes the memtable if it holds any of the samples, so that history has them,
//                  logs the tombstone and masks with it: from here on no read shows the samples
//   the committer  erases the samples from the active memtable, in turns
//   here           computes the remaining bounds, from the view
//   the committer  puts them into the index, in turns
//   here           recomputes the bounds of each name that may have become narrower
//   here           answers: discovery shows the deletion, too
//
// Retention changes bounds in the same way, by the last two steps. No client waits for that, so it
// runs in steps, and deletions take precedence.
//
// A deletion of few series by id goes to the committer at once, in call order with requests. Any
// other deletion comes after requests that arrive while its series are looked up. A deletion that
// waits for a flush comes after requests that arrive meanwhile.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "common/base/lock_order.h"
#include "common/base/work_pace.h"
#include "storage/ledger/manifest_holder.h"
#include "storage/state/counters.h"
#include "storage/state/engine_settings.h"
#include "storage/state/sources.h"
#include "storage/write/bounds_renewal.h"
#include "storage/write/committer.h"
#include "storage/write/index_renewal.h"
#include "storage/write/write_values.h"

namespace seriesdb {

class Remover {
 public:
  // Gets the number of selected series.
  using Done = std::function<void(Result<std::uint64_t>)>;

  struct Owners {
    const EngineSettings& settings;
    Sources& sources;
    ManifestHolder& manifest;
    Counters& counters;
  };

  // All arguments must outlive it. Calls `onIndexRenewed` on its thread after each replacement of
  // the index.
  Remover(const Owners& owners, Committer& committer, WorkPace& pace,
          std::function<void()> onIndexRenewed);
  ~Remover();

  // Calls `done` on a thread of the engine. The message of a failure says how much was already
  // deleted, if anything.
  void remove(Removal removal, Done done);
  // Narrows the bounds of series of these segments to what the view still shows. Calls `done` once
  // discovery shows the new bounds, or at stop().
  void forget(std::vector<std::shared_ptr<const Segment>> segments, std::function<void()> done);
  // Ends the thread. Answers logged deletions without new bounds, which no one will read; refuses
  // the others. Idempotent.
  void stop();

 private:
  // A deletion before its lookup.
  struct Asked {
    Removal removal;
    Done done;
  };
  // A deletion that the committer has applied.
  struct Removed {
    Tombstones tombstones;
    std::uint64_t seriesCount = 0;
    Done done;
  };

  // Segments that left the view.
  struct Forgotten {
    std::vector<std::shared_ptr<const Segment>> segments;
    std::function<void()> done;
    std::size_t page = 0;  // The next page of the last segment.
  };

  void run();
  void submitFew(Asked asked);
  void submitMany(Asked asked, PacedThread& paced);
  Status submitParts(const Removal& removal, std::span<const SeriesRef> refs, Removed& removed,
                     PacedThread& paced);
  Result<std::shared_ptr<const Tombstone>> submitPart(std::unique_ptr<RemovalWrite> part,
                                                      PacedThread& paced);
  void renewLater(Removed removed);
  void answer(const Removed& removed);
  void renew(const std::vector<Removed>& all, PacedThread& paced);
  void renewSeries(const std::vector<Removed>& all, PacedThread& paced);
  void forgetSome(PacedThread& paced);
  void collectForgotten();
  void endForgotten();
  bool renewStep(std::vector<Narrowed>& step, PacedThread& paced);
  void renewNames(PacedThread& paced);
  void renewIndex(PacedThread& paced);
  bool runTurns(const Committer::Turn& turn, PacedThread& paced);
  bool isStopping();

  Sources& sources_;
  Counters& counters_;
  Committer& committer_;
  WorkPace& pace_;
  const std::function<void()> onIndexRenewed_;
  OrderedMutex<LockRank::kRemoverQueue> mutex_;
  OrderedCondition wake_;
  std::vector<Asked> asked_;
  std::vector<Removed> removed_;
  std::vector<Forgotten> forgotten_;
  bool isStopping_ = false;

  // Used only by the thread below. The series of the first entry are being collected and renewed.
  std::deque<Forgotten> forgetting_;
  std::vector<Narrowed> step_;
  IndexRenewal renewal_;
  // Series per step: their bounds are computed here, then the committer puts them into the index.
  // Each freeze in between halves the step. At kSeriesOfTurn the committer, which itself freezes,
  // computes the bounds in its turns.
  static constexpr std::size_t kSeriesPerStep = 2048;
  static constexpr std::size_t kSeriesOfTurn = 16;
  std::size_t stepSeries_ = kSeriesPerStep;
  std::thread thread_;
};

}  // namespace seriesdb
