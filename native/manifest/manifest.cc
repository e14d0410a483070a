// The manifest's file: one log record for each edit, rewritten as one snapshot record when it has
// grown to many times its live content.
//
// Invariants: MANIFEST appears under its name only with a synced snapshot record in it, so one
// without any record is damage and never a crash; the state in memory is the one that a reader of
// the file would find, except after a failure, and then nothing more is written.
#include "manifest/manifest.h"

#include <algorithm>
#include <utility>

#include "manifest/manifest_edit.h"
#include "model/file_names.h"
#include "wal/log_file.h"

namespace seriesdb {
namespace {

// A log below this size is never rewritten; above, when it is this many times its snapshot.
constexpr std::uint64_t kRewriteSizeMin = std::uint64_t{64} << 10;
constexpr std::uint64_t kRewriteFactor = 8;
// There is one MANIFEST; the number in a log's header tells apart files of one kind.
constexpr std::uint64_t kLogNumber = 1;

ByteBuffer frame(const ManifestRecord& record, std::uint64_t sequence) {
  ByteBuffer out;
  const std::size_t begin = beginRecord(out, kManifestEditType, sequence, true);
  appendManifestRecord(out, record);
  endRecord(out, begin);
  return out;
}

std::string temporaryName() {
  std::string name(file_names::kManifest);
  return name.append(file_names::kTemporarySuffix);
}

// A log under the temporary name that holds one record, synced.
Status writeTemporary(FileSystem& fs, const std::string& directory, Bytes record) {
  const std::string name = temporaryName();
  const std::string path = file_names::join(directory, name);
  if (Status status = removeLeftover(fs, path); !status.ok()) return status;
  auto file = createLog(fs, directory, name, LogKind::kManifest, kLogNumber);
  if (!file.ok()) return file.status();
  if (Status status = file.value()->append(record); !status.ok()) return status;
  return file.value()->sync();
}

// Gives the temporary log its name. After a failure either file may be the one a restart finds.
Status publishTemporary(FileSystem& fs, const std::string& directory) {
  const std::string temporary = file_names::join(directory, temporaryName());
  const std::string path = file_names::join(directory, file_names::kManifest);
  if (Status status = fs.rename(temporary, path); !status.ok()) return status;
  return fs.syncDirectory(directory);
}

class FileManifest final : public Manifest {
 public:
  FileManifest(FileSystem& fs, std::string directory, std::unique_ptr<WritableFile> file,
               ManifestState state, const LogReadReport& found)
      : fs_(fs),
        directory_(std::move(directory)),
        file_(std::move(file)),
        state_(std::move(state)),
        sequence_(found.lastSequence) {
    if (found.hasTornTail) tornAt_ = found.validSize;
  }

  const ManifestState& state() const override { return state_; }
  const Status& failure() const override { return failure_; }
  std::optional<std::uint64_t> tornAt() const override { return tornAt_; }

  Status apply(const ManifestEdit& edit) override {
    if (!failure_.ok()) return failure_;
    if (Status status = checkRecordNumber(sequence_ + 1); !status.ok()) return status;
    ManifestState next = state_;
    if (Status status = applyEdit(next, edit); !status.ok()) return status;
    if (tornAt_) {
      failure_ = file_->truncate(*tornAt_);
      if (!failure_.ok()) return failure_;
      tornAt_.reset();
    }
    const ByteBuffer record = frame({edit, next.nextSegment}, ++sequence_);
    const std::uint64_t size = file_->size();
    if (Status status = file_->append(record); !status.ok()) {
      // On a full disk the log goes back to what it was, and a later call may succeed.
      const Status cut = file_->truncate(size);
      if (!cut.ok() || status.code() != StatusCode::kStorageUnavailable) failure_ = status;
      --sequence_;
      return status;
    }
    failure_ = file_->sync();
    if (!failure_.ok()) return failure_;
    state_ = std::move(next);
    if (file_->size() > rewriteSizeMin_) rewriteWhenLarge();
    // The edit is durable also when the rewrite failed: that is the next edit's failure.
    return {};
  }

 private:
  void rewriteWhenLarge() {
    if (!checkRecordNumber(sequence_ + 1).ok()) return;
    const ByteBuffer record = frame(snapshotRecord(state_), sequence_ + 1);
    if (file_->size() <= kRewriteFactor * record.size()) return;
    if (!writeTemporary(fs_, directory_, record).ok()) {
      // The log in use is whole. Try again when it has doubled, not at every edit.
      static_cast<void>(fs_.remove(file_names::join(directory_, temporaryName())).ok());
      rewriteSizeMin_ = file_->size() * 2;
      return;
    }
    // Both files hold the last edit, but when this fails the next one could go to the wrong file.
    failure_ = publishTemporary(fs_, directory_);
    if (!failure_.ok()) return;
    auto file = fs_.openAppend(file_names::join(directory_, file_names::kManifest));
    failure_ = file.status();
    if (!failure_.ok()) return;
    file_ = std::move(file).value();
    ++sequence_;
    rewriteSizeMin_ = kRewriteSizeMin;
  }

  FileSystem& fs_;
  const std::string directory_;
  std::unique_ptr<WritableFile> file_;
  ManifestState state_;
  std::uint64_t sequence_;  // Of the last record.
  std::optional<std::uint64_t> tornAt_;
  std::uint64_t rewriteSizeMin_ = kRewriteSizeMin;
  Status failure_;  // Final.
};

// Applies one record that was read back. The caller adds the path to the message.
Status replay(const LogRecord& record, ManifestState& state) {
  if (record.type != kManifestEditType) return Status::corrupt("unknown record type");
  const Result<ManifestRecord> parsed = parseManifestRecord(record.payload);
  if (!parsed.ok()) return parsed.status();
  if (Status status = applyEdit(state, parsed.value().edit); !status.ok()) return status;
  if (parsed.value().nextSegment < state.nextSegment) {
    return Status::corrupt("the next segment number falls");
  }
  state.nextSegment = parsed.value().nextSegment;
  return {};
}

}  // namespace

Result<std::unique_ptr<Manifest>> Manifest::create(FileSystem& fs, std::string directory) {
  const std::string path = file_names::join(directory, file_names::kManifest);
  const Result<bool> exists = fs.exists(path);
  if (!exists.ok()) return exists.status();
  if (exists.value()) return Status::invalid(path + " exists already");
  return replace(fs, std::move(directory), ManifestState{});
}

Result<std::unique_ptr<Manifest>> Manifest::replace(FileSystem& fs, std::string directory,
                                                    const ManifestState& state) {
  const ByteBuffer record = frame(snapshotRecord(state), 1);
  if (Status status = writeTemporary(fs, directory, record); !status.ok()) return status;
  if (Status status = publishTemporary(fs, directory); !status.ok()) return status;
  return open(fs, std::move(directory));
}

Result<ManifestReading> readManifest(FileSystem& fs, const std::string& directory) {
  const std::string path = file_names::join(directory, file_names::kManifest);
  ManifestReading reading;
  const auto onRecord = [&](const LogRecord& record) -> Status {
    const Status status = replay(record, reading.state);
    if (status.ok()) return {};
    return Status::corrupt(path + ": record with sequence " + std::to_string(record.sequence) +
                           ": " + status.message());
  };
  const auto report = readLog(fs, path, LogKind::kManifest, kLogNumber, onRecord);
  if (!report.ok()) return report.status();
  reading.log = report.value();
  if (reading.log.recordCount > 0) return reading;
  return Status::corrupt(path + " at offset " + std::to_string(reading.log.validSize) +
                         ": the first record is missing or damaged");
}

Result<std::unique_ptr<Manifest>> Manifest::open(FileSystem& fs, std::string directory) {
  auto reading = readManifest(fs, directory);
  if (!reading.ok()) return reading.status();
  auto file = fs.openAppend(file_names::join(directory, file_names::kManifest));
  if (!file.ok()) return file.status();
  // The last record may have been written and not synced, and the engine
  // removes log files on its word.
  if (Status status = file.value()->sync(); !status.ok()) return status;
  std::unique_ptr<Manifest> manifest = std::make_unique<FileManifest>(
      fs, std::move(directory), std::move(file).value(), std::move(reading.value().state),
      reading.value().log);
  return manifest;
}

}  // namespace seriesdb
