// A past state: which one to open, and a commit held for it.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>

#include "common/digest/sha256.h"

namespace seriesdb {

// With all fields unset: the last state. If both a snapshot and a time are set, the snapshot wins
// if it exists.
struct PastState {
  std::string snapshot;
  std::optional<std::uint64_t> edit;   // The commit of this edit.
  // By the wall clock: the first flush after it if no deletion came between; otherwise the last
  // commit before it.
  std::optional<std::int64_t> timeMs;

  bool isAny() const { return !snapshot.empty() || edit || timeMs; }
};

// Says which commit answers for the requested time, and what it lacks or has in addition. The end
// of a sentence; empty if `past` names its state, or if the times are equal.
std::string noteOfState(const PastState& past, std::uint64_t edit, std::int64_t timeMs);

// A commit that an open database keeps readable while this object exists and `isDone` is false. A
// reader may set `isDone` before it releases the object.
struct HeldCommit {
  Sha256 commit;
  std::unordered_set<Sha256> segments;
  // Roughly the memory of an engine with this state, estimated from its tree.
  std::uint64_t memoryBytes = 0;
  mutable std::atomic<bool> isDone{false};
};

}  // namespace seriesdb
