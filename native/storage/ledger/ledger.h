// What the database consists of, and its two descriptions on disk: the plain one, which is
// MANIFEST, and the content-addressed one, which is the commits in REFS. `cas_mode` says whether
// there are both, `metadata_read_mode` which of them is believed.
//
// An edit is appended first to the description that is believed, which decides: if that fails, the
// edit failed and nothing is in the other. If only the other fails, the edit stands; the other is
// *behind*, is written whole by a later edit, and until then no file may be removed that it names.
// So both are whole at any time, and either opens the database. Not thread-safe: one writer.
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
#include "storage/ledger/history.h"
#include "storage/ledger/past_state.h"
#include "storage/ledger/state_tree.h"

namespace seriesdb {

// Any thread; relaxed.
struct LedgerFigures {
  using Count = std::atomic<std::uint64_t>;
  Count syncs{0};
  Count syncFailed{0};
  Count syncNanos{0};
  Count shadowMismatches{0};
  Count looseRefs{0};
  Count tags{0};            // In REFS.
  Count legacySegments{0};  // Without a hash, or that no commit names.
  // The files of the log that the head commit names: from, and up to without.
  Count walNamedFrom{0};
  Count walNamedTo{0};
  Count memoryBytes{0};  // Of both descriptions.
  Count historyCommits{0};
  Count historyBytes{0};  // That nothing else keeps.
  std::atomic<std::int64_t> historyOldestMs{0};  // When its oldest commit was made; 0: none.
};

using Descriptors = std::span<const MetricDescriptor>;

class Ledger {
 public:
  struct Surroundings {
    FileSystem& fs;
    std::string directory;
    CasMode casMode;
    MetadataReadMode readMode;
    PastState past;  // What stands for the head; none: the head itself.
    std::shared_ptr<const HeldCommit> held;  // The same, where another engine found it.
    StateSources sources;
    const TimeSource& time;
    const std::atomic<std::uint64_t>& historyKeepMs;
    std::uint64_t historyBytesMin;
    const std::atomic<std::uint64_t>& walNumber;  // Of the log file that is written.
    LedgerFigures& figures;
  };

  // All of them must outlive it.
  explicit Ledger(Surroundings surroundings);

  // Makes MANIFEST in an empty directory. settle() makes REFS.
  Status create();

  // Opening, in this order. It changes no file before settle().
  Status open();
  // Whether the index and the annotations are to be had from the commit, by restore(); else from
  // CATALOG and ANNOTATIONS.
  bool isFromCommit() const { return isFromCommit_; }
  Status restore(SeriesIndex& index, AnnotationIndex& annotations) const;
  // When the index and the annotations hold what those files do, and not yet what the log has.
  Status compare();
  // Brings both descriptions to one state. `pending`: the descriptors that came out of the log.
  // What it says is worth telling; the database works.
  Result<std::string> settle(Descriptors pending);

  const ManifestState& state() const { return state_; }
  // Durable when ok, in the description that decides. `descriptors` are new with this edit.
  // kStorageUnavailable (no space): nothing changed, and a later call may succeed; any other
  // failure of the disk is final.
  Status apply(ManifestEdit edit, Descriptors descriptors = {});
  // The next commit that is written names these no more, which the index has no more. Until then a
  // start finds them, and that they have no samples.
  void forgetSeries(std::span<const SeriesRef> refs);
  // Of what decides, when it is final.
  const Status& failure() const;
  // The name of the file that decides.
  std::string decidingFile() const;
  // Where MANIFEST had a torn tail that matters, if it had one.
  std::optional<std::uint64_t> tornAt() const;

  // Whether one description lacks the last edit: then it may name files that the other does not.
  bool isBehind() const { return isManifestBehind_ || isRefsBehind_; }
  // Of objects that a next commit must write, beside its own.
  std::uint64_t unsavedBytes() const;
  // Why, for an operator; empty when it is not.
  std::string behindReason() const;
  // What became of REFS before the start, so that nobody knows which tags it had: a sentence's end,
  // or nothing where it was whole.
  std::string_view refsLoss() const;
  // Whether REFS had a head at the start, of a state before edits that no crash could have kept
  // from it.
  bool isHeadOld() const { return isRefsCut_ && hadHead_; }
  // Whether a tag names the segment, or history or who holds a state does, so that its file stays;
  // and whether it is a tag.
  bool isPinned(const SegmentFacts& facts) const;
  bool isTagged(const SegmentFacts& facts) const;

  // Moves all loose tags into REFS.
  Status packTags();
  // Names the last commit, whose segments stay from then on. Durable when ok. kSnapshotExists;
  // kConfiguration without commits, or where a segment has no hash; kStorageUnavailable while REFS
  // lacks the last edit, and where it has no room.
  Status addTag(const std::string& name);
  // Returns the segments that nothing names any more; those of one that cannot be read are found by
  // the next start. kSnapshotNotFound; else as addTag().
  Result<std::vector<SegmentFacts>> removeTag(const std::string& name);
  // Without a hold. Fails as addTag().
  Result<CommittedFiles> committedFiles();

  // The commits that are there beside the head and tags.
  const History& history() const { return history_; }
  // Lets go what history keeps for too long or too much of, or with `isAll` all of it. Returns the
  // segments that nothing names any more.
  std::vector<SegmentFacts> trimHistory(bool isAll);
  // What of REFS nobody needs, about; and takes that out of it, which says how much it was. Without
  // commits there is nothing.
  std::uint64_t refsWaste() const;
  Result<std::uint64_t> shortenRefs();
  // In which time the oldest of it goes; 0: there is none.
  std::uint64_t historyDueMs() const;
  // The commit that the database is, or that stands for a state of the past.
  const Commit& headCommit() const { return headCommit_; }
  // All that it names stays until it is given back. kSnapshotNotFound, kStateNotFound; else as
  // addTag().
  Result<std::shared_ptr<const HeldCommit>> hold(const PastState& past);
  bool isHeld(const SegmentFacts& facts) const;

 private:
  // Objects that are in no file yet, and those in REFS.
  class Objects final : public ObjectReader {
   public:
    explicit Objects(const Ledger& ledger) : ledger_(ledger) {}
    Result<ByteBuffer> read(const Sha256& id) const override;

   private:
    const Ledger& ledger_;
  };
  using Unsaved = std::unordered_map<Sha256, ByteBuffer>;

  bool isDual() const { return to_.casMode == CasMode::kDualWrite; }
  bool isRefsDeciding() const {
    return to_.readMode == MetadataReadMode::kPrimary && isDual() && hasHead_;
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
  void pinTags();
  Status pin(const Sha256& commit, const ObjectReader& objects);
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
  std::unique_ptr<Manifest> manifest_;  // Null: behind, and not opened.
  std::unique_ptr<RefsLog> refs_;
  ObjectTree tree_;                    // Of `state_`, where commits are written.
  std::uint64_t treeSeriesCount_ = 0;  // In the tree.
  std::vector<SeriesRef> forgotten_;   // Series that the next edit takes out of it.
  Unsaved unsaved_;                    // Objects of the tree that no file has.
  Sha256 head_;                        // As REFS has it; zeros: none.
  Commit headCommit_;
  History history_;
  std::vector<std::weak_ptr<const HeldCommit>> held_;
  std::int64_t editTimeMs_ = 0;        // Of the edit that is being applied, as it says.
  std::uint64_t otherEdit_ = 0;        // The number of an edit that one of them had at the start.
  bool hasHead_ = false;
  bool hadHead_ = false;  // At the start.
  bool isFromCommit_ = false;
  bool isRefsDamaged_ = false;
  bool isRefsMissing_ = false;
  bool isRefsCut_ = false;  // It ends before edits that no crash could have kept from it.
  bool isHistoryUnread_ = false;  // It is not known what the head's parent named.
  bool isTreeLost_ = false;  // The next commit makes it from the state.
  bool isManifestBehind_ = false;
  bool isRefsBehind_ = false;
  bool isRefsUnreadable_ = false;  // A part of it that lives: the next commit writes it anew.
  std::string refsProblem_;
  std::string manifestProblem_;
  std::uint64_t rewriteSizeMin_;
  std::unordered_set<std::uint64_t> uncommitted_;  // Numbers of segments, while REFS is behind.
  std::unordered_set<Sha256> pinned_;  // By tags.
  bool areTagsLost_ = false;           // With a REFS that was damaged.
  bool isAllPinned_ = false;           // That, or a tag could not be read.
  std::string pinProblem_;             // In the latter case why.
  std::vector<std::pair<LeafPlace, std::string>> differences_;
  ManifestEdit settling_;  // What the first edit notes of a database that nobody noted it of.
};

}  // namespace seriesdb
