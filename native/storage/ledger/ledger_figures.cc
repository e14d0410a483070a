// What the ledger counts after an edit, and where it looks whether edits come out as they should.
#include "storage/ledger/ledger.h"

namespace seriesdb {

// While a shadow is kept, what edits made of the tree is compared with what the state makes.
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
    const bool isNamed = isDual() && hasHead_ && facts.hash && !uncommitted_.contains(facts.number);
    if (!isNamed) ++debt;
  }
  to_.figures.legacySegments.store(debt, std::memory_order_relaxed);
}

// The manifest has its own list of segments. The series of tombstones are counted where readers
// look for them.
void Ledger::noteMemory() {
  std::uint64_t bytes = tree_.memoryBytes() + unsavedBytes() +
                        2 * state_.segments.capacity() * sizeof(SegmentFacts);
  if (refs_) bytes += refs_->memoryBytes() + history_.memoryBytes();
  to_.figures.memoryBytes.store(bytes, std::memory_order_relaxed);
}

}  // namespace seriesdb
