// Which state of the past is meant, and one that is held.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>

#include "common/digest/sha256.h"

namespace seriesdb {

// With nothing of it set: the last state. With a snapshot and a time it is the snapshot, where
// there is one of that name.
struct PastState {
  std::string snapshot;
  std::optional<std::uint64_t> edit;   // The commit of this edit.
  // By the wall clock: the first flush after it, if nothing was deleted between; otherwise the last
  // commit before it.
  std::optional<std::int64_t> timeMs;

  bool isAny() const { return !snapshot.empty() || edit || timeMs; }
};

// Which commit answers for a time that was asked for, and what it lacks or has beside: a sentence's
// end. Empty where `past` names its state, or the commit is of that very time.
std::string noteOfState(const PastState& past, std::uint64_t edit, std::int64_t timeMs);

// A commit that an open database keeps readable for as long as somebody has this, unless done:
// who reads may be done with it before that is gone.
struct HeldCommit {
  Sha256 commit;
  std::unordered_set<Sha256> segments;
  // What an engine of it will hold in memory, roughly, by what its tree says.
  std::uint64_t memoryBytes = 0;
  mutable std::atomic<bool> isDone{false};
};

}  // namespace seriesdb
