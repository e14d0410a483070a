#include "storage/ledger/held_commits.h"

#include <algorithm>

namespace seriesdb {

bool HeldCommits::has(const SegmentFacts& facts) const {
  return facts.hash && std::ranges::any_of(held_, [&facts](const auto& one) {
    const auto held = one.lock();
    return held && !held->isDone && held->segments.contains(*facts.hash);
  });
}

std::vector<Sha256> HeldCommits::commits() const {
  std::vector<Sha256> commits;
  for (const auto& one : held_) {
    const auto held = one.lock();
    if (held && !held->isDone) commits.push_back(held->commit);
  }
  return commits;
}

}  // namespace seriesdb
