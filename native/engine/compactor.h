// The background thread that merges segments, one plan at a time: chooseCompaction() says which.
//
//   MANIFEST held  what it and the view say now
//   not            the choice; the merge, into files that nobody knows
//   MANIFEST held  one edit takes the inputs out and the outputs in; then a view without the inputs
//   not            the file of each input goes once nobody reads it any more: a segment may be read
//                  by its name
//
// A flush or a deletion in between changes nothing of it: what came later wins over the outputs, or
// masks them, as it does with the inputs. A crash leaves files that MANIFEST does not name.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/work_pace.h"
#include "compaction/compaction_plan.h"
#include "engine/engine_state.h"
#include "engine/segment_merge.h"
#include "engine/segment_survey.h"

namespace seriesdb {

// What there is, and what was done to bring it about.
struct CompactionReport {
  std::uint64_t segmentsBefore = 0;
  std::uint64_t segmentsAfter = 0;
  std::uint64_t bytesBefore = 0;
  std::uint64_t bytesAfter = 0;
};

class Compactor {
 public:
  using Done = std::function<void(Result<CompactionReport>)>;

  // `pace` is kept while there is no hurry. Both must outlive it.
  Compactor(EngineState& state, WorkPace& pace);
  ~Compactor();

  // There is something new to look at. Any thread.
  void wake();
  // Does all that can be done, at full speed, and calls `done` on the compactor's thread.
  void compactAll(Done done);
  // Gives up what is under way and ends the thread. Idempotent.
  void stop();

 private:
  // What one look found.
  struct Choice {
    CompactionPlan plan;
    MergeInputs inputs;
    std::vector<CompactionClass> newClasses;
  };

  void run();
  bool waitForWork(std::vector<Done>& asked);
  Result<CompactionReport> runPlans(bool isAsked);
  Status runAll(bool isAsked, std::uint64_t through);
  bool isAskedNow();
  Choice choose(bool isFull, std::uint64_t through);
  Status checkWritable();
  std::size_t damagedCount() const;
  Status carryOut(const Choice& choice);
  Status merge(const Choice& choice);
  Status raise(const Choice& choice);
  Status record(const ManifestHolder::Held& manifest, const ManifestEdit& edit);
  std::size_t removeGone();
  void say(const Status& result);

  EngineState& state_;
  WorkPace& pace_;
  std::atomic<bool> isStopping_{false};
  SegmentSurvey survey_;
  // Segments that no edit names any more, whose files are still there.
  struct Gone {
    std::weak_ptr<const Segment> segment;
    std::uint64_t number;
  };
  std::vector<Gone> gone_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool isWoken_ = true;  // What an earlier run left is looked at first.
  std::vector<Done> asked_;
  std::uint64_t retryAfterMs_ = 0;
  std::uint64_t lookedMs_ = 0;
  bool isLookDue_ = false;  // Else files that are read no more are all that it woke up for.
  std::thread thread_;
};

}  // namespace seriesdb
