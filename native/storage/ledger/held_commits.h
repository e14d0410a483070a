// Past commits that readers hold. Their objects and segments stay meanwhile. Not thread-safe.
#pragma once

#include <memory>
#include <vector>

#include "format/manifest/manifest.h"
#include "storage/ledger/past_state.h"

namespace seriesdb {

class HeldCommits {
 public:
  // Holds the commit until its last owner releases it, or says that it is done.
  void add(std::shared_ptr<const HeldCommit> held) {
    std::erase_if(held_, [](const auto& one) { return one.expired(); });
    held_.push_back(std::move(held));
  }
  bool has(const SegmentFacts& facts) const;
  std::vector<Sha256> commits() const;

 private:
  std::vector<std::weak_ptr<const HeldCommit>> held_;
};

}  // namespace seriesdb
