#include "shipping/segment_fetch.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "common/base/parallel.h"
#include "common/file/hashing_file.h"
#include "common/types/file_names.h"
#include "format/segment/object_files.h"
#include "maintenance/bucket/taken_state.h"
#include "storage/ledger/set_aside.h"

namespace seriesdb {
namespace {

constexpr std::size_t kFetchThreads = 8;
constexpr std::uint64_t kFetchRangeBytes = std::uint64_t{8} << 20;

Status fetchStopped() { return {StatusCode::kClosed, "the fetch from the bucket was stopped"}; }

}  // namespace

SegmentFetch::SegmentFetch(StoreSession& session, To to, FetchWatch watch)
    : session_(session), to_(std::move(to)), watch_(std::move(watch)), layout_(DatabaseId{}) {}

std::string SegmentFetch::path(std::string_view name) const {
  return file_names::join(to_.directory, name);
}

Status SegmentFetch::watchOn() {
  if (!watch_) return {};
  FetchProgress now = all_;
  now.doneFiles = doneFiles_;
  now.doneBytes = doneBytes_;
  return watch_(now) ? Status() : fetchStopped();
}

Status SegmentFetch::run(const std::vector<WantedSegment>& wanted) {
  const std::string objects = path(file_names::kObjectDirectory);
  Status made =
      to_.fs.makeDirectory(file_names::join(objects, file_names::kUnfinishedObjectDirectory));
  if (!made.ok()) return made;
  for (const WantedSegment& one : wanted) {
    ++all_.files;
    all_.bytes += one.size;
  }
  if (Status goesOn = watchOn(); !goesOn.ok()) return goesOn;
  std::vector<Status> done(wanted.size());
  Status failure;
  const OrderedParts parts{wanted.size(), wanted.size(),
                           [&](std::size_t at) { done[at] = bring(wanted[at], at + 1); },
                           [&](std::size_t at) {
                             failure = done[at];
                             return failure.ok();
                           }};
  if (!wanted.empty()) runOrderedWaits(parts, kFetchThreads);
  return failure.ok() ? sweep(wanted) : failure;
}

// Any thread. `number` names the file until it is whole.
Status SegmentFetch::bring(const WantedSegment& one, std::size_t number) {
  const std::string place = path(segmentFileOfHash(one.hash));
  auto is = isThere(place, one);
  if (!is.ok()) return is.status();
  const std::string scratch = file_names::join(
      path(file_names::join(file_names::kObjectDirectory, file_names::kUnfinishedObjectDirectory)),
      file_names::unfinishedObjectFile(number));
  if (is.value()) {
    // An earlier try may have given the name without syncing the folder.
    const auto home = makeObjectFolder(to_.fs, to_.directory, one.hash);
    if (!home.ok()) return home.status();
    if (Status synced = to_.fs.syncDirectory(home.value()); !synced.ok()) return synced;
  } else {
    Status clean = removeLeftover(to_.fs, place);
    if (clean.ok()) clean = removeLeftover(to_.fs, scratch);
    if (!clean.ok()) return clean;
    is = takeFromAside(one, scratch);
    if (!is.ok()) return is.status();
  }
  if (is.value()) {
    doneBytes_ += one.size;
  } else {
    const Status brought = download(one, scratch);
    const bool isSkipped = one.isOptional && brought.code() == StatusCode::kStorageCorrupt;
    if (!brought.ok() && !isSkipped) return brought;
  }
  ++doneFiles_;
  return watchOn();
}

// Whether the file has the bytes of the segment. A file that cannot be read has not.
Result<bool> SegmentFetch::isThere(const std::string& path, const WantedSegment& one) {
  const auto exists = to_.fs.exists(path);
  if (!exists.ok()) return exists.status();
  if (!exists.value()) return false;
  const auto file = to_.fs.openRead(path);
  if (!file.ok() && isUnread(file.status())) return file.status();
  if (!file.ok() || file.value()->size() != one.size) return false;
  const auto hash = hashOf(*file.value(), [this](std::uint64_t) { return watchOn(); });
  if (!hash.ok() && isUnread(hash.status())) return hash.status();
  return hash.ok() && hash.value() == one.hash;
}

Result<bool> SegmentFetch::takeFromAside(const WantedSegment& one, const std::string& scratch) {
  const std::string folder = file_names::objectFolder(one.hash);
  for (const std::string& objects : to_.aside) {
    const std::string file =
        file_names::join(file_names::join(objects, folder), file_names::objectFile(one.hash));
    const auto is = isThere(file, one);
    if (!is.ok()) return is;
    if (!is.value()) continue;
    Status taken = to_.fs.link(file, scratch);
    if (!taken.ok()) taken = copyFile(to_.fs, file, scratch);
    if (taken.ok()) taken = give(scratch, one.hash);
    if (!taken.ok()) return taken;
    return true;
  }
  return false;
}

Status SegmentFetch::download(const WantedSegment& one, const std::string& scratch) {
  const std::string key = layout_.keyOf(SegmentPlace{one.hash});
  const auto damaged = [&key](const char* what) { return Status::corrupt(key + ": " + what); };
  auto made = to_.fs.create(scratch);
  if (!made.ok()) return made.status();
  HashingFile file(std::move(made).value());
  for (std::uint64_t at = 0; at < one.size;) {
    const std::uint64_t wanted = std::min(kFetchRangeBytes, one.size - at);
    // One byte more at the end shows a longer object.
    const std::uint64_t more = at + wanted == one.size ? 1 : 0;
    const auto bytes = session_.get(key, StoreRange{at, wanted + more});
    if (!bytes.ok()) return bytes.status();
    if (!bytes.value()) return damaged("it is missing in the bucket");
    if (bytes.value()->size() != wanted) return damaged("it has another size in the bucket");
    if (Status written = file.append(*bytes.value()); !written.ok()) return written;
    at += wanted;
    doneBytes_ += wanted;
    if (Status goesOn = watchOn(); !goesOn.ok()) return goesOn;
  }
  const auto hash = file.finish();
  if (!hash.ok()) return hash.status();
  if (hash.value() != one.hash) return damaged("its bytes in the bucket have another hash");
  return give(scratch, one.hash);
}

// Gives a file its name. REQUIRES: it is whole and synced.
Status SegmentFetch::give(const std::string& scratch, const Sha256& hash) {
  const auto home = makeObjectFolder(to_.fs, to_.directory, hash);
  if (!home.ok()) return home.status();
  Status named = to_.fs.rename(scratch, path(segmentFileOfHash(hash)));
  return named.ok() ? to_.fs.syncDirectory(home.value()) : named;
}

// Removes what an earlier try brought for another state, and what it left unfinished.
Status SegmentFetch::sweep(const std::vector<WantedSegment>& wanted) {
  std::unordered_set<Sha256> named;
  for (const WantedSegment& one : wanted) named.insert(one.hash);
  const auto files = objectFilesIn(to_.fs, to_.directory);
  if (!files.ok()) return files.status();
  for (const ObjectFile& one : files.value()) {
    if (one.hash && named.contains(*one.hash)) continue;
    const std::string gone = path(one.name);
    Status removed = to_.fs.remove(gone);
    if (removed.ok()) removed = to_.fs.syncDirectory(gone.substr(0, gone.rfind('/')));
    if (!removed.ok()) return removed;
  }
  return {};
}

}  // namespace seriesdb
