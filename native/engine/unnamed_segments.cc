#include "engine/unnamed_segments.h"

#include <algorithm>
#include <functional>

#include "model/file_names.h"
#include "segment/segment_identity.h"

namespace seriesdb {
namespace {

// Calls `visit` with the name of each file that is ours to remove, until it returns a failure.
Status visitUnnamed(EngineState& state,
                    const std::function<Status(const std::string& name)>& visit) {
  const auto names = state.fs.list(state.path(file_names::kSegmentDirectory));
  if (!names.ok()) return names.status();
  std::vector<std::uint64_t> named;
  {
    const auto manifest = state.manifest.hold();
    for (const SegmentFacts& facts : manifest->state().segments) named.push_back(facts.number);
  }
  for (const std::string& name : names.value()) {
    const auto number = file_names::segmentNumber(name);
    const bool isNamed = number && std::ranges::binary_search(named, *number);
    const bool isOurs = number || name.ends_with(file_names::kTemporarySuffix);
    if (isNamed || !isOurs) continue;
    Status visited = visit(name);
    if (!visited.ok()) return visited;
  }
  return Status::okStatus();
}

// A compaction removes files only when MANIFEST names others with their samples.
bool isNamedOneMissing(EngineState& state) {
  const auto view = state.view.current();
  return std::any_of(view->quarantined.begin(), view->quarantined.end(), [&](const auto& facts) {
    const auto exists = state.fs.exists(
        file_names::join(state.path(file_names::kSegmentDirectory),
                         file_names::segmentFile(facts.number)));
    return !exists.ok() || !exists.value();
  });
}

}  // namespace

std::string findUnnamedSegment(EngineState& state) {
  std::string found;
  const std::string directory = state.path(file_names::kSegmentDirectory);
  // A folder that cannot be read tells nothing, which is what the caller hears.
  static_cast<void>(visitUnnamed(state, [&](const std::string& name) {
    const auto number = file_names::segmentNumber(name);
    if (number && readSegmentIdentity(state.fs, directory, *number).ok()) found = name;
    return Status::okStatus();
  }).ok());
  return found;
}

Status checkUnnamedSegments(EngineState& state) {
  std::uint64_t flushed = 0;
  std::uint64_t nextSegment = 0;
  {
    const auto manifest = state.manifest.hold();
    flushed = manifest->state().flushedSequence;
    nextSegment = manifest->state().nextSegment;
  }
  const std::string directory = state.path(file_names::kSegmentDirectory);
  const bool isMissing = isNamedOneMissing(state);
  return visitUnnamed(state, [&](const std::string& name) -> Status {
    const auto number = file_names::segmentNumber(name);
    if (!number) return Status::okStatus();
    const auto identity = readSegmentIdentity(state.fs, directory, *number);
    if (!identity.ok()) {
      // What is damaged cannot be told from rubbish; what could not be read is not rubbish.
      const bool isDamaged = identity.status().code() == StatusCode::kStorageCorrupt;
      return isDamaged ? Status::okStatus() : identity.status();
    }
    const std::uint64_t last = identity.value().sequenceMax;
    if (last <= flushed && (!isMissing || *number < nextSegment)) return Status::okStatus();
    if (last > flushed && last < state.nextSequence) return Status::okStatus();
    return Status::corrupt(state.path(file_names::kManifest) + " does not name " + name +
                           ", whose samples the log does not have: it is older than the data, or "
                           "of another database");
  });
}

Status removeUnnamedSegments(EngineState& state) {
  const auto view = state.view.current();
  if (!view->quarantined.empty()) return Status::okStatus();
  const std::string directory = state.path(file_names::kSegmentDirectory);
  return visitUnnamed(state, [&](const std::string& name) {
    return state.fs.remove(file_names::join(directory, name));
  });
}

std::uint64_t firstFreeSegment(EngineState& state) {
  std::uint64_t free = 1;
  // Where the folder cannot be read, MANIFEST tells.
  const auto names = state.fs.list(state.path(file_names::kSegmentDirectory));
  if (!names.ok()) return free;
  for (const std::string& name : names.value()) {
    if (const auto number = file_names::segmentNumber(name)) free = std::max(free, *number + 1);
  }
  return free;
}

}  // namespace seriesdb
