// The WAL, and the state of the records written to it.
#pragma once

#include <cstdint>
#include <memory>

#include "format/log/wal_writer.h"
#include "index/logged_descriptors.h"

namespace seriesdb {

// Committer only, after opening. Other threads call only the thread-safe methods of members.
struct WritePath {
  // Null while the database awaits disk space, or is read-only.
  std::unique_ptr<WalWriter> wal;
  std::uint64_t nextSequence = 1;
  WalEnd replayEnd;                         // Read from the WAL at the start.
  std::uint32_t loggedSeriesCount = 0;      // Series below this ref are in CATALOG or WAL.
  LoggedDescriptors activeDescriptors;      // Logged since the last freeze.
  std::uint64_t frozenAnnotationCount = 0;  // Annotations that a flush has or will take.
  std::uint64_t unfrozenTombstones = 0;     // Applied since the last freeze.
};

}  // namespace seriesdb
