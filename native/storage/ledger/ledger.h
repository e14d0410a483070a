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

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "common/base/time_source.h"
#include "format/manifest/manifest.h"
#include "format/objects/object_tree.h"
#include "format/objects/refs_log.h"
#include "storage/ledger/committed_files.h"
#include "storage/ledger/description_modes.h"
#include "storage/ledger/held_commits.h"
#include "storage/ledger/history.h"
#include "storage/ledger/past_state.h"
#include "storage/ledger/refs_start.h"
#include "storage/ledger/state_tree.h"
#include "storage/ledger/tag_pins.h"

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

using Descriptors = std::span<const MetricDescriptor>;

class Ledger {
 public:
  struct Surroundings {
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

  // All references in `surroundings` must outlive it.
  explicit Ledger(Surroundings surroundings);

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
  bool isBehind() const { return isManifestBehind_ || isRefsBehind_; }
  // Bytes of unsaved objects that the next commit must write in addition to its own.
  std::uint64_t unsavedBytes() const;
  // Why a description is behind, for an operator; empty if none is.
  std::string behindReason() const;
  const RefsStart& refsStart() const { return refsStart_; }
  // isPinned(): true if a tag, history or a held state needs the segment's file. isTagged(): true
  // if a tag does.
  bool isPinned(const SegmentFacts& facts) const;
  bool isTagged(const SegmentFacts& facts) const { return pins_.has(facts); }

  // Moves all loose tags into REFS.
  Status packTags();
  // Tags the last commit, whose segments then stay. Durable on success. Fails with kSnapshotExists;
  // kConfiguration without commits, or if a segment has no hash; kStorageUnavailable if the disk is
  // full, or while REFS lacks the last edit.
  Status addTag(const std::string& name);
  // Returns the segments that nothing names any more. If the tagged state cannot be read, the next
  // start finds them. kSnapshotNotFound; otherwise fails as addTag().
  Result<std::vector<SegmentFacts>> removeTag(const std::string& name);
  // Returns the files without a hold. Fails as addTag().
  Result<CommittedFiles> committedFiles();

  // Past commits beside the head and the tags.
  const History& history() const { return history_; }
  // Drops commits that history has kept too long or that take too much space; all of them if
  // `isAll`. Returns the segments that nothing names any more.
  std::vector<SegmentFacts> trimHistory(bool isAll);
  // refsWaste() estimates the dead bytes of REFS; shortenRefs() removes them and returns their
  // number. Both are 0 without commits.
  std::uint64_t refsWaste() const;
  Result<std::uint64_t> shortenRefs();
  // Milliseconds until the oldest past commit expires; 0 if there is none.
  std::uint64_t historyDueMs() const;
  // The commit of the open state: the head, or the chosen past commit.
  const Commit& headCommit() const { return headCommit_; }
  // Keeps everything that the commit names until the result is released. kSnapshotNotFound,
  // kStateNotFound; otherwise fails as addTag().
  Result<std::shared_ptr<const HeldCommit>> hold(const PastState& past);
  bool isHeld(const SegmentFacts& facts) const { return held_.has(facts); }

 private:
  // Reads objects: the unsaved ones and those in REFS.
  class Objects final : public ObjectReader {
   public:
    explicit Objects(const Ledger& ledger) : ledger_(ledger) {}
    Result<ByteBuffer> read(const Sha256& id) const override;

   private:
    const Ledger& ledger_;
  };
  using Unsaved = std::unordered_map<Sha256, ByteBuffer>;

  bool isDual() const { return to_.casMode == CasMode::kDualWrite; }
  bool hasHead() const { return head_ != Sha256{}; }
  bool isRefsDeciding() const {
    return to_.readMode == MetadataReadMode::kPrimary && isDual() && hasHead();
  }
  Status openRefs();
  Status openManifest();
  bool isRefsShort(const Result<std::unique_ptr<Manifest>>& manifest) const;
  Status loadHead(const Sha256& head);
  std::string refsPath() const;
  Result<Sha256> chooseCommit();
  Result<Sha256> find(const PastState& past) const;
  Sha256 commitAround(std::size_t place, std::int64_t timeMs) const;
  Status noState(const PastState& past) const;
  Status openPast();
  void openHistory();
  void noteStep(const ObjectTree::Change& change, const ManifestState& next);
  void limitHistory();
  void noteHistory();
  std::string tellDifferences(Descriptors pending);

  Result<ObjectTree::Change> prepare(const ManifestState& next, Descriptors descriptors);
  Result<TreeEdit> wholeEdit(const ManifestState& state) const;
  Status applyRefsFirst(const ManifestEdit& edit, ManifestState next, Descriptors descriptors);
  Status applyManifestFirst(const ManifestEdit& edit, ManifestState next,
                            Descriptors descriptors);
  Status dropHead();
  Status writeCommit(const ObjectTree::Change& change, const ManifestState& next,
                     CommitReason reason);
  bool isWholeKnown() const;
  Status addTagged(std::vector<Sha256>& live) const;
  void addPast(std::vector<Sha256>& live) const;
  Status checkCommitted() const;
  Result<std::vector<Sha256>> liveObjects() const;
  static std::vector<Sha256> objectsOf(const ObjectTree& tree, const Sha256& commit);
  void rewriteWhenLarge();
  void checkShadow();
  void noteDebt();
  void noteMemory();
  void countTags();

  const Surroundings to_;
  ManifestState state_;
  std::unique_ptr<Manifest> manifest_;  // Null if it is behind and not opened.
  std::unique_ptr<RefsLog> refs_;
  ObjectTree tree_;                    // The tree of `state_`, if commits are written.
  std::uint64_t treeSeriesCount_ = 0;  // Series in the tree.
  std::vector<SeriesRef> forgotten_;   // Series that the next edit removes from the tree.
  Unsaved unsaved_;                    // Objects of the tree that are in no file.
  Sha256 head_;                        // The head in REFS; zeros if there is none.
  Commit headCommit_;
  History history_;
  HeldCommits held_;
  TagPins pins_;
  RefsStart refsStart_;
  // The time of the edit being applied, if the edit has one; otherwise 0.
  std::int64_t editTimeMs_ = 0;
  std::uint64_t otherEdit_ = 0;  // The edit number of one description at the start.
  bool isFromCommit_ = false;
  bool isHistoryUnread_ = false;  // The past commits are unknown until openHistory() reads them.
  bool isTreeLost_ = false;       // The next commit rebuilds the tree from the state.
  bool isManifestBehind_ = false;
  bool isRefsBehind_ = false;
  // A live part of REFS is unreadable: the next commit rewrites REFS.
  bool isRefsUnreadable_ = false;
  std::string refsProblem_;
  std::string manifestProblem_;
  std::uint64_t rewriteSizeMin_;
  // Segment numbers that no commit names, while REFS is behind.
  std::unordered_set<std::uint64_t> uncommitted_;
  std::vector<std::pair<LeafPlace, std::string>> differences_;
  ManifestEdit settling_;  // State that an old database lacks; the first edit adds it.
};

}  // namespace seriesdb
