#include "shipping/fetch.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "bucket/bucket_file.h"
#include "bucket/bucket_files.h"
#include "bucket/claim.h"
#include "bucket/refs_parts.h"
#include "common/base/clock.h"
#include "common/types/file_names.h"
#include "format/objects/committed_tree.h"
#include "format/objects/refs_log.h"
#include "maintenance/bucket/root.h"
#include "shipping/database_aside.h"
#include "shipping/log_files.h"
#include "shipping/log_groups.h"
#include "storage/ledger/history.h"
#include "storage/ledger/state_tree.h"

namespace seriesdb {
namespace {

// The segments that REFS names. Of the head, the tags and history the earlier one decides whether a
// segment may be missing.
class WantedList {
 public:
  // kStorageCorrupt: a segment has no hash.
  Status add(const std::vector<SegmentFacts>& segments, bool isOptional) {
    for (const SegmentFacts& facts : segments) {
      if (!facts.hash) return Status::corrupt("it names a segment of an older version");
      found_.try_emplace(*facts.hash,
                         Found{{*facts.hash, facts.fileSize, isOptional}, facts.sequenceMax});
    }
    return {};
  }
  // The newest first, and those of history at the end.
  std::vector<WantedSegment> sorted() const {
    std::vector<Found> all;
    for (const auto& [hash, one] : found_) all.push_back(one);
    std::ranges::stable_sort(all, [](const Found& a, const Found& b) {
      if (a.segment.isOptional != b.segment.isOptional) return b.segment.isOptional;
      return a.sequence > b.sequence;
    });
    std::vector<WantedSegment> segments;
    for (const Found& one : all) segments.push_back(one.segment);
    return segments;
  }

 private:
  struct Found {
    WantedSegment segment;
    std::uint64_t sequence;  // The last one of its samples.
  };
  std::map<Sha256, Found> found_;
};

class DatabaseFetch {
 public:
  DatabaseFetch(const FetchSource& source, FileSystem& fs, const std::string& directory)
      : source_(source), claim_(source.claim), fs_(fs), directory_(directory) {}

  Status run() {
    using Step = Status (DatabaseFetch::*)();
    for (const Step step :
         {&DatabaseFetch::checkSource, &DatabaseFetch::checkTarget, &DatabaseFetch::beginRoot,
          &DatabaseFetch::bringRefs, &DatabaseFetch::readRefs, &DatabaseFetch::bringLog,
          &DatabaseFetch::bringSegments, &DatabaseFetch::endRoot}) {
      if (Status done = (this->*step)(); !done.ok()) return done;
    }
    return {};
  }

 private:
  std::string path(std::string_view name) const { return file_names::join(directory_, name); }
  std::string entryName() const { return "entry " + std::to_string(claim_.number); }

  Status checkSource() {
    if (source_.root.id != claim_.link.database) {
      return Status::invalid(entryName() + " is not of the database that is fetched");
    }
    return checkEntryFeatures(claim_, spineReader(claim_.link.database));
  }

  Status checkTarget() {
    const auto bucket = readBucketFile(fs_, directory_);
    if (!bucket.ok()) return bucket.status();
    const bool isFetching = bucket.value() && bucket.value()->state == BucketState::kFetching &&
                            bucket.value()->database == claim_.link.database;
    if (!isFetching) return Status::invalid(path(file_names::kBucket) + " announces no fetch");
    return removeLeftovers();
  }

  // What only a start makes of a database that is fetched.
  Status removeLeftovers() {
    for (const std::string_view name :
         {file_names::kManifest, file_names::kCatalog, file_names::kAnnotations}) {
      if (Status gone = removeLeftover(fs_, path(name)); !gone.ok()) return gone;
    }
    return {};
  }

  RootFacts root() const {
    return {source_.root.unit, source_.root.id, claim_.featuresToRead & ~kRootUnfinished,
            claim_.featuresToWrite & ~kRootBackup};
  }
  Status beginRoot() {
    RootFacts unfinished = root();
    unfinished.toRead |= kRootUnfinished;
    return writeRoot(fs_, directory_, unfinished);
  }
  Status endRoot() { return writeRoot(fs_, directory_, root()); }

  Status bringRefs() {
    const auto refs = readRefsParts(source_.session, claim_.parts);
    if (!refs.ok()) return refs.status();
    return replaceFile(fs_, directory_, std::string(file_names::kRefs), refs.value());
  }

  // Learns from REFS what else is needed.
  Status readRefs() {
    auto log = RefsLog::open(fs_, directory_);
    if (!log.ok()) return log.status();
    log_ = std::move(log).value();
    if (Status head = readHead(); !head.ok()) return {head.code(), inRefs(head)};
    for (const auto& [ref, move] : log_->refs()) {
      if (Status read = readRef(move); !read.ok()) return {read.code(), inRefs(read)};
    }
    return readPast();
  }
  std::string inRefs(const Status& status) const {
    return entryName() + ": REFS: " + status.message();
  }

  Status readHead() {
    if (log_->report().hasTornTail) return Status::corrupt("its last record is not whole");
    if (log_->target(kHeadRef) != claim_.headCommit) {
      return Status::corrupt("its head is not the commit of the entry");
    }
    auto head = loadCommit(claim_.headCommit, *log_);
    if (!head.ok()) return head.status();
    const auto state = stateIn(head.value().tree, *log_);
    if (!state.ok()) return state.status();
    floor_ = {state.value().walFloor, state.value().flushedSequence};
    if (head.value().commit.edit != claim_.edit) {
      return Status::corrupt("its head has another edit than the entry");
    }
    if (floor_.sequence == claim_.floor.sequence) return {};
    return Status::corrupt("its segments end with sequence " + std::to_string(floor_.sequence) +
                           ", the floor of the entry with " +
                           std::to_string(claim_.floor.sequence));
  }

  Status readRef(const RefMove& move) {
    const auto named = loadCommit(move.to, *log_);
    if (!named.ok()) return named.status();
    const auto segments = segmentsIn(named.value().tree, *log_);
    return segments.ok() ? wanted_.add(segments.value(), false) : segments.status();
  }

  // History goes back as far as the bucket has its segments.
  Status readPast() {
    if (source_.historyKeepMs == 0) return {};
    auto head = loadCommit(claim_.headCommit, *log_);
    if (!head.ok() || !head.value().commit.parent) return head.status();
    const auto listed = source_.session.list(std::string(kBucketSegments));
    if (!listed.ok()) return listed.status();
    BucketFiles there(source_.session, {directory_, {}, {}, bucketObjectsIn(listed.value())});
    const HistoryClock clock{wallMs(), 0, source_.historyKeepMs};
    for (const PastCommit& past :
         readHistory({*log_, there, directory_}, std::move(head).value(), clock)) {
      if (Status added = wanted_.add(past.segments, true); !added.ok()) return added;
    }
    return {};
  }

  Status bringLog() {
    LogFiles files(fs_, path(file_names::kWalDirectory), floor_);
    Status done = files.begin();
    if (done.ok()) {
      done = visitGroups(source_.session, claim_,
                         [&files](const LogGroup& group) { return files.add(group); });
    }
    return done.ok() ? files.end() : done;
  }

  Status bringSegments() {
    Status made = fs_.makeDirectory(path(file_names::kSegmentDirectory));
    if (!made.ok()) return made;
    auto aside = objectFoldersAside(fs_, directory_);
    if (!aside.ok()) return aside.status();
    SegmentFetch fetch(source_.session, {fs_, directory_, std::move(aside).value()}, source_.watch);
    return fetch.run(wanted_.sorted());
  }

  const FetchSource& source_;
  const SpineEntry& claim_;
  FileSystem& fs_;
  const std::string directory_;
  std::unique_ptr<RefsLog> log_;
  LogFiles::Floor floor_;
  WantedList wanted_;
};

}  // namespace

Status fetchDatabase(const FetchSource& source, FileSystem& fs, const std::string& directory) {
  return DatabaseFetch(source, fs, directory).run();
}

}  // namespace seriesdb
