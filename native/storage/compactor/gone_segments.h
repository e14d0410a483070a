// Segments that no edit names any more, with their files still on disk. A file is removed after the
// last reader, because a reader may open a segment by its name.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "storage/compactor/unnamed_segments.h"
#include "storage/ledger/committed_files.h"
#include "storage/ledger/manifest_holder.h"
#include "storage/state/engine_settings.h"
#include "storage/state/health.h"

namespace seriesdb {

// Any thread. What it notes is guarded by the hold of MANIFEST.
class GoneSegments {
 public:
  // All arguments must outlive it.
  GoneSegments(const EngineSettings& settings, ManifestHolder& manifestHolder, Health& health)
      : settings_(settings), manifestHolder_(manifestHolder), health_(health) {}

  bool isAny() const { return isAny_; }
  // note() and noteFreed(): REQUIRES: MANIFEST is held. `segment` is null if it has no readers.
  void note(const std::shared_ptr<const Segment>& segment, const SegmentFacts& facts);
  void noteFreed(const std::vector<SegmentFacts>& freed);
  // Returns the number of removed files. Files that a description on disk may still name stay for
  // now; tagged files stay for good.
  std::size_t remove();
  // No file is removed until the result is released. Fails as Ledger::committedFiles() does.
  Result<CommittedFiles> holdFiles();
  // True if a reader or a copy of the database may need the file.
  bool isRead(const UnnamedFile& file);
  // The caller removed these files.
  void forget(const std::unordered_set<std::string>& removed);

 private:
  struct Gone {
    std::weak_ptr<const Segment> segment;
    SegmentFacts facts;
  };

  const EngineSettings& settings_;
  ManifestHolder& manifestHolder_;
  Health& health_;
  std::vector<Gone> gone_;
  std::weak_ptr<const int> hold_;
  std::atomic<bool> isAny_{false};
};

}  // namespace seriesdb
