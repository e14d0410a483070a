#include "maintenance/inspect/refs_reading.h"

#include <utility>

#include "common/types/file_names.h"
#include "format/objects/committed_tree.h"
#include "format/objects/loose_tags.h"
#include "storage/ledger/state_tree.h"

namespace seriesdb {

Result<NamedState> readNamed(const RefMove& move, const ObjectReader& objects) {
  auto loaded = loadCommit(move.to, objects);
  if (!loaded.ok()) return loaded.status();
  auto& [commit, tree] = loaded.value();
  auto state = stateIn(tree, objects);
  if (!state.ok()) return state.status();
  state.value().editNumber = commit.edit;
  return NamedState{move, commit, std::move(tree), std::move(state).value()};
}

Result<RefsReading> readRefs(FileSystem& fs, const std::string& directory) {
  auto log = RefsLog::open(fs, directory);
  if (!log.ok()) return log.status();
  RefsReading reading{std::move(log).value(), {}};
  for (const auto& [ref, move] : reading.log->refs()) {
    auto named = readNamed(move, *reading.log);
    if (!named.ok()) {
      return Status(named.status().code(),
                    file_names::join(directory, file_names::kRefs) + ": " + ref + ": " +
                        named.status().message());
    }
    reading.states.push_back(std::move(named).value());
  }
  return reading;
}

std::vector<NamedState> readableStates(FileSystem& fs, const std::string& directory) {
  std::vector<NamedState> states;
  if (auto refs = readRefs(fs, directory); refs.ok()) states = std::move(refs.value().states);
  const auto tags = readLooseTags(fs, directory);
  if (!tags.ok()) return states;
  for (const LooseTag& tag : tags.value()) {
    auto named = readNamed(tag.move, TagObjects(tag));
    if (named.ok()) states.push_back(std::move(named).value());
  }
  return states;
}

std::string KeptSegment::sentence() const {
  std::string told = "only these snapshots need it:";
  for (const std::string& snapshot : snapshots) told += " " + snapshot;
  return told;
}

std::map<std::uint64_t, KeptSegment> segmentsOfSnapshots(FileSystem& fs,
                                                         const std::string& directory) {
  std::map<std::uint64_t, KeptSegment> kept;
  for (const NamedState& named : readableStates(fs, directory)) {
    if (!named.move.ref.starts_with(kTagPrefix)) continue;
    const std::string snapshot = named.move.ref.substr(std::string_view(kTagPrefix).size());
    for (const SegmentFacts& facts : named.state.segments) {
      kept.try_emplace(facts.number, KeptSegment{facts, {}})
          .first->second.snapshots.insert(snapshot);
    }
  }
  return kept;
}

}  // namespace seriesdb
