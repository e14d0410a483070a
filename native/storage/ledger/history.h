// The commits that were the head until lately, oldest first, and what stays on the disk for them.
//
// Each knows what it names and the next one does not: so a file that an edit takes out of the head
// stays until the last commit that names it goes, which is the one before that edit. All that a
// commit needs is named by the head or kept by it or a later one. Those go oldest first.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/file/file_system.h"
#include "format/manifest/manifest.h"
#include "format/objects/committed_tree.h"
#include "format/objects/refs_log.h"
#include "storage/ledger/past_state.h"

namespace seriesdb {

// A commit that is the head no more.
struct PastCommit {
  Sha256 id;
  std::uint64_t edit = 0;
  std::int64_t timeMs = 0;  // By the wall clock.
  CommitReason reason = CommitReason::kFlush;
  std::uint64_t segmentCount = 0;   // Of its state.
  std::uint64_t segmentBytes = 0;
  std::int64_t replacedMs = 0;      // When the next one came, by the clock that never goes back.
  bool isNextDeleting = false;      // The edit after it changed the deletions.
  std::vector<SegmentFacts> segments;  // That it names last. All have hashes.
  std::vector<Sha256> objects;         // The same of what REFS holds.
  std::uint64_t objectBytes = 0;
};

class History {
 public:
  // REQUIRES: it came after all that are there.
  void add(PastCommit past);
  void replace(std::deque<PastCommit> commits);
  void clear() { dropFirst(commits_.size()); }
  // Lets go what was replaced `keepMs` ago or before.
  void expire(std::int64_t nowMs, std::uint64_t keepMs);
  // Lets go the oldest, until what is left keeps no more than this; segments that somebody else
  // keeps do not count.
  using IsKept = std::function<bool(const SegmentFacts& facts)>;
  void limit(std::uint64_t bytesMax, const IsKept& isKept);
  // The segments of what was let go, each once.
  std::vector<SegmentFacts> takeReleased();

  const std::deque<PastCommit>& commits() const { return commits_; }
  bool keeps(const Sha256& segment) const { return segments_.contains(segment); }
  void addObjects(std::vector<Sha256>& live) const;
  std::uint64_t bytes(const IsKept& isKept) const;
  // Null when it is none of these.
  const PastCommit* atEdit(std::uint64_t edit) const;
  // Of the last one made at that time or before; none: all are later.
  std::optional<std::size_t> placeAt(std::int64_t timeMs) const;
  std::uint64_t memoryBytes() const;

 private:
  void dropFirst(std::size_t count);

  std::deque<PastCommit> commits_;
  std::unordered_map<Sha256, std::uint32_t> segments_;  // By how many of them.
  std::vector<SegmentFacts> released_;
};

struct HistorySource {
  const RefsLog& refs;
  FileSystem& fs;
  std::string directory;
};
struct HistoryClock {
  std::int64_t wallMs;
  std::int64_t nowMs;  // Of the clock that never goes back.
  std::optional<std::uint64_t> keepMs;  // Nothing: without end.
};
// The commits before `head`, as far back as they were replaced lately and all that they name is
// there. What cannot be read ends them. Reads what differs from one to the next, and no more.
std::deque<PastCommit> readHistory(const HistorySource& from, CommittedTree head,
                                   const HistoryClock& clock);

// A time as people read it.
std::string timeText(std::int64_t wallMs);

}  // namespace seriesdb
