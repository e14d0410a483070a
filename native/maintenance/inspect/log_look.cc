// Reads the WAL as recovery does (storage/engine/wal_replay.cc), up to the first place that
// recovery would refuse.
#include <algorithm>
#include <utility>

#include "common/types/file_names.h"
#include "format/log/log_frame.h"
#include "format/log/wal_reader.h"
#include "format/segment/object_files.h"
#include "format/segment/segment_identity.h"
#include "maintenance/inspect/repair_plan.h"
#include "maintenance/inspect/wal_record.h"
#include "storage/ledger/set_aside.h"

namespace seriesdb {
namespace {

std::string nameOf(std::uint64_t number) {
  return file_names::join(file_names::kWalDirectory, file_names::walFile(number));
}

class LogReading {
 public:
  LogReading(FileSystem& fs, const std::string& directory, const ManifestState& state)
      : fs_(fs), directory_(directory), state_(state), next_(state.flushedSequence + 1) {}

  Result<LogLook> run() {
    if (Status listed = list(); !listed.ok()) return listed;
    for (std::uint64_t number = state_.walFloor;; ++number) {
      const bool isThere = std::ranges::binary_search(numbers_, number);
      if (!isThere && !isAnyFrom(number) && !isDue(number)) return look_;
      if (!isThere) return faultAt(number, 0, path(number) + " is missing");
      auto report = read(number);
      if (isUndecided(report.status().code())) return report.status();
      if (!report.ok()) return faultAt(number, goodSize_, report.status().message());
      const std::string wrong = wrongWith(number, report.value());
      if (!wrong.empty()) return faultAt(number, 0, wrong);
      isContinued_ = report.value().isContinued;
      if (isContinued_) continue;
      const auto isNext = goesOn(number, report.value());
      if (!isNext.ok()) return isNext.status();
      if (!isNext.value()) return look_;
    }
  }

 private:
  std::string path(std::uint64_t number) const {
    return file_names::join(directory_, nameOf(number));
  }
  Status list() {
    const auto names = fs_.list(file_names::join(directory_, file_names::kWalDirectory));
    // A missing folder means no WAL files.
    if (names.status().code() == StatusCode::kExhausted) return names.status();
    if (!names.ok()) return {};
    for (const std::string& name : names.value()) {
      const auto number = file_names::walNumber(name);
      if (number && *number >= state_.walFloor) numbers_.push_back(*number);
    }
    std::ranges::sort(numbers_);
    return {};
  }
  bool isAnyFrom(std::uint64_t number) const {
    return !numbers_.empty() && numbers_.back() >= number;
  }
  bool isDue(std::uint64_t number) const { return number == state_.walFloor || isContinued_; }

  // Reads a file and records the size of its good part.
  Result<WalFileReport> read(std::uint64_t number) {
    goodSize_ = 0;
    return readWalFile(fs_, path(number), number, [&](const LogRecord& record) -> Status {
      const auto facts = lookAtRecord(record);
      if (!facts.ok()) {
        return {facts.status().code(), path(number) + ": the record with sequence " +
                                           std::to_string(record.sequence) + ": " +
                                           facts.status().message()};
      }
      if (record.sequence != next_) {
        return Status::corrupt(path(number) + " begins with record " +
                               std::to_string(record.sequence) + " instead of " +
                               std::to_string(next_));
      }
      ++next_;
      goodSize_ = record.offset + record.payload.size();
      return {};
    });
  }

  std::string wrongWith(std::uint64_t number, const WalFileReport& report) const {
    if (number == state_.walFloor && !report.hasHeader()) {
      return path(number) + ": the log header is cut short at offset 0";
    }
    if (!isContinued_ || report.hasBegin) return {};
    return path(number) + ": its first record is missing or damaged";
  }

  // Handles a file without the mark `continued`. True if the next file follows anyway, as files of
  // older versions do, which have no marks. Sets a fault if a later file holds records.
  Result<bool> goesOn(std::uint64_t number, const WalFileReport& report) {
    const auto onRecord = [](const LogRecord&) { return Status(); };
    bool isFirst = true;
    for (const std::uint64_t later : numbers_) {
      if (later <= number) continue;
      const auto found = readWalFile(fs_, path(later), later, onRecord);
      if (isUndecided(found.status().code())) return found.status();
      const bool isOld = isFirst && later == number + 1 && found.ok() && !report.hasBegin &&
                         !report.log.hasTornTail && found.value().hasHeader() &&
                         !found.value().hasBegin;
      if (isOld) return true;
      isFirst = false;
      const bool isUnused =
          found.ok() && found.value().isUnused() && found.value().log.firstSequence <= next_ + 1;
      if (isUnused) continue;
      auto fault = faultAt(
          number, goodSize_,
          path(number) + (report.log.hasTornTail ? " ends in a torn record" : " is cut short") +
              " at offset " + std::to_string(report.log.validSize) + ": " +
              file_names::walFile(later) + " continues after records that are missing");
      if (!fault.ok()) return fault.status();
      return false;
    }
    return false;
  }

  Result<LogLook> faultAt(std::uint64_t number, std::uint64_t keptSize, std::string problem) {
    Fault fault;
    fault.file = nameOf(number);
    fault.problem = std::move(problem);
    fault.number = number;
    fault.sequence = next_;
    look_.cut = {number, keptSize, next_, {}};
    if (Status counted = countLost(number, keptSize, fault); !counted.ok()) return counted;
    for (const std::uint64_t later : numbers_) {
      if (later <= number) continue;
      look_.cut.later.push_back(later);
      if (Status counted = countLost(later, 0, fault); !counted.ok()) return counted;
    }
    if (isOfAnother(number)) {
      fault.action =
          "none: MANIFEST or REFS is older than the data, or belongs to another database";
    } else {
      fault.remedy = Remedy::kCutLog;
      fault.isLoss = true;
      fault.action = "the WAL is cut before sequence " + std::to_string(next_) +
                     " and the rest moved to quarantine; deletions in it are lost, so deleted "
                     "samples may reappear";
    }
    look_.fault = std::move(fault);
    return look_;
  }

  // True if the description is older than the log, or of another database. Normally the first WAL
  // record follows the last one in segments. If that file is missing, no segment may hold later
  // records.
  bool isOfAnother(std::uint64_t number) const {
    if (number != state_.walFloor || next_ != state_.flushedSequence + 1) return false;
    const std::uint64_t first = look_.firstSequence;
    if (first != 0 && first != next_) return true;
    return !std::ranges::binary_search(numbers_, number) &&
           !segmentsBehind(fs_, directory_, state_, next_).empty();
  }

  // True if no WAL file precedes this one. A damaged file at the floor shows that the description
  // is not older than the log.
  bool isFirstThere(std::uint64_t number) const {
    return number == state_.walFloor || !std::ranges::binary_search(numbers_, state_.walFloor);
  }

  // Counts the readable records of a file behind offset `from`.
  Status countLost(std::uint64_t number, std::uint64_t from, Fault& fault) {
    const auto bytes = fs_.readAll(path(number));
    if (bytes.status().code() == StatusCode::kExhausted) return bytes.status();
    if (!bytes.ok()) return {};
    const Bytes log = bytes.value();
    fault.bytes += log.size() - std::min<std::uint64_t>(from, log.size());
    std::uint64_t last = 0;
    std::size_t at = std::max<std::size_t>(static_cast<std::size_t>(from), log_frame::kHeaderSize);
    for (;;) {
      // Records follow each other, except at damage: a search reads all the rest of the file.
      auto record = log_frame::recordAt(log, at);
      const bool isNext = record && record->sequence > last;
      const auto found = isNext ? std::optional(at) : log_frame::findRecord(log, at, last);
      if (!isNext) record = found ? log_frame::recordAt(log, *found) : std::nullopt;
      if (!record) return {};
      if (look_.firstSequence == 0 && *found == log_frame::kHeaderSize && isFirstThere(number)) {
        look_.firstSequence = record->sequence;
      }
      last = record->sequence;
      at = *found + log_frame::kPayloadOffset + record->payload.size();
      const auto facts = lookAtRecord(*record);
      if (isMark(record->type)) continue;
      ++fault.records;
      fault.samples += facts.ok() ? facts.value().samples : 0;
    }
  }

  FileSystem& fs_;
  const std::string& directory_;
  const ManifestState& state_;
  std::vector<std::uint64_t> numbers_;  // The numbers of the files from the floor on.
  std::uint64_t next_;                  // The next expected sequence.
  std::uint64_t goodSize_ = 0;          // The size of the good part of the last file read.
  bool isContinued_ = false;
  LogLook look_;
};

// Writes a file with a begin mark only: the WAL continues with this number.
Status writeEmpty(FileSystem& fs, const std::string& folder, const LogCut& cut) {
  const std::string name = file_names::walFile(cut.number);
  const std::string unfinished = name + std::string(kTemporarySuffix);
  ByteBuffer begin;
  appendRecord(begin, kBeginMarkType, cut.nextSequence, {});
  Status made = removeLeftover(fs, file_names::join(folder, unfinished));
  if (made.ok()) {
    made = createLog(fs, {folder, unfinished, LogKind::kWal, cut.number}, begin).status();
  }
  if (made.ok()) {
    made = fs.rename(file_names::join(folder, unfinished), file_names::join(folder, name));
  }
  return made.ok() ? fs.syncDirectory(folder) : made;
}

}  // namespace

std::vector<std::string> segmentsBehind(FileSystem& fs, const std::string& directory,
                                        const ManifestState& state, std::uint64_t sequence) {
  std::vector<std::string> found;
  const auto objects = objectFilesIn(fs, directory);
  if (!objects.ok()) return found;
  for (const ObjectFile& one : objects.value()) {
    if (!one.hash) continue;
    const bool isNamed = std::ranges::any_of(
        state.segments, [&one](const SegmentFacts& facts) { return facts.hash == one.hash; });
    if (isNamed) continue;
    const auto told = readSegmentIdentity(fs, file_names::join(directory, one.name));
    if (told.ok() && told.value().sequenceMax >= sequence) found.push_back(one.name);
  }
  return found;
}

Result<LogLook> lookAtLog(FileSystem& fs, const std::string& directory,
                          const ManifestState& state) {
  return LogReading(fs, directory, state).run();
}

// The faulty file changes last: until then recovery refuses the log as before.
Status cutLog(FileSystem& fs, const std::string& directory, const ManifestState& state,
              const LogCut& cut) {
  const std::string folder = file_names::join(directory, file_names::kWalDirectory);
  if (Status made = fs.makeDirectory(folder); !made.ok()) return made;
  // A flush that crashed before its edit wrote samples that the log no longer has.
  for (const std::string& name : segmentsBehind(fs, directory, state, cut.nextSequence)) {
    if (Status moved = setAside(fs, directory, name).status(); !moved.ok()) return moved;
  }
  for (auto later = cut.later.rbegin(); later != cut.later.rend(); ++later) {
    if (Status moved = setAside(fs, directory, nameOf(*later)).status(); !moved.ok()) return moved;
  }
  const std::string name = nameOf(cut.number);
  if (Status kept = keepAside(fs, directory, name).status(); !kept.ok()) return kept;
  if (cut.keptSize == 0) return writeEmpty(fs, folder, cut);
  const auto bytes = fs.readAll(file_names::join(directory, name));
  if (!bytes.ok()) return bytes.status();
  if (bytes.value().size() < cut.keptSize) return Status::corrupt(name + " has become shorter");
  return replaceFile(fs, folder, file_names::walFile(cut.number),
                     Bytes(bytes.value()).first(static_cast<std::size_t>(cut.keptSize)));
}

}  // namespace seriesdb
