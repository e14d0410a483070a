// Executes the plans of the compactor: merges, drops and raises. The compactor's thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <vector>

#include "storage/compactor/compaction_planner.h"
#include "storage/compactor/compactor_owners.h"
#include "storage/compactor/gone_segments.h"
#include "storage/compactor/task_watch.h"

namespace seriesdb {

// Called after segments lost samples that no view has any more. Makes discovery forget them, then
// calls `done` on any thread.
using ForgetSegments = std::function<void(std::vector<std::shared_ptr<const Segment>> segments,
                                          std::function<void()> done)>;

// Applies the edit to the descriptions, then to the view. If the disk is full, it releases the
// reserve and tries again. On failure the caller must remove the added files.
Status adoptEdit(const CompactorOwners& owners, const ManifestEdit& edit);
// Keeps them after a final failure of MANIFEST: a restart may find an edit that names these files.
void removeOutputs(const CompactorOwners& owners, const std::vector<SegmentFacts>& outputs);

class PlanExecutor {
 public:
  struct Parts {
    TaskControl& control;
    CompactionPlanner& planner;
    GoneSegments& gone;
    const ForgetSegments& forget;
  };

  // The members of both arguments must outlive it.
  PlanExecutor(const CompactorOwners& owners, const Parts& parts)
      : owners_(owners),
        settings_(owners.settings),
        sources_(owners.sources),
        description_(owners.description),
        figures_(owners.figures),
        control_(parts.control),
        planner_(parts.planner),
        gone_(parts.gone),
        forget_(parts.forget) {}

  Status run(const PlanChoice& choice);
  // If an edit finds no disk space, its outputs stay for the next try. unadoptedBytes() counts
  // them; dropUnadopted() removes them, and returns false if there are none.
  std::uint64_t unadoptedBytes() const;
  bool dropUnadopted();
  // Until discovery has forgotten dropped segments, it may still read them.
  void awaitForgotten();

 private:
  // Merges with equal keys write the same samples to the same places.
  struct MergeKey {
    CompactionKind kind = CompactionKind::kNone;
    CompactionForm form = CompactionForm::kTier;
    std::vector<SlotSpan> places;
    std::uint64_t seqMin = 0;
    std::uint64_t seqMax = 0;
    std::vector<SegmentFacts> inputs;
    std::vector<Duration> expiredKeeps;
    std::vector<CompactionClass> newClasses;
    std::optional<std::uint64_t> newMark;

    bool operator==(const MergeKey&) const = default;
  };
  // The outputs of a merge whose edit failed. The next try of the same merge uses them.
  struct Unadopted {
    MergeKey key;
    std::vector<SegmentFacts> outputs;
  };

  Status raise(const PlanChoice& choice);
  Status merge(const PlanChoice& choice);
  Result<std::vector<SegmentFacts>> outputsOf(const PlanChoice& choice);
  static MergeKey keyOf(const PlanChoice& choice);
  void noteInputs(const PlanChoice& choice);

  const CompactorOwners owners_;
  const EngineSettings& settings_;
  Sources& sources_;
  Description& description_;
  EngineFigures& figures_;
  TaskControl& control_;
  CompactionPlanner& planner_;
  GoneSegments& gone_;
  const ForgetSegments& forget_;
  std::optional<Unadopted> unadopted_;
  std::vector<std::future<void>> forgotten_;  // Drops that discovery has not yet applied.
};

}  // namespace seriesdb
