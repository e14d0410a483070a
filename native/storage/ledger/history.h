// The recent head commits, oldest first, and the files that stay on disk for them.
//
// Each past commit holds the files and objects that it names and the next commit does not name. So
// if an edit removes a file from the head, the file stays until the commit before that edit
// expires. The head, the commit itself or a later one keeps everything that a commit needs. Commits
// expire oldest first.
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

// A former head commit.
struct PastCommit {
  Sha256 id;
  std::uint64_t edit = 0;
  std::int64_t timeMs = 0;  // When it was made, by the wall clock, in milliseconds.
  CommitReason reason = CommitReason::kFlush;
  std::uint64_t segmentCount = 0;  // The number of segments in its state.
  std::uint64_t segmentBytes = 0;
  std::int64_t replacedMs = 0;         // When the next commit replaced it, by the monotonic clock.
  bool isNextDeleting = false;         // True if the next edit changed the tombstones.
  std::vector<SegmentFacts> segments;  // Segments that no later commit names. All have hashes.
  std::vector<Sha256> objects;         // Objects in REFS that no later commit names.
  std::uint64_t objectBytes = 0;
};

class History {
 public:
  // REQUIRES: it is later than all others.
  void add(PastCommit past);
  void replace(std::deque<PastCommit> commits);
  void clear() { dropFirst(commits_.size()); }
  // Drops commits that were replaced at least `keepMs` ago.
  void expire(std::int64_t nowMs, std::uint64_t keepMs);
  // Drops the oldest commits until the rest keeps at most `bytesMax`. Segments with `isKept` do not
  // count.
  using IsKept = std::function<bool(const SegmentFacts& facts)>;
  void limit(std::uint64_t bytesMax, const IsKept& isKept);
  // The segments of dropped commits, each once.
  std::vector<SegmentFacts> takeReleased();

  const std::deque<PastCommit>& commits() const { return commits_; }
  bool keeps(const Sha256& segment) const { return segments_.contains(segment); }
  void addObjects(std::vector<Sha256>& live) const;
  std::uint64_t bytes(const IsKept& isKept) const;
  // Null if no past commit is of this edit.
  const PastCommit* atEdit(std::uint64_t edit) const;
  // The index of the last commit made at that time or before; null if all are later.
  std::optional<std::size_t> placeAt(std::int64_t timeMs) const;
  std::uint64_t memoryBytes() const;

 private:
  void dropFirst(std::size_t count);

  std::deque<PastCommit> commits_;
  std::unordered_map<Sha256, std::uint32_t> segments_;  // By hash: how many commits keep it.
  std::vector<SegmentFacts> released_;
};

struct HistorySource {
  const RefsLog& refs;
  FileSystem& fs;
  std::string directory;
};
struct HistoryClock {
  std::int64_t wallMs;
  std::int64_t nowMs;                   // By the monotonic clock.
  std::optional<std::uint64_t> keepMs;  // Null: no limit.
};
// Reads the commits before `head`, newest first, until one was replaced too long ago, is incomplete
// or cannot be read. Reads only the differences from one commit to the next.
std::deque<PastCommit> readHistory(const HistorySource& from, CommittedTree head,
                                   const HistoryClock& clock);

// The time as text, in UTC.
std::string timeText(std::int64_t wallMs);

}  // namespace seriesdb
