#include "care/refs_reading.h"

#include <utility>

#include "engine/state_tree.h"
#include "model/file_names.h"

namespace seriesdb {

Result<NamedState> readNamed(const RefMove& move, const ObjectReader& objects) {
  const auto bytes = objects.read(move.to);
  if (!bytes.ok()) return bytes.status();
  const auto commit = parseCommit(bytes.value());
  if (!commit.ok()) return commit.status();
  auto tree = ObjectTree::load(commit.value().root, objects);
  if (!tree.ok()) return tree.status();
  auto state = stateIn(tree.value(), objects);
  if (!state.ok()) return state.status();
  state.value().editNumber = commit.value().edit;
  return NamedState{move, commit.value(), std::move(tree).value(), std::move(state).value()};
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

}  // namespace seriesdb
