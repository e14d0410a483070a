// Retention for the compactor: the current rules, the retention clock, and the segments with
// expired samples. The compactor's thread only.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "index/index_holder.h"
#include "storage/compaction/compaction_plan.h"
#include "storage/compaction/compaction_state.h"
#include "storage/compactor/segments/segment_survey.h"
#include "storage/compactor/segments/series_classes.h"
#include "storage/ledger/manifest_holder.h"
#include "storage/state/engine_figures.h"
#include "storage/state/engine_settings.h"

namespace seriesdb {

class RetentionKeeper {
 public:
  // All arguments but `manifestHolder` must outlive it.
  RetentionKeeper(const EngineSettings& settings, const IndexHolder& index,
                  ManifestHolder& manifestHolder, EngineFigures& figures,
                  const std::atomic<bool>& isStopping);

  // The new value of the retention clock; null if it stays.
  std::optional<Timestamp> clockDue(const ManifestState& manifest) const;
  void noteClock(std::optional<Timestamp> from, Timestamp to);
  // Clears the operator's message about the clock after a day.
  void forgetOldTelling();

  // Takes the current rules; changed rules start a new pass. Returns the classes that they need and
  // MANIFEST lacks.
  std::vector<CompactionClass> takeRules(const ManifestState& manifest);
  const RetentionRules& rules() const { return *rules_; }
  // REQUIRES: takeRules() before; the classes of its rules are the last of `all`.
  const std::shared_ptr<SeriesClasses>& classes(const std::vector<CompactionClass>& all);

  // Adds retention facts to a state. Reads the directories of segments that may have expired
  // samples, once per version of the rules. REQUIRES: classes() before. If `isStopping` became true
  // meanwhile, the result is incomplete.
  void look(const ManifestState& manifest, const OpenedSegments& opened, CompactionState& to);
  // The keeps of a segment whose series have all their samples expired.
  std::vector<Duration> expiredKeeps(std::uint64_t segment, Timestamp clock) const;
  // Notes an executed plan, and counts what retention removed with it.
  void noteDone(const CompactionPlan& plan, const std::vector<SegmentFacts>& outputs,
                const std::vector<SegmentFacts>& inputs);

 private:
  // The series of a segment with one keep.
  struct Share {
    Duration keep;
    std::uint64_t bytes = 0;
    Timestamp last = 0;
  };
  using Shares = std::vector<Share>;
  struct Scan {
    std::uint64_t mark = 0;  // The mark of the rules.
    Shares shares;
  };
  const Shares* sharesOf(const Segment& segment);
  std::optional<Shares> scan(const Segment& segment);
  void tell(const std::string& sentence);
  void tellWithheld(const ManifestState& manifest, const CompactionState& seen);

  const EngineSettings& settings_;
  const IndexHolder& index_;
  EngineFigures& figures_;
  const std::atomic<bool>& isStopping_;
  std::shared_ptr<const RetentionRules> rules_;
  std::shared_ptr<SeriesClasses> classes_;
  std::unordered_map<std::uint64_t, Scan> scans_;  // By segment number.
  std::uint64_t movedMs_;  // The time of the last move or the opening, by the monotonic clock.
  std::optional<std::uint64_t> toldMs_;  // When the operator last got a message about the clock.
  // The pass since the clock's last move. An earlier process did not store its progress, so at the
  // start the pass counts as done. Otherwise each start would add a pass.
  bool isDone_ = false;
  std::uint64_t purgedExpired_ = 0;
};

}  // namespace seriesdb
