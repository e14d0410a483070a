#include "shipping/directory_test.h"

#include <algorithm>
#include <utility>

#include "bucket/bucket_files.h"
#include "bucket/refs_parts.h"
#include "common/types/file_names.h"
#include "format/log/log_frame.h"
#include "format/log/wal_reader.h"
#include "maintenance/inspect/refs_reading.h"
#include "shipping/log_groups.h"

namespace seriesdb {
namespace {

// The records of the directory's WAL beside those of the bucket, which come in order.
class LocalRecords {
 public:
  LocalRecords(FileSystem& fs, std::string directory)
      : fs_(fs), directory_(std::move(directory)) {}

  // False if the file is there and lacks the group's records, or has others. Files that are gone
  // were flushed, and say nothing.
  Result<bool> agrees(const LogGroup& group) {
    if (group.file != file_) {
      if (Status opened = open(group.file); !opened.ok()) return opened;
    }
    if (!isThere_) return true;
    while (const auto size = log_frame::plausibleSize(bytes_, at_)) {
      if (sequenceHere() >= group.firstSequence) break;
      at_ += *size;
    }
    const Bytes rest = Bytes(bytes_).subspan(at_);
    if (rest.size() < group.records.size()) return false;
    const Bytes same = rest.first(group.records.size());
    return std::ranges::equal(same, group.records);
  }

 private:
  Status open(std::uint64_t file) {
    file_ = file;
    at_ = log_frame::kHeaderSize;
    const std::string path = file_names::join(directory_, file_names::walFile(file));
    const auto exists = fs_.exists(path);
    if (!exists.ok()) return exists.status();
    isThere_ = exists.value();
    bytes_.clear();
    if (!isThere_) return {};
    auto bytes = fs_.readAll(path);
    if (!bytes.ok()) return bytes.status();
    bytes_ = std::move(bytes).value();
    at_ = std::min(at_, bytes_.size());
    return {};
  }

  std::uint64_t sequenceHere() const {
    return loadLe<std::uint64_t>(bytes_.data() + at_ + log_frame::kSequenceOffset);
  }

  FileSystem& fs_;
  const std::string directory_;
  std::uint64_t file_ = 0;
  bool isThere_ = false;
  ByteBuffer bytes_;
  std::size_t at_ = 0;
};

// Whether the directory has every tag of the entry: an older copy of it may have the same commit.
Result<bool> hasRefs(StoreSession& session, const SpineEntry& entry, const RefsLog& log) {
  auto bytes = readRefsParts(session, entry.parts);
  if (!bytes.ok()) return bytes.status();
  BucketFiles files(session, {"bucket", {}, std::move(bytes).value(), {}});
  const auto theirs = RefsLog::open(files, files.directory());
  if (!theirs.ok()) return theirs.status();
  return std::ranges::all_of(theirs.value()->refs(), [&log](const auto& one) {
    return log.target(one.first) == one.second.to;
  });
}

// Whether REFS of the directory contains the state of the entry: as its beginning, or, where REFS
// was replaced since, as the head or a commit before it.
Result<bool> hasState(StoreSession& session, const SpineEntry& entry,
                      const TestedDirectory& tested) {
  const auto exists = tested.fs.exists(file_names::join(tested.directory, file_names::kRefs));
  if (!exists.ok()) return exists.status();
  if (!exists.value()) return false;
  const auto bytes = tested.fs.readAll(file_names::join(tested.directory, file_names::kRefs));
  if (!bytes.ok()) return bytes.status();
  const auto plan = planRefsParts(session, {entry.parts, true}, bytes.value());
  if (!plan.ok()) return plan.status();
  if (plan.value().kept.size() == entry.parts.size()) return true;
  const auto refs = readRefs(tested.fs, tested.directory);
  if (!refs.ok()) return refs.status();
  const RefsLog& log = *refs.value().log;
  if (log.target(kHeadRef) == entry.headCommit) return hasRefs(session, entry, log);
  return log.has(entry.headCommit) &&
         std::ranges::any_of(refs.value().states, [&entry](const NamedState& one) {
           return one.move.ref == kHeadRef && one.commit.edit > entry.edit;
         });
}

bool isOwn(const FoundEntry& newest, const BucketFile& file) {
  return std::ranges::find(file.nonces, newest.entry.link.nonce) != file.nonces.end();
}

}  // namespace

Result<DirectoryVerdict> testDirectory(StoreSession& session, const FoundEntry& newest,
                                       const SpineEntry& claim, const TestedDirectory& tested) {
  DirectoryVerdict verdict;
  const std::string wal = file_names::join(tested.directory, file_names::kWalDirectory);
  if (tested.file == nullptr) {
    verdict.reason = "nothing stands in the directory";
  } else if (!isOwn(newest, *tested.file)) {
    verdict.reason = "another directory has claimed the database since, on " + newest.entry.node;
  }
  LocalRecords local(tested.fs, wal);
  std::uint64_t lastFile = 0;
  verdict.log.sequence = std::max(claim.floor.sequence, claim.ends.back().sequence);
  const Status visited = visitGroups(session, claim, [&](const LogGroup& group) -> Status {
    if (group.file != lastFile) verdict.log.files[group.file] = group.place;
    lastFile = group.file;
    if (!verdict.reason.empty()) return {};
    const auto agrees = local.agrees(group);
    if (!agrees.ok()) return agrees.status();
    if (!agrees.value()) {
      verdict.reason = "the directory lacks records of the bucket's log, or has others";
    }
    return {};
  });
  if (!visited.ok()) return visited;
  if (!verdict.reason.empty()) return verdict;
  const auto hasIt = hasState(session, newest.entry, tested);
  if (!hasIt.ok()) return hasIt.status();
  if (!hasIt.value()) {
    verdict.reason = "the directory is older than the bucket";
    return verdict;
  }
  const auto place = placeOfSequence(tested.fs, wal, verdict.log.sequence + 1);
  if (!place.ok()) return place.status();
  verdict.place = place.value();
  if (!verdict.place) verdict.reason = "the directory's log does not reach the end of the bucket's";
  return verdict;
}

}  // namespace seriesdb
