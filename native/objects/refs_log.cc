#include "objects/refs_log.h"

#include <algorithm>
#include <utility>

#include "model/file_names.h"

namespace seriesdb {
namespace {

// REFS is one file for ever.
constexpr std::uint64_t kFileNumber = 1;
// A record is closed once it has grown past this, far below kRecordPayloadSizeMax, which bounds the
// memory that writing and reading one take.
constexpr std::size_t kRecordSizeAimed = std::size_t{4} << 20;

std::string temporaryRefs() {
  std::string name(file_names::kRefs);
  return name.append(file_names::kTemporarySuffix);
}

}  // namespace

// Records on their way to a file, and where the objects in them will lie.
struct RefsLog::Batch {
  WritableFile& file;
  std::uint64_t sequence;  // Of the next record.
  bool isAfterSync = true;
  Places places{};
  std::vector<NewObject> waiting{};
  std::size_t waitingSize = 0;

  Status add(NewObject object) {
    waitingSize += object.bytes.size();
    waiting.push_back(std::move(object));
    return waitingSize < kRecordSizeAimed ? Status() : flush(nullptr);
  }
  // Writes what waits, with the move when there is one.
  Status flush(const RefMove* move) {
    if (move == nullptr && waiting.empty()) return {};
    if (Status status = checkRecordNumber(sequence); !status.ok()) return status;
    ByteBuffer out;
    const std::uint8_t type = move == nullptr ? kObjectsType : kRefMoveType;
    const std::size_t begin = beginRecord(out, type, sequence, isAfterSync);
    const std::size_t payload = out.size();
    if (move == nullptr) {
      appendObjects(out, waiting);
    } else {
      appendRefMove(out, *move, waiting);
    }
    endRecord(out, begin);
    const std::uint64_t at = file.size();
    if (Status status = file.append(out); !status.ok()) return status;
    ++sequence;
    isAfterSync = false;
    note(Bytes(out).subspan(payload), at + payload, type);
    waiting.clear();
    waitingSize = 0;
    return {};
  }

 private:
  void note(Bytes payload, std::uint64_t offset, std::uint8_t type) {
    std::vector<ObjectPlace> found;
    const bool isWhole = type == kRefMoveType ? parseRefMove(payload, found).ok()
                                              : parseObjects(payload, found).ok();
    CHECK(isWhole && found.size() == waiting.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      places[waiting[i].id] = {offset + found[i].offset, found[i].size};
    }
  }
};

std::string RefsLog::path() const { return file_names::join(directory_, file_names::kRefs); }

Result<std::unique_ptr<RefsLog>> RefsLog::open(FileSystem& fs, const std::string& directory) {
  auto refs = std::make_unique<RefsLog>(Key{}, fs, directory);
  const std::string path = refs->path();
  const auto exists = fs.exists(path);
  if (!exists.ok()) return exists.status();
  if (!exists.value()) return refs;
  const auto onRecord = [&](const LogRecord& record) -> Status {
    const Status restored = refs->restore(record);
    if (restored.ok()) return {};
    return Status::corrupt(path + ": record " + std::to_string(record.sequence) + ": " +
                           restored.message());
  };
  const auto report = readLog(fs, path, LogKind::kRefs, kFileNumber, onRecord);
  if (!report.ok()) return report.status();
  refs->report_ = report.value();
  // A header that is not whole is what a crash inside create() leaves: append() makes it anew.
  if (report.value().validSize == 0) return refs;
  if (report.value().firstSequence > 1) {
    return Status::corrupt(path + ": the first record is missing");
  }
  auto file = fs.openAppend(path);
  if (!file.ok()) return file.status();
  // The last move may have been written and not synced, and files are removed on its word.
  if (Status status = file.value()->sync(); !status.ok()) return status;
  refs->file_ = std::move(file).value();
  if (report.value().hasTornTail) refs->tornAt_ = report.value().validSize;
  refs->nextSequence_ = report.value().lastSequence + 1;
  return refs;
}

Status RefsLog::restore(const LogRecord& record) {
  std::vector<ObjectPlace> found;
  if (record.type == kRefMoveType) {
    const auto move = parseRefMove(record.payload, found);
    if (!move.ok()) return move.status();
    take(move.value());
  } else if (record.type == kObjectsType) {
    if (Status parsed = parseObjects(record.payload, found); !parsed.ok()) return parsed;
  } else {
    return Status::corrupt("unknown type " + std::to_string(record.type));
  }
  for (const ObjectPlace& one : found) {
    const Sha256 id = sha256(record.payload.subspan(one.offset, one.size));
    places_[id] = {record.offset + one.offset, one.size};
  }
  return {};
}

void RefsLog::take(const RefMove& move) {
  if (move.to == Sha256{}) {
    refs_.erase(move.ref);
  } else {
    refs_[move.ref] = move;
  }
}

Sha256 RefsLog::target(const std::string& ref) const {
  const auto found = refs_.find(ref);
  return found == refs_.end() ? Sha256{} : found->second.to;
}

Result<ByteBuffer> RefsLog::read(const Sha256& id) const {
  const auto found = places_.find(id);
  if (found == places_.end()) return Status::corrupt(path() + " has no object " + id.text());
  const auto [offset, size] = found->second;
  if (!readable_ || readable_->size() < offset + size) {
    auto opened = fs_.openRead(path());
    if (!opened.ok()) return opened.status();
    readable_ = std::move(opened).value();
  }
  ByteBuffer bytes(static_cast<std::size_t>(size));
  const Bytes mapped = readable_->mapped();
  if (mapped.size() >= offset + size) {
    const Bytes part = mapped.subspan(static_cast<std::size_t>(offset), bytes.size());
    std::copy(part.begin(), part.end(), bytes.begin());
  }
  if (mapped.size() < offset + size || readable_->isMappingLost()) {
    const Status read = readable_->read(offset, bytes);
    if (!read.ok()) return Status(read.code(), path() + ": " + read.message());
  }
  if (sha256(bytes) == id) return bytes;
  return Status::corrupt(path() + " at offset " + std::to_string(offset) + ": object " +
                         id.text() + " is damaged");
}

std::uint64_t RefsLog::sizeOf(std::span<const Sha256> ids) const {
  std::uint64_t size = 0;
  for (const Sha256& id : ids) {
    const auto found = places_.find(id);
    if (found != places_.end()) size += found->second.size;
  }
  return size;
}

Status RefsLog::create() {
  if (Status removed = removeLeftover(fs_, path()); !removed.ok()) return removed;
  auto file =
      createLog(fs_, directory_, std::string(file_names::kRefs), LogKind::kRefs, kFileNumber);
  if (!file.ok()) return file.status();
  file_ = std::move(file).value();
  return {};
}

Status RefsLog::append(const RefMove& move, const NewObjects& objects) {
  if (!failure_.ok()) return failure_;
  if (!file_) {
    if (Status created = create(); !created.ok()) return created;
  }
  if (tornAt_) {
    failure_ = file_->truncate(*tornAt_);
    if (!failure_.ok()) return failure_;
    tornAt_.reset();
    // It shows what was cut off where other objects will stand.
    readable_.reset();
  }
  const std::uint64_t size = file_->size();
  Batch batch{*file_, nextSequence_};
  Status written;
  for (const NewObject& one : objects) {
    if (written.ok()) written = batch.add(one);
  }
  if (written.ok()) written = batch.flush(&move);
  if (!written.ok()) {
    // On a full disk the log goes back to what it was, and a later call may succeed.
    const Status cut = file_->truncate(size);
    readable_.reset();
    if (!cut.ok() || written.code() != StatusCode::kStorageUnavailable) failure_ = written;
    return written;
  }
  failure_ = file_->sync();
  if (!failure_.ok()) return failure_;
  nextSequence_ = batch.sequence;
  // The last one of an object counts, as after a restart.
  for (const auto& [id, place] : batch.places) places_[id] = place;
  take(move);
  return {};
}

// What lives is read from the old file, so each object is checked by its name once more.
Status RefsLog::writeAll(Batch& batch, const RefMove& move, const NewObjects& objects,
                         std::span<const Sha256> live) const {
  std::unordered_map<Sha256, const NewObject*> fresh;
  for (const NewObject& one : objects) fresh.emplace(one.id, &one);
  for (const Sha256& id : live) {
    if (fresh.contains(id) || batch.places.contains(id)) continue;
    auto bytes = read(id);
    if (!bytes.ok()) return bytes.status();
    if (Status added = batch.add({id, std::move(bytes).value()}); !added.ok()) return added;
  }
  if (Status flushed = batch.flush(nullptr); !flushed.ok()) return flushed;
  for (const auto& [ref, last] : refs_) {
    if (ref == move.ref) continue;
    if (Status flushed = batch.flush(&last); !flushed.ok()) return flushed;
  }
  for (const auto& [id, one] : fresh) {
    if (Status added = batch.add(*one); !added.ok()) return added;
  }
  return batch.flush(&move);
}

Status RefsLog::replace(const RefMove& move, const NewObjects& objects,
                        std::span<const Sha256> live) {
  const std::string temporary = file_names::join(directory_, temporaryRefs());
  if (Status removed = removeLeftover(fs_, temporary); !removed.ok()) return removed;
  auto file = createLog(fs_, directory_, temporaryRefs(), LogKind::kRefs, kFileNumber);
  if (!file.ok()) return {StatusCode::kStorageUnavailable, file.status().message()};
  Batch batch{*file.value(), 1};
  Status written = writeAll(batch, move, objects, live);
  if (written.ok()) written = file.value()->sync();
  if (!written.ok()) {
    static_cast<void>(fs_.remove(temporary).ok());
    return {StatusCode::kStorageUnavailable, written.message()};
  }
  // Either file may be the one that a restart finds, so nothing more goes to the old one.
  Status named = fs_.rename(temporary, path());
  if (named.ok()) named = fs_.syncDirectory(directory_);
  failure_ = named;
  if (!named.ok()) return named;
  auto reopened = fs_.openAppend(path());
  failure_ = reopened.status();
  if (!failure_.ok()) return failure_;
  file_ = std::move(reopened).value();
  readable_.reset();
  tornAt_.reset();
  nextSequence_ = batch.sequence;
  places_ = std::move(batch.places);
  take(move);
  return {};
}

}  // namespace seriesdb
