// A commit: one state of the database, as a tree, and the state that it came from.
// See docs/format/objects.md.
#pragma once

#include <cstdint>
#include <optional>

#include "common/base/bytes.h"
#include "common/base/status.h"
#include "common/digest/sha256.h"

namespace seriesdb {

// Why there is a new state. On disk: do not renumber.
enum class CommitReason : std::uint8_t {
  kFlush = 1,
  kCompact = 2,
  kDelete = 3,  // A flush right before a deletion, or an edit of deletions alone.
  kRetention = 4,  // The time that it believes; what goes by it is a compaction.
  kMigrate = 5,
  kRestore = 6,
  // 7 is kept for undelete, which writes through the log: its samples come with a flush.
  kRepair = 8,  // One of the two descriptions was behind.
  kTag = 9,
};
inline constexpr std::uint8_t kCommitReasonMax = 9;

struct Commit {
  Sha256 root;                   // Of the tree.
  std::optional<Sha256> parent;  // The state before it; none: the first, or those before are gone.
  std::uint64_t edit = 0;        // The number that MANIFEST has of it; 1 to kSequenceMax.
  std::int64_t timeMs = 0;       // By the wall clock, which may go back.
  CommitReason reason = CommitReason::kFlush;
  // The files of the log that hold what the tree does not: from here on up to, and without, there,
  // which is not below it and up to kSequenceMax.
  std::uint64_t walFloor = 1;
  std::uint64_t walEnd = 1;

  bool operator==(const Commit&) const = default;
};

void appendCommit(ByteBuffer& out, const Commit& commit);
// kStorageCorrupt for bytes that appendCommit cannot have written.
Result<Commit> parseCommit(Bytes bytes);

}  // namespace seriesdb
