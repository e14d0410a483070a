// Retention as the compactor has it: the rules in force, the time that it believes, and which
// segments have what is past its keep. The compactor's thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "storage/compaction/compaction_plan.h"
#include "storage/compaction/compaction_state.h"
#include "storage/compactor/segments/segment_survey.h"
#include "storage/compactor/segments/series_classes.h"
#include "storage/state/engine_state.h"

namespace seriesdb {

class RetentionKeeper {
 public:
  // All that is given must outlive it.
  RetentionKeeper(EngineState& state, const std::atomic<bool>& isStopping);

  // Where the clock of retention is to be put now; none: it stays.
  std::optional<Timestamp> clockDue(const ManifestState& manifest) const;
  void noteClock(std::optional<Timestamp> from, Timestamp to);
  // What an operator was told of the clock is told for a day.
  void forgetOldTelling();

  // Takes the rules that are in force; other rules than before have a pass of their own. Classes
  // that they need and MANIFEST does not have.
  std::vector<CompactionClass> takeRules(const ManifestState& manifest);
  const RetentionRules& rules() const { return *rules_; }
  // REQUIRES: takeRules() before; the classes of its rules are the last of `all`.
  const std::shared_ptr<SeriesClasses>& classes(const std::vector<CompactionClass>& all);

  // Adds to a state what retention knows: reads the directories of segments of which something may
  // be past its keep, once for each version of the rules. REQUIRES: classes() before; what it adds
  // when `isStopping` became true meanwhile tells nothing.
  void look(const ManifestState& manifest, const OpenedSegments& opened, CompactionState& to);
  // Of a segment: how long series are kept all samples of which are past it.
  std::vector<Duration> expiredKeeps(std::uint64_t segment, Timestamp clock) const;
  // A plan was carried out. What it took counts, as far as retention is the reason.
  void noteDone(const CompactionPlan& plan, const std::vector<SegmentFacts>& outputs,
                const std::vector<SegmentFacts>& inputs);

 private:
  // What a segment has of the series that are kept equally long today.
  struct Share {
    Duration keep;
    std::uint64_t bytes = 0;
    Timestamp last = 0;
  };
  using Shares = std::vector<Share>;
  struct Scan {
    std::uint64_t mark = 0;  // Of the rules.
    Shares shares;
  };
  const Shares* sharesOf(const Segment& segment);
  std::optional<Shares> scan(const Segment& segment);
  void tell(const std::string& sentence);
  void tellWithheld(const ManifestState& manifest, const CompactionState& seen);

  EngineState& state_;
  const std::atomic<bool>& isStopping_;
  std::shared_ptr<const RetentionRules> rules_;
  std::shared_ptr<SeriesClasses> classes_;
  std::unordered_map<std::uint64_t, Scan> scans_;  // By the number of the segment.
  std::uint64_t movedMs_;                          // The last move, or the opening.
  std::optional<std::uint64_t> toldMs_;  // When an operator was last told of the clock.
  // Of the pass since the clock moved. What a process before this one took of it nobody noted, so
  // it counts as done: else each start would be a pass more.
  bool isDone_ = false;
  std::uint64_t purgedExpired_ = 0;
};

}  // namespace seriesdb
