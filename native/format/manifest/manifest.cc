// The MANIFEST file: one log record for each edit. When the log is many times its live content, it
// is rewritten as one snapshot record.
//
// Invariants: MANIFEST gets its name only once it holds a synced snapshot record. So a file without
// any record is damage, never a crash. The state in memory equals the state in the file, except
// after a failure, when nothing more is written.
#include "format/manifest/manifest.h"

#include <algorithm>
#include <utility>

#include "common/base/later_program.h"
#include "common/types/file_names.h"
#include "format/log/append_log.h"
#include "format/manifest/manifest_edit.h"
#include "format/manifest/manifest_record.h"

namespace seriesdb {
namespace {

// A log below this size is never rewritten. A larger one is rewritten at this many times its
// snapshot's size.
constexpr std::uint64_t kRewriteSizeMin = std::uint64_t{64} << 10;
constexpr std::uint64_t kRewriteFactor = 8;

LogPlace manifestPlaceIn(const std::string& directory) {
  return {directory, std::string(file_names::kManifest), LogKind::kManifest};
}

Status addRecord(LogBatch& batch, const ManifestRecord& record) {
  const auto build = [&](ByteBuffer& out) {
    appendManifestRecord(out, record);
    return Status();
  };
  return batch.add(kManifestEditType, build).status();
}

class FileManifest final : public Manifest {
 public:
  FileManifest(FileSystem& fs, const std::string& directory, ManifestState state)
      : log_(fs, manifestPlaceIn(directory)), state_(std::move(state)) {}

  Status open(const LogReadReport& found) { return log_.open(found); }

  const ManifestState& state() const override { return state_; }
  const Status& failure() const override { return log_.failure(); }
  std::optional<std::uint64_t> tornAt() const override { return log_.tornAt(); }

  Status apply(const ManifestEdit& edit) override {
    if (!failure().ok()) return failure();
    ManifestState next = state_;
    if (Status status = applyEdit(next, edit); !status.ok()) return status;
    const ManifestRecord record{edit, next.nextSegment};
    const Status appended = log_.append([&](LogBatch& batch) { return addRecord(batch, record); });
    if (!appended.ok()) return appended;
    state_ = std::move(next);
    if (log_.size() > rewriteSizeMin_) rewriteWhenLarge();
    // The edit is durable even if the rewrite failed; the next edit reports that failure.
    return {};
  }

 private:
  void rewriteWhenLarge() {
    const ManifestRecord record = snapshotRecord(state_);
    ByteBuffer snapshot;
    appendManifestRecord(snapshot, record);
    if (log_.size() <= kRewriteFactor * snapshot.size()) return;
    const Status rewritten = log_.replace([&](LogBatch& batch) { return addRecord(batch, record); },
                                          log_.nextSequence());
    // If the rewrite failed and the log is intact, retry once it has doubled, not at every edit.
    rewriteSizeMin_ = rewritten.ok() ? kRewriteSizeMin : log_.size() * 2;
  }

  AppendLog log_;
  ManifestState state_;
  std::uint64_t rewriteSizeMin_ = kRewriteSizeMin;
};

// Applies one record of the log. The caller adds the path to the message.
Status replay(const LogRecord& record, ManifestState& state) {
  if (record.type != kManifestEditType) {
    return unknownType(record.type, kManifestEditType);
  }
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
  AppendLog log(fs, manifestPlaceIn(directory));
  const auto write = [&](LogBatch& batch) { return addRecord(batch, snapshotRecord(state)); };
  if (Status replaced = log.replace(write); !replaced.ok()) return replaced;
  return open(fs, std::move(directory));
}

Result<ManifestReading> readManifest(FileSystem& fs, const std::string& directory) {
  const LogPlace place = manifestPlaceIn(directory);
  ManifestReading reading;
  const auto onRecord = [&](const LogRecord& record) -> Status {
    const Status status = replay(record, reading.state);
    if (status.ok()) return {};
    const bool isLater = status.code() == StatusCode::kConfiguration;
    return {isLater ? StatusCode::kConfiguration : StatusCode::kStorageCorrupt,
            place.path() + ": record with sequence " + std::to_string(record.sequence) + ": " +
                status.message()};
  };
  const auto report = readLog(fs, place, onRecord);
  if (!report.ok()) return report.status();
  reading.log = report.value();
  if (reading.log.recordCount > 0) return reading;
  return Status::corrupt(place.path() + " at offset " + std::to_string(reading.log.validSize) +
                         ": the first record is missing or damaged");
}

Result<std::unique_ptr<Manifest>> Manifest::open(FileSystem& fs, std::string directory) {
  auto reading = readManifest(fs, directory);
  if (!reading.ok()) return reading.status();
  auto manifest = std::make_unique<FileManifest>(fs, directory, std::move(reading.value().state));
  if (Status opened = manifest->open(reading.value().log); !opened.ok()) return opened;
  return std::unique_ptr<Manifest>(std::move(manifest));
}

}  // namespace seriesdb
