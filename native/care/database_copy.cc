#include "care/database_copy.h"

#include <utility>

#include "base/hashing_file.h"
#include "base/work_pace.h"
#include "care/json_line.h"
#include "model/file_names.h"
#include "segment/object_files.h"
#include "segment/segment_identity.h"

namespace seriesdb {
namespace {

// The one that is being copied.
constexpr std::uint64_t kUnfinishedNumber = 1;

std::string objectName(const Sha256& hash) {
  SegmentFacts facts;
  facts.hash = hash;
  return segmentFileOf(facts);
}

// Which file it was about.
Status at(const std::string& path, const Status& failure) {
  if (failure.ok() || failure.message().find(path) != std::string::npos) return failure;
  return {failure.code(), path + ": " + failure.message()};
}

}  // namespace

std::string DatabaseCopy::path(std::string_view name) const {
  return file_names::join(target_, name);
}

Status DatabaseCopy::next(std::string& piece) {
  piece.clear();
  switch (step_) {
    case Step::kBegin:
      step_ = Step::kObjects;
      return begin(piece);
    case Step::kObjects:
      if (!waiting_.empty()) return copyNext(piece);
      step_ = Step::kFinish;
      [[fallthrough]];
    case Step::kFinish:
      step_ = Step::kDone;
      return finish(piece);
    case Step::kDone:
      break;
  }
  return {};
}

Status DatabaseCopy::begin(std::string& piece) {
  auto source = openSource();
  if (!source.ok()) return source.status();
  source_ = std::move(source).value();
  Status begun = openTarget();
  if (begun.ok()) begun = planObjects();
  if (!begun.ok()) return begun;
  JsonLine(piece)
      .text("kind", "plan")
      .count("files", fileCount_)
      .count("bytes", bytes_)
      .count("present", presentCount_)
      .end();
  return {};
}

// A directory with anything else in it is left alone.
Status DatabaseCopy::openTarget() {
  if (Status made = fs_.makeDirectory(target_); !made.ok()) return made;
  const auto names = fs_.list(target_);
  if (!names.ok()) return names.status();
  std::optional<RootFacts> there;
  for (const std::string& name : names.value()) {
    if (name == file_names::kLock) continue;
    const auto root = readRoot(fs_, target_);
    if (!root.ok() && root.status().code() != StatusCode::kIo) return root.status();
    if (!root.ok()) {
      return {StatusCode::kConfiguration,
              target_ + " holds " + name + ", and no database: choose an empty directory"};
    }
    there = root.value();
    break;
  }
  const auto root = rootOver(there);
  if (!root.ok()) return root.status();
  auto lock = fs_.lock(path(file_names::kLock));
  if (!lock.ok()) return lock.status();
  lock_ = std::move(lock).value();
  root_ = root.value();
  isRootDue_ = !there || there->isUnfinished();
  if (there) return {};
  RootFacts unfinished = root_;
  unfinished.toRead |= kRootUnfinished;
  return writeRoot(fs_, target_, unfinished);
}

Status DatabaseCopy::planObjects() {
  for (const auto& [hash, bytes] : source_->files.segments) {
    const std::string name = path(objectName(hash));
    const auto isThere = fs_.exists(name);
    if (!isThere.ok()) return isThere.status();
    if (isThere.value()) {
      const auto file = fs_.openRead(name);
      if (!file.ok()) return file.status();
      // A name is given to a whole file; one of another size is damaged, and copied again.
      if (file.value()->size() == bytes) {
        ++presentCount_;
        continue;
      }
    }
    waiting_.push_back({hash, bytes});
    ++fileCount_;
    bytes_ += bytes;
  }
  return {};
}

Status DatabaseCopy::copyNext(std::string& piece) {
  const Waiting object = waiting_.front();
  waiting_.pop_front();
  const std::string name = objectName(object.hash);
  Status copied = copyObject(object, name);
  if (!copied.ok()) return copied;
  JsonLine(piece).text("kind", "file").text("file", name).count("bytes", object.bytes).end();
  return {};
}

Status DatabaseCopy::copyObject(const Waiting& object, const std::string& name) {
  const std::string from = file_names::join(source_->directory, name);
  const auto file = source_->fs->openRead(from);
  if (!file.ok()) return at(from, file.status());
  const std::string folder = file_names::join(path(file_names::kObjectDirectory),
                                              file_names::kUnfinishedObjectDirectory);
  if (Status made = fs_.makeDirectory(folder); !made.ok()) return made;
  const std::string unfinished =
      file_names::join(folder, file_names::unfinishedObjectFile(kUnfinishedNumber));
  Sha256 hash;
  Status copied = copyBytes(*file.value(), unfinished, hash);
  if (copied.ok() && hash != object.hash) {
    copied = Status::corrupt(from + ": its bytes do not have the hash of its name");
  }
  if (!copied.ok()) {
    // What stays is removed by the next try.
    static_cast<void>(fs_.remove(unfinished).ok());
    return at(from, copied);
  }
  const auto home = makeObjectFolder(fs_, target_, object.hash);
  if (!home.ok()) return home.status();
  Status named = fs_.rename(unfinished, path(name));
  return named.ok() ? fs_.syncDirectory(home.value()) : named;
}

Status DatabaseCopy::copyBytes(const ReadableFile& from, const std::string& to,
                               Sha256& hash) const {
  if (Status removed = removeLeftover(fs_, to); !removed.ok()) return removed;
  auto file = fs_.create(to);
  if (!file.ok()) return file.status();
  HashingFile hashing(std::move(file).value());
  Status copied = visitPieces(from, [&](Bytes piece) -> Status {
    PacedThread::giveWay();
    if (isCancelled()) return {StatusCode::kClosed, "the copy was cancelled"};
    return hashing.append(piece);
  });
  if (!copied.ok()) return copied;
  const auto finished = hashing.finish();
  if (finished.ok()) hash = finished.value();
  return finished.status();
}

Status DatabaseCopy::finish(std::string& piece) {
  Status done = copyRefs();
  if (done.ok()) done = complete();
  if (!done.ok()) return done;
  const auto removed = sweep();
  if (!removed.ok()) return removed.status();
  if (isRootDue_) done = writeRoot(fs_, target_, root_);
  if (!done.ok()) return done;
  lock_.reset();
  source_.reset();
  JsonLine(piece)
      .text("kind", "end")
      .text("status", "done")
      .count("files", fileCount_)
      .count("bytes", bytes_)
      .count("present", presentCount_)
      .count("removed", removed.value())
      .text("database_id", textOf(*root_.id))
      .end();
  return {};
}

Status DatabaseCopy::copyRefs() {
  const std::string to = path(file_names::kRefs);
  const std::string unfinished = to + std::string(file_names::kTemporarySuffix);
  Sha256 hash;
  Status copied = copyBytes(*source_->files.refs, unfinished, hash);
  if (copied.ok()) copied = fs_.rename(unfinished, to);
  return copied.ok() ? fs_.syncDirectory(target_) : at(to, copied);
}

Result<std::uint64_t> DatabaseCopy::sweep() {
  const auto objects = objectFilesIn(fs_, target_);
  if (!objects.ok()) return objects.status();
  std::uint64_t removed = 0;
  for (const ObjectFile& one : objects.value()) {
    if (one.hash && source_->files.segments.contains(*one.hash)) continue;
    if (Status gone = fs_.remove(path(one.name)); !gone.ok()) return gone;
    ++removed;
  }
  return removed;
}

}  // namespace seriesdb
