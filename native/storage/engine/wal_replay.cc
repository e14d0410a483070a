#include "storage/engine/wal_replay.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "common/base/later_program.h"
#include "common/types/file_names.h"
#include "format/log/wal_reader.h"
#include "index/catalog/catalog_codec.h"
#include "storage/compactor/unnamed_segments.h"
#include "storage/write/commit_record.h"
#include "storage/write/freeze.h"
#include "storage/write/removal.h"

namespace seriesdb {
namespace {

// The deletions at the beginning of a WAL file. If the committer froze the memtable before them, it
// also began this file.
struct FirstRemovals {
  std::uint64_t walNumber = 0;
  // The sequence of the begin mark; null if the file has none.
  std::optional<std::uint64_t> beginSequence;
  std::uint64_t count = 0;  // Applied tombstones.
  bool isOver = false;      // True once the file has another record.
};

// Applies records to memory, in the order of the WAL.
class RecordReplay {
 public:
  RecordReplay(const EngineOptions& options, Sources& sources, WritePath& writes)
      : options_(options), sources_(sources), writes_(writes) {}

  void beginFile(std::uint64_t walNumber) {
    removals_ = FirstRemovals();
    removals_.walNumber = walNumber;
  }

  Status apply(const LogRecord& record) {
    if (record.type == kBeginMarkType) removals_.beginSequence = record.sequence;
    if (isMark(record.type)) return Status::okStatus();
    if (record.type == kTombstoneRecordType) return applyTombstone(record);
    removals_.isOver = true;
    if (record.type == kAnnotationRecordType) return applyAnnotation(record);
    if (record.type != kCommitRecordType) return unknownType(record.type, kClosedMarkType);
    return applyCommit(record);
  }

 private:
  Status applyTombstone(const LogRecord& record) {
    auto tombstone = decodeTombstoneRecord(record.payload);
    if (!tombstone.ok()) return tombstone.status();
    const auto index = sources_.index.current();
    if (tombstone.value().refs.back() >= index->createdCount()) {
      return Status::corrupt("a tombstone names a series that was never defined");
    }
    tombstone.value().sequence = record.sequence;
    freezeBefore(tombstone.value());
    static_cast<void>(applyRemoval(sources_.view, writes_, std::move(tombstone).value()));
    indexTombstones(sources_);
    return Status::okStatus();
  }

  // Freezes the memtable where the committer froze it before this deletion, so that the start
  // flushes the deleted samples for history. Skipped for a read-only database, which makes no
  // history.
  void freezeBefore(const Tombstone& tombstone) {
    const std::uint64_t before = removals_.count++;
    if (removals_.isOver || !removals_.beginSequence || options_.isReadOnly) return;
    const auto view = sources_.view.current();
    if (!view->active->mayHold(tombstone)) return;
    freezeActive(
        sources_, writes_, *options_.time,
        {removals_.walNumber, *removals_.beginSequence - 1, sources_.createdCount(), true});
    writes_.unfrozenTombstones = before;
  }

  // If ANNOTATIONS has the annotation too, both are the same.
  Status applyAnnotation(const LogRecord& record) {
    auto annotation = decodeAnnotationRecord(record.payload);
    if (!annotation.ok()) return annotation.status();
    return sources_.annotations.restore(std::move(annotation).value());
  }

  Status applyCommit(const LogRecord& record) {
    auto decoded = decodeCommit(record.payload);
    if (!decoded.ok()) return decoded.status();
    CommitRecord& commit = decoded.value();
    const auto index = sources_.index.writable();
    if (!commit.series.empty()) {
      const Status restored = index->restore(commit.series);
      if (!restored.ok()) return restored;
    }
    for (MetricDescriptor& one : commit.descriptors) {
      const auto merged = index->mergeDescriptor(one.first, viewOf(one.second));
      if (!merged.ok()) return merged.status();
      writes_.activeDescriptors.add(std::move(one));
    }
    const std::uint32_t known = index->createdCount();
    const bool isKnown = std::all_of(commit.refs.begin(), commit.refs.end(),
                                     [known](SeriesRef ref) { return ref < known; });
    if (!isKnown) return Status::corrupt("a WAL record names a series that was never defined");
    const auto view = sources_.view.current();
    view->active->append(commit.refs, commit.ts, commit.values);
    index->noteSamples(commit.refs, commit.ts);
    return Status::okStatus();
  }

  const EngineOptions& options_;
  Sources& sources_;
  WritePath& writes_;
  FirstRemovals removals_;  // In the current file.
};

std::string sequenceName(std::uint64_t sequence) {
  return "the record with sequence " + std::to_string(sequence);
}

// The WAL files from MANIFEST's floor on.
//
// No records may be missing: sequences are consecutive across all files. If an append fails, the
// next record gets its number. A torn tail is cut, and a restart continues its numbers. A file is
// synced before the next one is created, so only the last file can lose its end. Files below the
// floor hold only records up to flushedSequence. A flush ends with a file, and one edit of MANIFEST
// raises both values. So the first record at the floor follows flushedSequence, and anything else
// is damage.
class Replay {
 public:
  Replay(const EngineSettings& settings, Sources& sources, ManifestHolder& manifestHolder,
         WritePath& writes, Counters& counters)
      : settings_(settings),
        manifest_(manifestHolder),
        writes_(writes),
        counters_(counters),
        directory_(settings.path(file_names::kWalDirectory)),
        records_(settings.options, sources, writes) {}

  Result<WalEnd> run() {
    std::uint64_t floor = 0;
    {
      const auto manifest = manifest_.hold();
      floor = manifest->state().walFloor;
      writes_.nextSequence = manifest->state().flushedSequence + 1;
    }
    Status listed = list(floor);
    if (!listed.ok()) return listed;
    for (std::size_t at = 0;; ++at) {
      records_.beginFile(numbers_[at]);
      auto report = readWalFile(settings_.fs, pathOf(at), numbers_[at],
                                [&](const LogRecord& record) { return take(at, record); });
      if (!report.ok()) return report.status();
      Status begun = checkBegin(at, report.value());
      if (!begun.ok()) return begun;
      const auto isEnd = endsAt(at, report.value());
      if (!isEnd.ok()) return isEnd.status();
      if (!isEnd.value()) continue;
      if (report.value().log.hasTornTail) {
        counters_.walTornTails.fetch_add(1, std::memory_order_relaxed);
      }
      const WalFileReport& last = report.value();
      const bool isEmpty = last.hasBegin && !last.hasContent;
      return WalEnd{numbers_[at], last.log.validSize, isEmpty ? last.log.firstSequence : 0};
    }
  }

 private:
  std::string pathOf(std::size_t at) const { return pathOfNumber(numbers_[at]); }
  std::string pathOfNumber(std::uint64_t number) const {
    return file_names::join(directory_, file_names::walFile(number));
  }

  // Lists the file numbers from the floor on; they must have no gap.
  Status list(std::uint64_t floor) {
    const auto names = settings_.fs.list(directory_);
    if (!names.ok()) return names.status();
    for (const std::string& name : names.value()) {
      const auto number = file_names::walNumber(name);
      if (number && *number >= floor) numbers_.push_back(*number);
    }
    std::sort(numbers_.begin(), numbers_.end());
    if (numbers_.empty() || numbers_.front() != floor) return missingFloor(floor);
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      if (numbers_[i] == floor + i) continue;
      return Status::corrupt(pathOfNumber(floor + i) + " is missing, but " +
                             file_names::walFile(numbers_[i]) + " is there");
    }
    return Status::okStatus();
  }

  // A flush names its segments and the floor in one record of MANIFEST, and removes WAL files only
  // afterwards. So if MANIFEST lost its end, MANIFEST is the damaged file.
  Status missingFloor(std::uint64_t floor) const {
    const std::string missing = file_names::walFile(floor);
    std::optional<std::uint64_t> tornAt;
    std::string path;
    {
      const auto manifest = manifest_.hold();
      path = settings_.path(manifest->decidingFile());
      tornAt = manifest->tornAt();
    }
    if (tornAt) {
      return Status::corrupt(path + " ends in a damaged record at offset " +
                             std::to_string(*tornAt) + ": the records before it need " + missing +
                             ", which is missing");
    }
    const std::string unnamed = findUnnamedSegment(settings_, manifest_);
    if (!unnamed.empty()) {
      return Status::corrupt(path + " is older than the data: it needs " + missing +
                             ", which is missing, and does not name " + unnamed);
    }
    return Status::corrupt(pathOfNumber(floor) + " is missing: " + decider() +
                           " names it as the first WAL file to replay");
  }

  std::string decider() const {
    const auto manifest = manifest_.hold();
    return manifest->decidingFile();
  }

  // The checksum is right, so the error names the refused record by its sequence.
  Status take(std::size_t at, const LogRecord& record) {
    Status applied =
        record.sequence == writes_.nextSequence ? records_.apply(record) : gapBefore(at, record);
    ++writes_.nextSequence;
    if (applied.ok()) return applied;
    return {applied.code(),
            pathOf(at) + ": " + sequenceName(record.sequence) + ": " + applied.message()};
  }

  // readLog() finds gaps within a file, so this is the file's first record.
  Status gapBefore(std::size_t at, const LogRecord& record) const {
    if (at > 0) {
      return Status::corrupt("it does not follow sequence " +
                             std::to_string(writes_.nextSequence - 1) + ", the last one of " +
                             file_names::walFile(numbers_[at - 1]));
    }
    const std::string flushed = std::to_string(writes_.nextSequence - 1);
    return Status::corrupt(record.type == kBeginMarkType
                               ? decider() + " does not belong to this WAL: it says that the " +
                                     "records before this file end with sequence " + flushed
                               : "it does not follow sequence " + flushed +
                                     ", the last one before this file according to " + decider());
  }

  Status checkBegin(std::size_t at, const WalFileReport& report) const {
    if (at == 0 && !report.hasHeader()) {
      return Status::corrupt(pathOf(at) + ": the log header is cut short at offset 0");
    }
    if (at == 0 || !isPreviousContinued_ || report.hasBegin) return Status::okStatus();
    return Status::corrupt(pathOf(at) + ": its first record is missing or damaged");
  }

  // True if the WAL ends with this file.
  Result<bool> endsAt(std::size_t at, const WalFileReport& report) {
    const bool isLast = at + 1 == numbers_.size();
    isPreviousContinued_ = report.isContinued;
    if (report.isContinued) {
      if (!isLast) return false;
      return Status::corrupt(pathOfNumber(numbers_[at] + 1) +
                             " is missing: " + file_names::walFile(numbers_[at]) +
                             " says that the WAL continues there");
    }
    if (isLast) return true;
    // Older versions wrote no marks between files.
    if (!report.hasBegin && !report.log.hasTornTail) {
      const auto next = peek(at + 1);
      if (!next.ok()) return next.status();
      if (next.value().hasHeader() && !next.value().hasBegin) return false;
    }
    if (Status unused = checkUnusedAfter(at, report); !unused.ok()) return unused;
    return true;
  }

  // A file without the mark of continuation ends the WAL. Later files come from a rotation that did
  // not finish, before or after this file got its last records. The first sequence of such a file
  // leaves one number for the mark. A higher sequence means that this file has lost records.
  Status checkUnusedAfter(std::size_t at, const WalFileReport& report) const {
    for (std::size_t later = at + 1; later < numbers_.size(); ++later) {
      const auto found = peek(later);
      if (!found.ok()) return found.status();
      const bool isLate = found.value().log.firstSequence > writes_.nextSequence + 1;
      if (found.value().isUnused() && !isLate) continue;
      const char* how = report.log.hasTornTail ? " ends in a torn record" : " is cut short";
      return Status::corrupt(
          pathOf(at) + how + " at offset " + std::to_string(report.log.validSize) + ": " +
          file_names::walFile(numbers_[later]) + " continues after records that are missing");
    }
    return Status::okStatus();
  }

  Result<WalFileReport> peek(std::size_t at) const {
    return readWalFile(settings_.fs, pathOf(at), numbers_[at],
                       [](const LogRecord&) { return Status::okStatus(); });
  }

  const EngineSettings& settings_;
  ManifestHolder& manifest_;
  WritePath& writes_;
  Counters& counters_;
  const std::string directory_;
  RecordReplay records_;
  std::vector<std::uint64_t> numbers_;
  bool isPreviousContinued_ = false;
};

}  // namespace

Result<WalEnd> replayWal(const EngineSettings& settings, Sources& sources,
                         ManifestHolder& manifestHolder, WritePath& writes, Counters& counters) {
  return Replay(settings, sources, manifestHolder, writes, counters).run();
}

Status resumeWal(const EngineSettings& settings, ManifestHolder& manifestHolder,
                 WritePath& writes) {
  const WalEnd& end = writes.replayEnd;
  const std::string directory = settings.path(file_names::kWalDirectory);
  const auto names = settings.fs.list(directory);
  if (!names.ok()) return names.status();
  const auto manifest = manifestHolder.hold();
  const std::uint64_t floor = settings.walFloor(manifest->state().walFloor);
  for (const std::string& name : names.value()) {
    const auto number = file_names::walNumber(name);
    const bool isUnused = number && *number > end.number;
    const bool isCovered = number && *number < floor && !manifest->isBehind();
    if (!isUnused && !isCovered) continue;
    const Status removed = settings.fs.remove(file_names::join(directory, name));
    if (!removed.ok()) return removed;
  }
  WalEnd resumed = end;
  // The copy may have the marks of an empty file, so their numbers must not be given again.
  if (settings.options.copy) resumed.emptyBegin = 0;
  auto wal = WalWriter::resume(settings.fs, directory, resumed, writes.nextSequence);
  if (!wal.ok()) return wal.status();
  writes.wal = std::move(wal).value();
  return Status::okStatus();
}

}  // namespace seriesdb
