// What a ledger works on, and the figures that it keeps.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "common/base/time_source.h"
#include "common/file/file_system.h"
#include "storage/ledger/description_modes.h"
#include "storage/ledger/held_commits.h"
#include "storage/ledger/past_state.h"
#include "storage/ledger/state_tree.h"

namespace seriesdb {

// Any thread; relaxed.
struct LedgerFigures {
  using Count = std::atomic<std::uint64_t>;
  Count syncs{0};
  Count syncFailed{0};
  Count syncNanos{0};
  Count shadowMismatches{0};
  Count looseRefs{0};
  Count tags{0};            // Tags in REFS.
  Count legacySegments{0};  // Segments without a hash, or that no commit names.
  // The WAL files that the head commit names, as a half-open range of numbers.
  Count walNamedFrom{0};
  Count walNamedTo{0};
  Count memoryBytes{0};  // The memory of both descriptions.
  Count historyCommits{0};
  Count historyBytes{0};  // Bytes of files that only history keeps.
  // The time of its oldest commit; 0 if there is none.
  std::atomic<std::int64_t> historyOldestMs{0};
};

// All references must outlive the ledger.
struct LedgerSurroundings {
  bool isDual() const { return casMode == CasMode::kDualWrite; }

  FileSystem& fs;
  std::string directory;
  CasMode casMode;
  MetadataReadMode readMode;
  PastState past;  // The past state to open as the head; unset: the head itself.
  std::shared_ptr<const HeldCommit> held;  // The same, if another engine found and holds it.
  StateSources sources;
  const TimeSource& time;
  const std::atomic<std::uint64_t>& historyKeepMs;
  std::uint64_t historyBytesMin;
  const std::atomic<std::uint64_t>& walNumber;  // The number of the current WAL file.
  LedgerFigures& figures;
};

}  // namespace seriesdb
