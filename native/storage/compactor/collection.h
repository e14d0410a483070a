// What is removed on request because neither the head, nor a snapshot, nor history, nor a reader
// needs it: files of segments that nothing names, and what is dead in REFS.
#pragma once

#include <cstdint>

namespace seriesdb {

struct CollectionRequest {
  bool isDryRun = false;      // Only says what would go.
  bool isOfHistory = false;   // History goes as well, all of it.
};

struct CollectionReport {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;      // Of the files.
  std::uint64_t commits = 0;    // Of history.
  std::uint64_t refsBytes = 0;  // By which REFS got shorter.
  std::uint64_t kept = 0;       // Files that nothing names and that have to stay for now.
};

}  // namespace seriesdb
