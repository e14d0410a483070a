// A commit: one state of the database, as a tree, and the state that it came from.
// See docs/format/objects.md.
#pragma once

#include <cstdint>
#include <optional>

#include "base/bytes.h"
#include "base/status.h"
#include "digest/sha256.h"

namespace seriesdb {

// Why there is a new state. On disk: do not renumber.
enum class CommitReason : std::uint8_t {
  kFlush = 1,
  kCompact = 2,
  kDelete = 3,
  kRetention = 4,  // The time that it believes; what goes by it is a compaction.
  kMigrate = 5,
  kRestore = 6,
  kRepair = 8,  // One of the two descriptions was behind.
  kTag = 9,
};
inline constexpr std::uint8_t kCommitReasonMax = 9;

struct Commit {
  Sha256 root;
  std::optional<Sha256> parent;
  std::uint64_t edit = 0;  // The number of the edit, as MANIFEST has it; not 0.
  std::int64_t timeMs = 0;  // By the wall clock.
  CommitReason reason = CommitReason::kFlush;
  // The files of the log that hold what the tree does not: from here on up to, and without, there.
  std::uint64_t walFloor = 1;
  std::uint64_t walEnd = 1;

  bool operator==(const Commit&) const = default;
};

void appendCommit(ByteBuffer& out, const Commit& commit);
// kStorageCorrupt for bytes that appendCommit cannot have written.
Result<Commit> parseCommit(Bytes bytes);

}  // namespace seriesdb
