#include "engine/wal_replay.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/commit_record.h"
#include "engine/removal.h"
#include "model/file_names.h"

namespace seriesdb {
namespace {

// One that ANNOTATIONS has too is the same.
Status applyAnnotation(EngineState& state, const LogRecord& record) {
  ByteReader reader(record.payload);
  auto annotation = decodeAnnotation(reader);
  if (!annotation.ok()) return annotation.status();
  if (!reader.atEnd()) return Status::corrupt("an annotation record is too long");
  state.nextSequence = record.sequence + 1;
  return state.annotations.restore(std::move(annotation).value());
}

Status applyTombstone(EngineState& state, const LogRecord& record) {
  ByteReader reader(record.payload);
  auto tombstone = decodeTombstone(reader);
  if (!tombstone.ok()) return tombstone.status();
  if (!reader.atEnd()) return Status::corrupt("a tombstone record is too long");
  if (tombstone.value().refs.back() >= state.index->createdCount()) {
    return Status::corrupt("a tombstone names a series that was never defined");
  }
  state.nextSequence = record.sequence + 1;
  // MANIFEST has it or one that covers it, or nothing was left to mask.
  if (record.sequence <= state.manifest->state().flushedSequence) return Status::okStatus();
  tombstone.value().sequence = record.sequence;
  static_cast<void>(applyRemoval(state, std::move(tombstone).value()));
  return Status::okStatus();
}

Status applyRecord(EngineState& state, const LogRecord& record) {
  if (record.type == kAnnotationRecordType) return applyAnnotation(state, record);
  if (record.type == kTombstoneRecordType) return applyTombstone(state, record);
  if (record.type != kCommitRecordType) return Status::corrupt("a WAL record of unknown type");
  auto decoded = decodeCommit(record.payload);
  if (!decoded.ok()) return decoded.status();
  const CommitRecord& commit = decoded.value();
  for (const SeriesDefinition& series : commit.series) {
    const Status restored = state.index->restore(series);
    if (!restored.ok()) return restored;
  }
  for (const PendingDescriptor& one : commit.descriptors) {
    const auto merged = state.index->mergeDescriptor(one.metric, viewOf(one.descriptor));
    if (!merged.ok()) return merged.status();
    state.activeDescriptors.push_back(one);
  }
  state.nextSequence = record.sequence + 1;
  if (record.sequence <= state.manifest->state().flushedSequence) return Status::okStatus();
  const std::uint32_t known = state.index->createdCount();
  const bool isKnown = std::all_of(commit.refs.begin(), commit.refs.end(),
                                   [known](SeriesRef ref) { return ref < known; });
  if (!isKnown) return Status::corrupt("a WAL record names a series that was never defined");
  const auto view = state.view.current();
  view->active->append(commit.refs, commit.ts, commit.values);
  state.index->noteSamples(commit.refs, commit.ts);
  return Status::okStatus();
}

// The checksum held, so the place of a refused record is told by its sequence.
Status applyNamed(EngineState& state, const std::string& path, const LogRecord& record) {
  Status applied = applyRecord(state, record);
  if (applied.ok()) return applied;
  return {applied.code(), path + ": the record with sequence " + std::to_string(record.sequence) +
                              ": " + applied.message()};
}

// Numbers of the WAL files from the floor on; older ones are removed.
Result<std::vector<std::uint64_t>> listWal(EngineState& state) {
  const std::string directory = state.path(file_names::kWalDirectory);
  const auto names = state.fs.list(directory);
  if (!names.ok()) return names.status();
  const std::uint64_t floor = state.manifest->state().walFloor;
  std::vector<std::uint64_t> numbers;
  for (const std::string& name : names.value()) {
    const auto number = file_names::walNumber(name);
    if (!number) continue;
    if (*number >= floor) {
      numbers.push_back(*number);
      continue;
    }
    const Status removed = state.fs.remove(file_names::join(directory, name));
    if (!removed.ok()) return removed;
  }
  std::sort(numbers.begin(), numbers.end());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] == floor + i) continue;
    return Status::corrupt(file_names::join(directory, file_names::walFile(floor + i)) +
                           " is missing, but " + file_names::walFile(numbers[i]) + " is there");
  }
  if (numbers.empty()) {
    return Status::corrupt(file_names::join(directory, file_names::walFile(floor)) +
                           ", the first log to replay, is missing");
  }
  return numbers;
}

// Makes the last file end for good where its last good record ends. Also when nothing is cut: what
// was written and not synced would otherwise tear in a power failure, beneath a later file.
Status sealLast(EngineState& state, const std::string& path, const LogReadReport& report) {
  auto file = state.fs.openAppend(path);
  if (!file.ok()) return file.status();
  if (report.hasTornTail) {
    state.counters.walTornTails.fetch_add(1, std::memory_order_relaxed);
    Status cut = file.value()->truncate(report.validSize);
    if (!cut.ok()) return cut;
  }
  return file.value()->sync();
}

// A torn file before the last one is a crash only when the later ones hold no record: a rotation
// made them, failed, and the log went on in the torn one.
Status removeEmptyFrom(EngineState& state, const std::string& directory, std::uint64_t torn,
                       std::uint64_t last, const LogReadReport& report) {
  for (std::uint64_t number = last; number > torn; --number) {
    const std::string path = file_names::join(directory, file_names::walFile(number));
    const auto later = readLog(state.fs, path, LogKind::kWal, number,
                               [](const LogRecord&) { return Status::okStatus(); });
    if (!later.ok()) return later.status();
    if (later.value().recordCount > 0) {
      return Status::corrupt(file_names::join(directory, file_names::walFile(torn)) +
                             " ends in a torn record at offset " +
                             std::to_string(report.validSize) + ", but a later log file exists");
    }
    Status removed = state.fs.remove(path);
    if (!removed.ok()) return removed;
  }
  return Status::okStatus();
}

}  // namespace

Status replayWal(EngineState& state) {
  const std::string directory = state.path(file_names::kWalDirectory);
  const auto numbers = listWal(state);
  if (!numbers.ok()) return numbers.status();
  const std::uint64_t last = numbers.value().back();
  std::uint64_t next = last + 1;
  state.nextSequence = state.manifest->state().flushedSequence + 1;
  for (const std::uint64_t number : numbers.value()) {
    const std::string path = file_names::join(directory, file_names::walFile(number));
    const auto report =
        readLog(state.fs, path, LogKind::kWal, number,
                [&](const LogRecord& record) { return applyNamed(state, path, record); });
    if (!report.ok()) return report.status();
    const bool isLast = number == last;
    if (!isLast && !report.value().hasTornTail) continue;
    if (!isLast) {
      const Status removed = removeEmptyFrom(state, directory, number, last, report.value());
      if (!removed.ok()) return removed;
      next = number + 1;
    } else if (report.value().validSize == 0) {
      // The file was being made when the process ended: its header is not whole, so it holds
      // nothing.
      next = last;
      const Status removed = state.fs.remove(path);
      if (!removed.ok()) return removed;
      break;
    }
    const Status sealed = sealLast(state, path, report.value());
    if (!sealed.ok()) return sealed;
    break;
  }
  auto wal = WalWriter::create(state.fs, directory, next);
  if (!wal.ok()) return wal.status();
  state.wal = std::move(wal).value();
  return Status::okStatus();
}

}  // namespace seriesdb
