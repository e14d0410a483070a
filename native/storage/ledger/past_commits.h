// The commits beside the head that REFS keeps: history, tags, and held states. Finds one of them,
// and knows which segments they keep. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "storage/ledger/committed_files.h"
#include "storage/ledger/committed_head.h"
#include "storage/ledger/history.h"
#include "storage/ledger/ledger_surroundings.h"
#include "storage/ledger/tag_pins.h"

namespace seriesdb {

// `state` is the ledger's current state.
class PastCommits {
 public:
  // Both must outlive it.
  PastCommits(const LedgerSurroundings& to, CommittedHead& head) : to_(to), head_(head) {}

  // Finds the commit of a past state. kSnapshotNotFound, kStateNotFound.
  Result<Sha256> find(const PastState& past) const;
  // The functions below without a comment have one in ledger.h.
  Result<std::shared_ptr<const HeldCommit>> hold(const PastState& past);
  bool isHeld(const SegmentFacts& facts) const { return held_.has(facts); }
  bool isPinned(const SegmentFacts& facts) const;
  bool isTagged(const SegmentFacts& facts) const { return pins_.has(facts); }

  const History& history() const { return history_; }
  // Reads all of history from REFS, before a past state is chosen.
  void readHistory();
  // Reads history from REFS if the edits since the last commit are unknown.
  void openHistory(const ManifestState& state);
  void clearHistory() { history_.clear(); }
  // Forgets history without releasing what it keeps.
  void forgetHistory() { history_ = {}; }
  // The past commits are unknown until openHistory() reads them.
  bool isUnread() const { return isUnread_; }
  void setUnread() { isUnread_ = true; }
  // Adds the head, which the change from `before` to `next` replaces. REQUIRES: `change` applies to
  // the tree of the head.
  void noteStep(const ObjectTree::Change& change, const ManifestState& before,
                const ManifestState& next);
  void limitHistory(const ManifestState& state);
  std::vector<SegmentFacts> trimHistory(const ManifestState& state, bool isAll);
  std::uint64_t historyDueMs() const;
  // Adds the objects that history needs, including those of the current head, which the next commit
  // replaces.
  void addPast(std::vector<Sha256>& live) const;
  void addObjects(std::vector<Sha256>& live) const { history_.addObjects(live); }
  std::uint64_t memoryBytes() const { return history_.memoryBytes(); }

  TagPins& pins() { return pins_; }
  const TagPins& pins() const { return pins_; }
  Status packTags();
  // Counts the tags for the figures.
  void countTags();
  // Adds the objects of tagged and held commits, so that a rewritten REFS keeps them.
  Status addTagged(std::vector<Sha256>& live) const;
  Status addTag(const ManifestState& state, const std::string& name);
  Result<std::vector<SegmentFacts>> removeTag(const ManifestState& state, const std::string& name);
  Result<CommittedFiles> committedFiles(const ManifestState& state);

 private:
  Sha256 commitAround(std::size_t place, std::int64_t timeMs) const;
  Status noState(const PastState& past) const;
  void noteHistory();
  Status checkCommitted(const ManifestState& state) const;

  const LedgerSurroundings& to_;
  CommittedHead& head_;
  History history_;
  HeldCommits held_;
  TagPins pins_;
  bool isUnread_ = false;
};

}  // namespace seriesdb
