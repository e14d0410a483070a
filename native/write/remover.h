// The background thread behind deletions, so that what they cost for each series is done beside
// requests, or between them in short turns.
//
//   here           looks up the series, where they are many, and encodes the tombstone
//   the committer  freezes the memtable if it holds any of the samples, so that history has them,
//                  logs the tombstone and masks with it: from here on no read shows the samples
//   the committer  takes the samples out of the active memtable, in turns
//   here           computes the bounds that are left, from the view
//   the committer  puts them into the index, in turns
//   here           looks at the series of each name whose bounds may be narrower now
//   here           answers: discovery shows it, too
//
// What retention took from segments changes bounds in the same way, by the last two steps. Nobody
// waits for that as for a deletion, so it is done in steps, and deletions go before each.
//
// A deletion of few series that are named by id goes to the committer when it is asked for, and so
// in the order of the calls with requests. Any other comes after requests that are sent while its
// series are looked up, and one that waits for a flush before it after those that are sent
// meanwhile.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "base/work_pace.h"
#include "index/series_filter.h"
#include "write/bounds_renewal.h"
#include "write/committer.h"
#include "write/index_renewal.h"

namespace seriesdb {

// A deletion as it is asked for: all samples of these series in the ranges.
struct Removal {
  SeriesFilter series;
  std::vector<TimeRange> ranges;  // Disjoint; none is empty.
  // Of more series nothing is deleted, and kQueryLimit is the answer.
  std::uint64_t seriesMax = UINT64_MAX;

  // Of the series with these ids; unknown ones are passed over.
  static Removal ofIds(std::vector<SeriesId> ids, TimeRange range);
};

class Remover {
 public:
  // Told how many series were selected.
  using Done = std::function<void(Result<std::uint64_t>)>;

  // All must outlive it. `onIndexRenewed` is called on its thread when the index is another one.
  Remover(EngineState& state, Committer& committer, WorkPace& pace,
          std::function<void()> onIndexRenewed);
  ~Remover();

  // `done` is called on a thread of the engine. A failure says how much is deleted all the same,
  // where that is anything.
  void remove(Removal removal, Done done);
  // The samples of these segments are gone, as far as the view shows them no more. `done` is called
  // once discovery shows that, too, or at the end.
  void forget(std::vector<std::shared_ptr<const Segment>> segments, std::function<void()> done);
  // Ends the thread. What is logged by then is answered without its bounds, which nobody will ask
  // for; the rest is refused. Idempotent.
  void stop();

 private:
  // One that is not yet looked up.
  struct Asked {
    Removal removal;
    Done done;
  };
  // One that the committer has carried out.
  struct Removed {
    Tombstones tombstones;
    std::uint64_t seriesCount = 0;
    Done done;
  };

  // Segments that went.
  struct Forgotten {
    std::vector<std::shared_ptr<const Segment>> segments;
    std::function<void()> done;
    std::size_t page = 0;  // Of the last segment: the next to be looked at.
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

  EngineState& state_;
  Committer& committer_;
  WorkPace& pace_;
  const std::function<void()> onIndexRenewed_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Asked> asked_;
  std::vector<Removed> removed_;
  std::vector<Forgotten> forgotten_;
  bool isStopping_ = false;

  // Only the thread below. Of the first, series that are collected and not yet renewed.
  std::deque<Forgotten> forgetting_;
  std::vector<Narrowed> step_;
  IndexRenewal renewal_;
  // Series whose bounds are computed before the committer puts them into the index. Where memtables
  // are frozen before that is done they are fewer each time; so few in the end that the committer,
  // which freezes, can compute them itself.
  static constexpr std::size_t kSeriesPerStep = 2048;
  static constexpr std::size_t kSeriesOfTurn = 16;
  std::size_t stepSeries_ = kSeriesPerStep;
  std::thread thread_;
};

}  // namespace seriesdb
