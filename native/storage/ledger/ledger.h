// The state of the database and its two descriptions on disk. The plain one is MANIFEST; the
// content-addressed one is the commits in REFS. `cas_mode` says whether both exist;
// `metadata_read_mode` says which one decides.
//
// An edit is first appended to the deciding description. If that fails, the edit failed and the
// other description stays unchanged. If only the other append fails, the edit stands and the other
// description is *behind*. A later edit then writes it whole; until then, no file that it names may
// be removed. So both descriptions are complete at any time, and either opens the database. Not
// thread-safe: one writer.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "format/manifest/manifest.h"
#include "storage/ledger/commit_writer.h"
#include "storage/ledger/committed_head.h"
#include "storage/ledger/ledger_surroundings.h"
#include "storage/ledger/past_commits.h"
#include "storage/ledger/refs_start.h"

namespace seriesdb {

class Ledger {
 public:
  using Surroundings = LedgerSurroundings;

  // All references in `surroundings` must outlive it.
  explicit Ledger(Surroundings surroundings);
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  // Creates MANIFEST in an empty directory. settle() creates REFS.
  Status create();

  // For an existing directory, call these in order. No file changes before settle().
  Status open();
  // True if restore() has the index and the annotations, from the commit; otherwise they are in
  // CATALOG and ANNOTATIONS.
  bool isFromCommit() const { return isFromCommit_; }
  Status restore(SeriesIndex& index, AnnotationIndex& annotations) const;
  // REQUIRES: the index and the annotations hold these files, and the WAL is not yet replayed.
  Status compare();
  // Brings both descriptions to one state. `pending` are the descriptors from the WAL. Returns a
  // warning for the operator, perhaps empty; the database works nevertheless.
  Result<std::string> settle(Descriptors pending);

  const ManifestState& state() const { return state_; }
  // On success, the edit is durable in the deciding description. `descriptors` are new with this
  // edit. kStorageUnavailable (no space): nothing changed, and a later call may succeed. Any other
  // disk failure is final.
  Status apply(ManifestEdit edit, Descriptors descriptors = {});
  // The next commit omits these series, which the index no longer has. Until then a start finds
  // them, without samples.
  void forgetSeries(std::span<const SeriesRef> refs);
  // The final failure of the deciding description, if any.
  const Status& failure() const;
  // The file name of the deciding description.
  std::string decidingFile() const;
  // The offset of a torn tail of MANIFEST, if one mattered at the start.
  std::optional<std::uint64_t> tornAt() const;

  // True if one description lacks the last edit: it may then name files that the other does not.
  bool isBehind() const { return isManifestBehind_ || head_.isBehind; }
  // Bytes of unsaved objects that the next commit must write in addition to its own.
  std::uint64_t unsavedBytes() const { return writer_.unsavedBytes(); }
  // Why a description is behind, for an operator; empty if none is.
  std::string behindReason() const;
  const RefsStart& refsStart() const { return refsStart_; }
  // isPinned(): true if a tag, history or a held state needs the segment's file. isTagged(): true
  // if a tag does.
  bool isPinned(const SegmentFacts& facts) const { return past_.isPinned(facts); }
  bool isTagged(const SegmentFacts& facts) const { return past_.isTagged(facts); }

  // Moves all loose tags into REFS.
  Status packTags() { return past_.packTags(); }
  // Tags the last commit, whose segments then stay. Durable on success. Fails with kSnapshotExists;
  // kConfiguration without commits, or if a segment has no hash; kStorageUnavailable if the disk is
  // full, or while REFS lacks the last edit.
  Status addTag(const std::string& name) { return past_.addTag(state_, name); }
  // Returns the segments that nothing names any more. If the tagged state cannot be read, the next
  // start finds them. kSnapshotNotFound; otherwise fails as addTag().
  Result<std::vector<SegmentFacts>> removeTag(const std::string& name) {
    return past_.removeTag(state_, name);
  }
  // Returns the files without a hold. Fails as addTag().
  Result<CommittedFiles> committedFiles() { return past_.committedFiles(state_); }

  // Past commits beside the head and the tags.
  const History& history() const { return past_.history(); }
  // Drops commits that history has kept too long or that take too much space; all of them if
  // `isAll`. Returns the segments that nothing names any more.
  std::vector<SegmentFacts> trimHistory(bool isAll) { return past_.trimHistory(state_, isAll); }
  // refsWaste() estimates the dead bytes of REFS; shortenRefs() removes them and returns their
  // number. Both are 0 without commits.
  std::uint64_t refsWaste() const { return writer_.refsWaste(); }
  Result<std::uint64_t> shortenRefs() { return writer_.shortenRefs(); }
  // The size of REFS in bytes; each move of a ref changes it.
  std::uint64_t refsBytes() const { return head_.refs ? head_.refs->size() : 0; }
  // Milliseconds until the oldest past commit expires; 0 if there is none.
  std::uint64_t historyDueMs() const { return past_.historyDueMs(); }
  // The commit of the open state: the head, or the chosen past commit.
  const Commit& headCommit() const { return head_.commit; }
  // Keeps everything that the commit names until the result is released. kSnapshotNotFound,
  // kStateNotFound; otherwise fails as addTag().
  Result<std::shared_ptr<const HeldCommit>> hold(const PastState& past) {
    return past_.hold(past);
  }
  bool isHeld(const SegmentFacts& facts) const { return past_.isHeld(facts); }

 private:
  Status openRefs();
  Status openPast();
  Status openManifest();
  bool isRefsShort(const Result<std::unique_ptr<Manifest>>& manifest) const;
  Status loadHead(const Sha256& head);
  std::string refsPath() const;
  Result<Sha256> chooseCommit();
  std::string tellDifferences(Descriptors pending);
  Status applyRefsFirst(const ManifestEdit& edit, ManifestState next, Descriptors descriptors);
  Status applyManifestFirst(const ManifestEdit& edit, ManifestState next,
                            Descriptors descriptors);
  void checkShadow();
  void noteDebt();
  void noteMemory();

  const Surroundings to_;
  ManifestState state_;
  std::unique_ptr<Manifest> manifest_;  // Null if it is behind and not opened.
  CommittedHead head_;
  PastCommits past_;
  CommitWriter writer_;
  RefsStart refsStart_;
  std::uint64_t otherEdit_ = 0;  // The edit number of one description at the start.
  bool isFromCommit_ = false;
  bool isManifestBehind_ = false;
  std::string manifestProblem_;
  // Segment numbers that no commit names, while REFS is behind.
  std::unordered_set<std::uint64_t> uncommitted_;
  std::vector<std::pair<LeafPlace, std::string>> differences_;
  ManifestEdit settling_;  // State that an old database lacks; the first edit adds it.
};

}  // namespace seriesdb
