// The background thread behind deletions, so that what they cost for each series is done beside
// requests, or between them in short turns.
//
//   here           looks up the series, where they are many, and encodes the tombstone
//   the committer  logs it and masks with it: from here on no read shows the samples
//   the committer  takes the samples out of the active memtable, in turns
//   here           computes the bounds that are left, from the view
//   the committer  puts them into the index, in turns
//   here           looks at the series of each name whose bounds may be narrower now
//   here           answers: discovery shows it, too
//
// A deletion of few series goes to the committer when it is asked for, and so in the order of the
// calls with requests. One of many comes after requests that are sent while its series are looked
// up.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/work_pace.h"
#include "engine/bounds_renewal.h"
#include "engine/committer.h"

namespace seriesdb {

class Remover {
 public:
  using Done = std::function<void(Status)>;

  // All must outlive it.
  Remover(EngineState& state, Committer& committer, WorkPace& pace);
  ~Remover();

  // Deletes all samples of the series in the range, which is not empty; unknown ids are passed
  // over. `done` is called on a thread of the engine.
  void remove(std::vector<SeriesId> series, TimeRange range, Done done);
  // Ends the thread. What is logged by then is answered without its bounds, which nobody will ask
  // for; the rest is refused. Idempotent.
  void stop();

 private:
  // One that is not yet looked up.
  struct Asked {
    std::vector<SeriesId> series;
    TimeRange range;
    Done done;
  };
  // One that the committer has carried out.
  struct Removed {
    Tombstones tombstones;
    Done done;
  };

  void run();
  void submitFew(Asked asked);
  void submitMany(Asked asked, PacedThread& paced);
  Result<std::shared_ptr<const Tombstone>> submitPart(std::unique_ptr<RemovalWrite> part,
                                                      PacedThread& paced);
  void renewLater(Removed removed);
  void answer(const Removed& removed);
  void renew(const std::vector<Removed>& all, PacedThread& paced);
  void renewSeries(const std::vector<Removed>& all, PacedThread& paced);
  void renewNames(PacedThread& paced);
  bool runTurns(const Committer::Turn& turn, PacedThread& paced);
  bool isStopping();

  EngineState& state_;
  Committer& committer_;
  WorkPace& pace_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Asked> asked_;
  std::vector<Removed> removed_;
  bool isStopping_ = false;
  std::thread thread_;
};

}  // namespace seriesdb
