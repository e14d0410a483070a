// Garbage collection on request: segment files that neither the head, a snapshot, history nor a
// reader needs, and dead bytes of REFS.
#pragma once

#include <cstdint>

namespace seriesdb {

struct CollectionRequest {
  bool isDryRun = false;     // Only reports what would be removed.
  bool isOfHistory = false;  // Removes all of history, too.
};

struct CollectionReport {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;      // Bytes of the files.
  std::uint64_t commits = 0;    // Commits of history.
  std::uint64_t refsBytes = 0;  // Bytes by which REFS became shorter.
  std::uint64_t kept = 0;       // Unnamed files that must stay for now.
};

}  // namespace seriesdb
