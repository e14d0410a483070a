// A commit: one state of the database as a tree, and its parent commit. See docs/format/objects.md.
#pragma once

#include <cstdint>
#include <optional>

#include "common/base/bytes.h"
#include "common/base/status.h"
#include "common/digest/sha256.h"

namespace seriesdb {

// The reason for a new state. On disk: do not renumber.
enum class CommitReason : std::uint8_t {
  kFlush = 1,
  kCompact = 2,
  kDelete = 3,     // A flush right before a deletion, or an edit with deletions only.
  kRetention = 4,  // An advance of the retention clock. Removals by retention are compactions.
  kMigrate = 5,
  kRestore = 6,
  // 7 is reserved for undelete, which writes through the WAL: its samples come with a flush.
  kRepair = 8,  // MANIFEST or REFS was behind the other.
  kTag = 9,
};
inline constexpr std::uint8_t kCommitReasonMax = 9;

struct Commit {
  Sha256 root;  // The hash of the tree's root.
  // The previous state; none: the first commit, or older ones were removed.
  std::optional<Sha256> parent;
  std::uint64_t edit = 0;   // The number of the edit in MANIFEST; 1 to kSequenceMax.
  std::int64_t timeMs = 0;  // By the wall clock, which may go back.
  CommitReason reason = CommitReason::kFlush;
  // The WAL files with the data that the tree lacks: [walFloor, walEnd). walEnd is at least
  // walFloor and at most kSequenceMax.
  std::uint64_t walFloor = 1;
  std::uint64_t walEnd = 1;

  bool operator==(const Commit&) const = default;
};

void appendCommit(ByteBuffer& out, const Commit& commit);
// kStorageCorrupt for bytes that appendCommit cannot have written.
Result<Commit> parseCommit(Bytes bytes);

}  // namespace seriesdb
