#include "engine/unnamed_segments.h"

#include <algorithm>
#include <functional>

#include "model/file_names.h"
#include "segment/segment_identity.h"

namespace seriesdb {
namespace {

// Calls `visit` with the name of each file that is ours to remove, until it returns a failure.
Status visitUnnamed(const EngineState& state,
                    const std::function<Status(const std::string& name)>& visit) {
  const auto names = state.fs.list(state.path(file_names::kSegmentDirectory));
  if (!names.ok()) return names.status();
  const auto& segments = state.manifest->state().segments;
  for (const std::string& name : names.value()) {
    const auto number = file_names::segmentNumber(name);
    const bool isNamed =
        number && std::ranges::binary_search(segments, *number, {}, &SegmentFacts::number);
    const bool isOurs = number || name.ends_with(file_names::kTemporarySuffix);
    if (isNamed || !isOurs) continue;
    Status visited = visit(name);
    if (!visited.ok()) return visited;
  }
  return Status::okStatus();
}

}  // namespace

std::string findUnnamedSegment(const EngineState& state) {
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

Status checkUnnamedSegments(const EngineState& state) {
  const ManifestState& manifest = state.manifest->state();
  const std::string directory = state.path(file_names::kSegmentDirectory);
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
    const bool isInLog = last > manifest.flushedSequence && last < state.nextSequence;
    if (isInLog && *number >= manifest.nextSegment) return Status::okStatus();
    return Status::corrupt(state.path(file_names::kManifest) + " does not name " + name +
                           ", whose samples the log does not have: it is older than the data, or "
                           "of another database");
  });
}

Status removeUnnamedSegments(EngineState& state) {
  const std::string directory = state.path(file_names::kSegmentDirectory);
  return visitUnnamed(state, [&](const std::string& name) {
    return state.fs.remove(file_names::join(directory, name));
  });
}

}  // namespace seriesdb
