// A directory as an older program left it: segments are named by numbers and have no hashes.
#pragma once

#include <filesystem>
#include <future>
#include <string>
#include <utility>

#include "common/types/file_names.h"
#include "format/manifest/manifest.h"
#include "storage/engine/engine_fixture.h"

namespace seriesdb::test {

inline ManifestState manifestOf(const Database& database) {
  return readManifest(posixFileSystem(), database.options.directory).value().state;
}

// Converts to the old form. REQUIRES: the database is closed.
inline void makeOld(const Database& database) {
  ManifestState state = manifestOf(database);
  for (SegmentFacts& facts : state.segments) {
    const std::string named = database.path(segmentFileOf(facts));
    facts.hash.reset();
    std::filesystem::rename(named, database.path(segmentFileOf(facts)));
  }
  state.seriesCount = 0;
  state.editNumber = 0;
  REQUIRE(Manifest::replace(posixFileSystem(), database.options.directory, state).ok());
  std::filesystem::remove_all(database.path("REFS"));
  std::filesystem::remove_all(database.path("objects"));
}

inline Result<MigrationReport> migrated(Database& database) {
  std::promise<Result<MigrationReport>> answer;
  database.engine().migrate([&answer](auto report) { answer.set_value(std::move(report)); });
  return answer.get_future().get();
}

}  // namespace seriesdb::test
