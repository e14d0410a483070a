// The ledger's figures after an edit, and the check of edits in shadow mode.
#include "storage/ledger/ledger.h"

namespace seriesdb {

// In shadow mode, compares the tree that edits made with a tree built from the state.
void Ledger::checkShadow() {
  if (to_.readMode != MetadataReadMode::kShadow || isRefsBehind_) return;
  const auto whole = ObjectTree().prepare(manifestChange(ManifestState{}, state_), *refs_);
  if (!whole.ok()) return;
  ObjectTree built;
  built.adopt(whole.value());
  std::uint64_t found = 0;
  for (const LeafPlace place : built.differingLeaves(tree_)) {
    const TreeSectionId section{place.section};
    found += section == TreeSectionId::kSegments || section == TreeSectionId::kTombstones ||
                     section == TreeSectionId::kMeta
                 ? 1
                 : 0;
  }
  to_.figures.shadowMismatches.fetch_add(found, std::memory_order_relaxed);
}

void Ledger::noteDebt() {
  std::uint64_t debt = 0;
  for (const SegmentFacts& facts : state_.segments) {
    const bool isNamed =
        isDual() && hasHead() && facts.hash && !uncommitted_.contains(facts.number);
    if (!isNamed) ++debt;
  }
  to_.figures.legacySegments.store(debt, std::memory_order_relaxed);
}

// The factor 2 counts the manifest's own list of segments. View::tombstones counts the series of
// tombstones.
void Ledger::noteMemory() {
  std::uint64_t bytes = tree_.memoryBytes() + unsavedBytes() +
                        2 * state_.segments.capacity() * sizeof(SegmentFacts);
  if (refs_) bytes += refs_->memoryBytes() + history_.memoryBytes();
  to_.figures.memoryBytes.store(bytes, std::memory_order_relaxed);
}

}  // namespace seriesdb
