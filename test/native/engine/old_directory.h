// A directory as a program of before left it: segments by their numbers, without hashes.
#pragma once

#include <filesystem>
#include <string>

#include "engine/engine_fixture.h"
#include "manifest/manifest.h"
#include "model/file_names.h"

namespace seriesdb::test {

inline ManifestState manifestOf(const Database& database) {
  return readManifest(posixFileSystem(), database.options.directory).value().state;
}

// What a program of before would have left. REQUIRES: the database is closed.
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

}  // namespace seriesdb::test
