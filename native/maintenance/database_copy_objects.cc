// Copies the objects of a database: finds the missing ones, then copies one after the other.
#include <algorithm>
#include <set>
#include <utility>

#include "common/base/work_pace.h"
#include "common/types/file_names.h"
#include "format/segment/object_files.h"
#include "format/segment/segment_identity.h"
#include "maintenance/database_copy.h"
#include "maintenance/inspect/json_line.h"

namespace seriesdb {
namespace {

constexpr std::size_t kReadBytes = std::size_t{1} << 20;
// One call copies this much, so that the caller can report progress.
constexpr std::uint64_t kPartBytes = std::uint64_t{32} << 20;

std::string objectName(const Sha256& hash) {
  SegmentFacts facts;
  facts.hash = hash;
  return segmentFileOf(facts);
}

bool isDamage(const Status& failure) {
  return failure.code() == StatusCode::kStorageCorrupt || failure.code() == StatusCode::kIo;
}

}  // namespace

// Only complete files get their name. If the size differs, the file is damaged and copied again.
Status DatabaseCopy::isPresent(const Waiting& object, bool& is) {
  const std::string name = path(objectName(object.hash));
  const auto isThere = fs_.exists(name);
  if (!isThere.ok() || !isThere.value()) return isThere.status();
  const auto file = fs_.openRead(name);
  if (!file.ok()) return file.status();
  is = file.value()->size() == object.bytes;
  return {};
}

Status DatabaseCopy::planObjects() {
  const auto states = chooseStates();
  if (!states.ok()) return states.status();
  for (const NamedState* one : states.value()) {
    for (const SegmentFacts& facts : one->state.segments) {
      if (facts.hash) objects_.emplace(*facts.hash, facts.fileSize);
    }
  }
  std::set<std::string> folders;
  for (const auto& [hash, bytes] : objects_) {
    const Waiting object{hash, bytes};
    bool is = false;
    if (Status looked = isPresent(object, is); !looked.ok()) return looked;
    if (is) {
      ++presentCount_;
      folders.insert(file_names::objectFolder(hash));
      continue;
    }
    waiting_.push_back(object);
    ++fileCount_;
    bytes_ += bytes;
  }
  // An interrupted copy may have renamed an object without syncing the folder.
  const std::string objects = path(file_names::kObjectDirectory);
  for (const std::string& folder : folders) {
    Status synced = fs_.syncDirectory(file_names::join(objects, folder));
    if (!synced.ok()) return synced;
  }
  return {};
}

// Reports an unreadable file of the source; the copy goes on with the others.
void DatabaseCopy::skipObject(const Status& damage, std::string& piece) {
  ++damagedCount_;
  const std::string from = file_names::join(source_->directory, copying_->name);
  JsonLine(piece)
      .text("kind", "file")
      .text("file", copying_->name)
      .text("status", "damaged")
      .texts("problems", {at(from, damage).message()})
      .end();
  copying_.reset();
  // The next object removes a leftover.
  static_cast<void>(removeLeftover(fs_, unfinished()).ok());
}

Status DatabaseCopy::beginObject(std::string& piece) {
  Copying& one = copying_.emplace(Copying{});
  one.object = waiting_.front();
  waiting_.pop_front();
  one.name = objectName(one.object.hash);
  auto file = source_->fs->openRead(file_names::join(source_->directory, one.name));
  if (!file.ok() && isDamage(file.status())) {
    skipObject(file.status(), piece);
    return {};
  }
  if (!file.ok()) return file.status();
  one.from = std::move(file).value();
  if (Status removed = removeLeftover(fs_, unfinished()); !removed.ok()) return removed;
  auto made = fs_.create(unfinished());
  if (!made.ok()) return made.status();
  one.to = std::make_unique<HashingFile>(std::move(made).value());
  return copyPart(piece);
}

Status DatabaseCopy::copyPart(std::string& piece) {
  Copying& one = *copying_;
  const std::uint64_t size = one.from->size();
  const std::uint64_t end = std::min(size, one.at + kPartBytes);
  ByteBuffer bytes;
  while (one.at < end) {
    if (isCancelled()) return {StatusCode::kClosed, "the copy was cancelled"};
    PacedThread::giveWay();
    bytes.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kReadBytes, end - one.at)));
    const Status read = one.from->read(one.at, bytes);
    if (!read.ok() && isDamage(read)) {
      skipObject(read, piece);
      return {};
    }
    if (!read.ok()) return read;
    if (Status written = one.to->append(bytes); !written.ok()) return written;
    one.at += bytes.size();
  }
  if (one.at == size) return endObject(piece);
  JsonLine(piece).text("kind", "progress").text("file", one.name).count("bytes", one.at).end();
  return {};
}

Status DatabaseCopy::endObject(std::string& piece) {
  const auto hash = copying_->to->finish();
  if (!hash.ok()) return hash.status();
  if (hash.value() != copying_->object.hash) {
    skipObject(Status::corrupt("its content does not match the hash in its name"), piece);
    return {};
  }
  if (Status named = nameObject(hash.value()); !named.ok()) return named;
  JsonLine(piece)
      .text("kind", "file")
      .text("file", copying_->name)
      .text("status", "ok")
      .count("bytes", copying_->object.bytes)
      .end();
  copying_.reset();
  return {};
}

// Gives the copied object its name. REQUIRES: the file is complete and synced.
Status DatabaseCopy::nameObject(const Sha256& hash) {
  const auto home = makeObjectFolder(fs_, target_, hash);
  if (!home.ok()) return home.status();
  Status named = fs_.rename(unfinished(), path(copying_->name));
  return named.ok() ? fs_.syncDirectory(home.value()) : named;
}

Status DatabaseCopy::sweep(std::uint64_t& removed) {
  const auto objects = objectFilesIn(fs_, target_);
  if (!objects.ok()) return objects.status();
  for (const ObjectFile& one : objects.value()) {
    if (one.hash && objects_.contains(*one.hash)) continue;
    if (Status gone = fs_.remove(path(one.name)); !gone.ok()) return gone;
    ++removed;
  }
  return {};
}

}  // namespace seriesdb
