#include "maintenance/snapshot_list.h"

#include <map>
#include <memory>
#include <vector>

#include "common/types/file_names.h"
#include "format/objects/loose_tags.h"
#include "maintenance/inspect/json_line.h"
#include "maintenance/inspect/refs_reading.h"
#include "storage/engine/engine_open.h"

namespace seriesdb {
namespace {

constexpr int kListTries = 5;

// The number of states that name each segment.
using Owners = std::map<Sha256, std::size_t>;

void print(const NamedState& one, const Owners& owners, std::string& piece) {
  std::uint64_t samples = 0;
  std::uint64_t bytes = 0;
  std::uint64_t ownBytes = 0;
  for (const SegmentFacts& facts : one.state.segments) {
    samples += facts.sampleCount;
    bytes += facts.fileSize;
    if (facts.hash && owners.at(*facts.hash) == 1) ownBytes += facts.fileSize;
  }
  JsonLine(piece)
      .text("name", one.move.ref.substr(std::string_view(kTagPrefix).size()))
      .integer("time_ms", one.move.timeMs)
      .count("series", one.state.seriesCount)
      .count("segments", one.state.segments.size())
      .count("samples", samples)
      .count("bytes", bytes)
      .count("own_bytes", ownBytes)
      .end();
}

Result<std::vector<NamedState>> readAll(FileSystem& fs, const std::string& directory) {
  auto refs = readRefs(fs, directory);
  if (!refs.ok()) return refs.status();
  std::vector<NamedState> all = std::move(refs.value().states);
  const auto loose = readLooseTags(fs, directory);
  if (!loose.ok()) return loose.status();
  for (const LooseTag& tag : loose.value()) {
    auto named = readNamed(tag.move, TagObjects(tag));
    if (!named.ok()) return named.status();
    std::erase_if(all, [&tag](const auto& one) { return one.move.ref == tag.move.ref; });
    all.push_back(std::move(named).value());
  }
  return all;
}

}  // namespace

Status SnapshotList::next(std::string& piece) {
  piece.clear();
  if (isDone_) return {};
  isDone_ = true;
  const auto isThere = fs_.exists(file_names::join(directory_, file_names::kRoot));
  if (!isThere.ok()) return isThere.status();
  if (!isThere.value()) return noDatabase(directory_);
  std::unique_ptr<DirectoryLock> lock;
  if (!isLive_) {
    auto locked = fs_.lock(file_names::join(directory_, file_names::kLock));
    if (!locked.ok()) return locked.status();
    lock = std::move(locked).value();
  }
  auto states = readAll(fs_, directory_);
  // An open database may replace REFS before an object is read from it.
  for (int tries = isLive_ ? kListTries : 1; !states.ok() && tries > 1; --tries) {
    states = readAll(fs_, directory_);
  }
  if (!states.ok()) return states.status();
  const std::vector<NamedState>& all = states.value();
  Owners owners;
  for (const NamedState& one : all) {
    for (const SegmentFacts& facts : one.state.segments) {
      if (facts.hash) ++owners[*facts.hash];
    }
  }
  for (const NamedState& one : all) {
    if (one.move.ref.starts_with(kTagPrefix)) print(one, owners, piece);
  }
  return {};
}

}  // namespace seriesdb
