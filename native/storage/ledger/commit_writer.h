// Writes commits to REFS, and rewrites REFS. Not thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "format/manifest/manifest.h"
#include "storage/ledger/committed_head.h"
#include "storage/ledger/ledger_surroundings.h"
#include "storage/ledger/past_commits.h"

namespace seriesdb {

using Descriptors = std::span<const MetricDescriptor>;

class CommitWriter {
 public:
  // Reads objects: the unsaved ones and those in REFS.
  class Objects final : public ObjectReader {
   public:
    explicit Objects(const CommitWriter& writer) : writer_(writer) {}
    Result<ByteBuffer> read(const Sha256& id) const override;

   private:
    const CommitWriter& writer_;
  };
  // An edit: the states before and after it.
  struct Step {
    const ManifestState& before;
    const ManifestState& next;
    CommitReason reason;
    std::int64_t timeMs;  // 0: now.
  };

  // All arguments must outlive it.
  CommitWriter(const LedgerSurroundings& to, CommittedHead& head, PastCommits& past);

  Objects objects() const { return Objects(*this); }
  // True if REFS decides, not MANIFEST.
  bool isDeciding() const {
    return to_.readMode == MetadataReadMode::kPrimary && to_.isDual() && head_.exists();
  }
  // Bytes of unsaved objects.
  std::uint64_t unsavedBytes() const;
  // The next commit omits these series.
  void forget(std::span<const SeriesRef> refs);
  // A live part of REFS is unreadable: the next commit rewrites REFS.
  void setUnreadable() { isUnreadable_ = true; }
  // The series in the tree.
  void setSeriesCount(std::uint64_t count) { seriesCount_ = count; }

  // Prepares the tree of the next state, as a change of the current tree.
  Result<ObjectTree::Change> prepare(const ManifestState& state, const ManifestState& next,
                                     Descriptors descriptors);
  // The tree of a state, as a change of an empty one.
  Result<TreeEdit> wholeEdit(const ManifestState& state) const;
  // If appends to REFS failed for good, rewrites it whole. If REFS decides, only a restart can do
  // so: the content of the file is unknown until then.
  Status write(const ObjectTree::Change& change, const Step& step);
  // Applies the change to the tree.
  void adopt(const ObjectTree::Change& change, std::uint64_t seriesCount);
  // Objects of the tree that are in no file; the next commit writes them.
  void keepUnsaved(const NewObjects& objects);
  // Drops the head, because no later commit continues it. MANIFEST then decides in every mode.
  Status dropHead();
  // Rewrites REFS if it is too large for its live objects. The limit grows with these.
  void rewriteWhenLarge();
  // refsWaste() estimates the dead bytes of REFS; shortenRefs() removes them and returns their
  // number. Both are 0 without commits.
  std::uint64_t refsWaste() const;
  Result<std::uint64_t> shortenRefs();

 private:
  bool isWholeKnown() const;
  Result<std::vector<Sha256>> liveObjects() const;

  const LedgerSurroundings& to_;
  CommittedHead& head_;
  PastCommits& past_;
  std::uint64_t seriesCount_ = 0;     // Series in the tree.
  std::vector<SeriesRef> forgotten_;  // Series that the next edit removes from the tree.
  // Objects of the tree that are in no file.
  std::unordered_map<Sha256, ByteBuffer> unsaved_;
  bool isUnreadable_ = false;
  std::uint64_t rewriteSizeMin_;
};

}  // namespace seriesdb
