// The segments that tags name. Their files stay until the tag is removed. Not thread-safe.
#pragma once

#include <span>
#include <string>
#include <unordered_set>

#include "common/digest/sha256.h"
#include "common/file/file_system.h"
#include "format/manifest/manifest.h"
#include "format/objects/refs_log.h"

namespace seriesdb {

class TagPins {
 public:
  // Reads all tags, those in REFS and loose ones. If one cannot be read, every segment is pinned.
  void read(const RefsLog& refs, FileSystem& fs, const std::string& directory);
  // A damaged REFS lost the tags, so every segment is pinned from now on.
  void lose() { areLost_ = true; }
  // The segments of a new tag. REQUIRES: each has a hash.
  void add(std::span<const SegmentFacts> segments);

  // True if the tags are lost or unreadable.
  bool areAll() const { return areLost_ || !problem_.empty(); }
  // REQUIRES: the segment has a hash.
  bool has(const SegmentFacts& facts) const { return areAll() || segments_.contains(*facts.hash); }
  // Why a tag is unreadable, for an operator; empty if none is.
  const std::string& problem() const { return problem_; }

 private:
  Status pin(const Sha256& commit, const ObjectReader& objects);

  std::unordered_set<Sha256> segments_;
  bool areLost_ = false;
  std::string problem_;
};

// The state that a commit names.
Result<ManifestState> stateAt(const Sha256& commit, const ObjectReader& objects);

}  // namespace seriesdb
