#include "format/objects/refs_log.h"

#include <algorithm>
#include <utility>

#include "common/types/file_names.h"

namespace seriesdb {
namespace {

LogPlace refsPlaceIn(std::string directory) {
  return {std::move(directory), std::string(file_names::kRefs), LogKind::kRefs};
}

}  // namespace

RefsLog::Place RefsLog::placeIn(const LogRecord& record, const ObjectPlace& one) {
  return {record.offset + one.offset, static_cast<std::uint32_t>(one.storedSize),
          static_cast<std::uint32_t>(one.size)};
}

// The objects of one batch, and their places in the file.
struct RefsLog::Batch {
  LogBatch& log;
  Places places{};
  std::vector<NewObject> waiting{};
  std::size_t waitingSize = 0;

  Status add(NewObject object) {
    waitingSize += object.bytes.size();
    waiting.push_back(std::move(object));
    return waitingSize < kRecordSizeAimed ? Status() : flush(nullptr);
  }
  // Writes the waiting objects, with the move if there is one.
  Status flush(const RefMove* move) {
    if (move == nullptr && waiting.empty()) return {};
    const std::uint8_t type = move == nullptr ? kObjectsType : kRefMoveType;
    const auto added = log.add(type, [&](ByteBuffer& out) {
      return move == nullptr ? appendObjects(out, waiting) : appendRefMove(out, *move, waiting);
    });
    if (!added.ok()) return added.status();
    if (Status noted = note(added.value()); !noted.ok()) return noted;
    waiting.clear();
    waitingSize = 0;
    return {};
  }

 private:
  Status note(const LogRecord& record) {
    const auto written = parseRefsRecord(record.type, record.payload);
    if (!written.ok()) return written.status();
    for (const ObjectPlace& one : written.value().objects) places[one.id] = placeIn(record, one);
    return {};
  }
};

RefsLog::RefsLog(Key, FileSystem& fs, std::string directory)
    : fs_(fs), log_(fs, refsPlaceIn(std::move(directory))) {}

Result<std::unique_ptr<RefsLog>> RefsLog::open(FileSystem& fs, const std::string& directory) {
  auto refs = std::make_unique<RefsLog>(Key{}, fs, directory);
  const LogPlace place = refsPlaceIn(directory);
  const auto exists = fs.exists(place.path());
  if (!exists.ok()) return exists.status();
  if (!exists.value()) return refs;
  const auto report =
      readWholeLog(fs, place, [&](const LogRecord& record) { return refs->restore(record); });
  if (!report.ok()) return report.status();
  refs->report_ = report.value();
  // A crash during creation leaves an incomplete header: append() then makes the file anew.
  if (report.value().validSize == 0) return refs;
  if (Status opened = refs->log_.open(report.value()); !opened.ok()) return opened;
  return refs;
}

Status RefsLog::restore(const LogRecord& record) {
  const auto found = parseRefsRecord(record.type, record.payload);
  if (!found.ok()) return found.status();
  if (found.value().move) take(*found.value().move);
  for (const ObjectPlace& one : found.value().objects) places_[one.id] = placeIn(record, one);
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
  if (found == places_.end()) return Status::corrupt(log_.path() + " has no object " + id.text());
  const Place& place = found->second;
  const auto stored = readStored(place);
  if (!stored.ok()) return stored.status();
  auto bytes = unpackObject(stored.value(), place.size);
  if (bytes.ok() && sha256(bytes.value()) == id) return bytes;
  return Status::corrupt(log_.path() + " at offset " + std::to_string(place.offset) + ": object " +
                         id.text() + " is damaged");
}

// The file, open with at least `end` bytes.
Result<std::shared_ptr<ReadableFile>> RefsLog::readableTo(std::uint64_t end) const {
  const std::lock_guard lock(readableMutex_);
  if (readable_ && readable_->size() >= end) return readable_;
  auto opened = fs_.openRead(log_.path());
  if (!opened.ok()) return opened.status();
  readable_ = std::move(opened).value();
  return readable_;
}

Result<ByteBuffer> RefsLog::readStored(const Place& place) const {
  const std::uint64_t end = place.offset + place.storedSize;
  const auto opened = readableTo(end);
  if (!opened.ok()) return opened.status();
  const ReadableFile& file = *opened.value();
  ByteBuffer bytes(place.storedSize);
  const Bytes mapped = file.mapped();
  if (mapped.size() >= end) {
    const Bytes part = mapped.subspan(static_cast<std::size_t>(place.offset), bytes.size());
    std::copy(part.begin(), part.end(), bytes.begin());
  }
  if (mapped.size() < end || file.isMappingLost()) {
    const Status read = file.read(place.offset, bytes);
    if (!read.ok()) return Status(read.code(), log_.path() + ": " + read.message());
  }
  return bytes;
}

std::uint64_t RefsLog::sizeOf(std::span<const Sha256> ids) const {
  std::uint64_t size = 0;
  for (const Sha256& id : ids) {
    const auto found = places_.find(id);
    if (found != places_.end()) size += found->second.storedSize;
  }
  return size;
}

Status RefsLog::append(const RefMove& move, const NewObjects& objects) {
  // The open file still shows the torn tail, where other objects will stand.
  if (log_.tornAt()) readable_.reset();
  Places places;
  const Status appended = log_.append([&](LogBatch& log) -> Status {
    Batch batch{log};
    for (const NewObject& one : objects) {
      if (Status added = batch.add(one); !added.ok()) return added;
    }
    const Status flushed = batch.flush(&move);
    places = std::move(batch.places);
    return flushed;
  });
  if (!appended.ok()) {
    readable_.reset();
    return appended;
  }
  // The last copy of an object counts, as after a restart.
  for (const auto& [id, place] : places) places_[id] = place;
  take(move);
  return {};
}

// Copies an object at most once. Reads live objects from the old file, so each is checked against
// its name again.
Status RefsLog::copyInto(Batch& batch, const Sha256& id) const {
  if (batch.places.contains(id)) return {};
  auto bytes = read(id);
  return bytes.ok() ? batch.add({id, std::move(bytes).value()}) : bytes.status();
}

Status RefsLog::writeAll(Batch& batch, const RefMove& move, const NewObjects& objects,
                         std::span<const Sha256> live) const {
  std::unordered_map<Sha256, const NewObject*> fresh;
  for (const NewObject& one : objects) fresh.emplace(one.id, &one);
  for (const Sha256& id : live) {
    if (fresh.contains(id)) continue;
    if (Status copied = copyInto(batch, id); !copied.ok()) return copied;
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
  Places places;
  const Status replaced = log_.replace([&](LogBatch& log) -> Status {
    Batch batch{log};
    const Status written = writeAll(batch, move, objects, live);
    places = std::move(batch.places);
    return written;
  });
  if (!replaced.ok()) return replaced;
  readable_.reset();
  places_ = std::move(places);
  take(move);
  return {};
}

}  // namespace seriesdb
