#include "maintenance/database_copy.h"

#include <algorithm>
#include <set>
#include <utility>

#include "common/base/work_pace.h"
#include "common/types/file_names.h"
#include "format/segment/object_files.h"
#include "format/segment/segment_identity.h"
#include "maintenance/inspect/json_line.h"
#include "maintenance/inspect/refs_reading.h"

namespace seriesdb {
namespace {

// How often REFS of an open database is copied, if it is replaced during the copy.
constexpr int kTries = 3;
constexpr std::uint64_t kUnfinishedNumber = 1;

Status copyAll(const ReadableFile& from, WritableFile& to) {
  Status copied = visitPieces(from, [&](Bytes piece) {
    PacedThread::giveWay();
    return to.append(piece);
  });
  return copied.ok() ? to.sync() : copied;
}

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

DatabaseCopy::DatabaseCopy(FileSystem& fs, std::string target)
    : fs_(fs), target_(std::move(target)) {}

DatabaseCopy::~DatabaseCopy() = default;

Status DatabaseCopy::at(const std::string& path, const Status& failure) {
  if (failure.ok() || failure.message().find(path) != std::string::npos) return failure;
  return {failure.code(), path + ": " + failure.message()};
}

std::string DatabaseCopy::path(std::string_view name) const {
  return file_names::join(target_, name);
}
std::string DatabaseCopy::scratch() const {
  return file_names::join(path(file_names::kObjectDirectory),
                          file_names::kUnfinishedObjectDirectory);
}
std::string DatabaseCopy::unfinished() const {
  return file_names::join(scratch(), file_names::unfinishedObjectFile(kUnfinishedNumber));
}

Status DatabaseCopy::next(std::string& piece) {
  piece.clear();
  if (failure_.ok()) failure_ = step(piece);
  return failure_;
}

Status DatabaseCopy::step(std::string& piece) {
  if (isCancelled()) return {StatusCode::kClosed, "the copy was cancelled"};
  switch (step_) {
    case Step::kBegin:
      step_ = Step::kObjects;
      return begin(piece);
    case Step::kObjects:
      if (copying_) return copyPart(piece);
      if (!waiting_.empty()) return beginObject(piece);
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
  if (begun.ok()) begun = copyRefs();
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

// Refuses a directory with anything else in it, except the leftovers of a try that failed at once.
Result<std::optional<RootFacts>> DatabaseCopy::lookAtTarget() const {
  const auto names = fs_.list(target_);
  if (!names.ok()) return names.status();
  const std::string half = std::string(file_names::kRoot).append(kTemporarySuffix);
  const auto isAnything = [&half](const std::string& name) {
    return name != file_names::kLock && name != half;
  };
  const auto found = std::ranges::find_if(names.value(), isAnything);
  if (found == names.value().end()) return std::optional<RootFacts>();
  if (std::ranges::find(names.value(), file_names::kRoot) == names.value().end()) {
    return Status(StatusCode::kConfiguration,
                  target_ + " holds " + *found + " but no database: choose an empty directory");
  }
  const auto root = readRoot(fs_, target_);
  if (!root.ok()) return root.status();
  Status known = checkFeatures(root.value(), target_);
  if (!known.ok()) return known;
  return std::optional(root.value());
}

Status DatabaseCopy::lockTarget() {
  auto lock = fs_.lock(path(file_names::kLock));
  if (lock.ok()) lock_ = std::move(lock).value();
  return lock.status();
}

// Checks before taking the lock, which makes a file, and again with the lock.
Status DatabaseCopy::openTarget() {
  if (Status made = fs_.makeDirectory(target_); !made.ok()) return made;
  std::optional<RootFacts> there;
  for (const bool isLocked : {false, true}) {
    if (Status locked = isLocked ? lockTarget() : Status(); !locked.ok()) return locked;
    const auto found = lookAtTarget();
    if (!found.ok()) return found.status();
    there = found.value();
    const auto root = rootOver(there);
    if (!root.ok()) return root.status();
    root_ = root.value();
  }
  isRootDue_ = !there || there->isUnfinished();
  if (there) return {};
  RootFacts unfinished = root_;
  unfinished.toRead |= kRootUnfinished;
  return writeRoot(fs_, target_, unfinished);
}

Status DatabaseCopy::copyRefs() {
  for (int tries = kTries;; --tries) {
    Status copied = copyRefsOnce();
    const bool isAnother = copied.code() == StatusCode::kStorageCorrupt && tries > 1;
    if (!isAnother) return copied;
    auto source = openSource();
    if (!source.ok()) return source.status();
    source_ = std::move(source).value();
  }
}

// Reads the copy as it would read the source, so that damage never replaces an intact REFS.
Status DatabaseCopy::copyRefsOnce() {
  refs_.reset();
  if (Status made = fs_.makeDirectory(scratch()); !made.ok()) return made;
  const std::string to = file_names::join(scratch(), file_names::kRefs);
  if (Status removed = removeLeftover(fs_, to); !removed.ok()) return removed;
  auto file = fs_.create(to);
  if (!file.ok()) return file.status();
  const Status copied = copyAll(*source_->files.refs, *file.value());
  const std::string from = file_names::join(source_->directory, file_names::kRefs);
  if (!copied.ok()) return at(from, copied);
  auto refs = readRefs(fs_, scratch());
  if (!refs.ok()) return at(from, refs.status());
  refs_ = std::make_unique<const RefsReading>(std::move(refs).value());
  const auto isHead = [](const NamedState& one) { return one.move.ref == kHeadRef; };
  if (std::ranges::any_of(refs_->states, isHead)) return {};
  return Status::corrupt(from + " names no head commit");
}

Status DatabaseCopy::finish(std::string& piece) {
  std::uint64_t removed = 0;
  Status done = publishRefs();
  if (done.ok()) done = complete();
  if (done.ok() && damagedCount_ == 0) done = sweep(removed);
  if (done.ok() && isRootDue_) done = writeRoot(fs_, target_, root_);
  if (!done.ok()) return done;
  lock_.reset();
  source_.reset();
  tellEnd(removed, piece);
  return {};
}

void DatabaseCopy::tellEnd(std::uint64_t removed, std::string& piece) const {
  JsonLine(piece)
      .text("kind", "end")
      .text("status", damagedCount_ == 0 ? "ok" : "damaged")
      .count("files", fileCount_ - damagedCount_)
      .count("bytes", bytes_)
      .count("present", presentCount_)
      .count("damaged", damagedCount_)
      .count("removed", removed)
      .text("database_id", textOf(*root_.id))
      .end();
}

Status DatabaseCopy::publishRefs() {
  const std::string from = file_names::join(scratch(), file_names::kRefs);
  Status named = fs_.rename(from, path(file_names::kRefs));
  return named.ok() ? fs_.syncDirectory(target_) : named;
}

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
