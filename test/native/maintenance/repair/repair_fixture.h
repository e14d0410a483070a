// Helpers for tests of repairs: a database with every kind of content, its files before the damage,
// and the report of a repair.
#pragma once

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "maintenance/backup_fixture.h"
#include "maintenance/repair/live_repair.h"
#include "maintenance/repair/repair.h"
#include "maintenance/verification.h"

namespace seriesdb::test {

using Tree = std::map<std::string, ByteBuffer>;  // File content by path.

inline Tree treeOf(const std::string& directory) {
  Tree tree;
  for (const auto& entry : files::recursive_directory_iterator(directory)) {
    const std::string path = entry.path().string();
    if (entry.is_regular_file()) tree[path] = seriesdb::test::contentOf(path);
  }
  return tree;
}

// Makes the directory hold these files and no others.
inline void putTree(const std::string& directory, const Tree& tree) {
  files::remove_all(directory);
  files::create_directories(directory + "/segments");
  for (const auto& [path, bytes] : tree) {
    files::create_directories(files::path(path).parent_path());
    auto file = posixFileSystem().create(path);
    CHECK(file.ok() && file.value()->append(bytes).ok());
  }
}

inline RepairWishes accepting() { return {false, true, std::nullopt}; }

inline Result<std::string> repaired(const std::string& directory, RepairWishes wishes = {},
                                    FileSystem& fs = posixFileSystem()) {
  Repair repair(wishes.isDry ? readOnlyFileSystem() : fs, directory, wishes);
  return run(repair);
}

inline std::string verified(const std::string& directory) {
  Verification verification(readOnlyFileSystem(), directory);
  return run(verification).value();
}
inline bool isWhole(const std::string& directory) {
  return verified(directory).find(R"("end","status":"ok")") != std::string::npos;
}

// Fills segments (two of them merged) under deletions, a snapshot, and a log with records.
inline void fillForRepair(Database& database) {
  REQUIRE(database.open().ok());
  fill(database, 0);
  REQUIRE(database.compact().ok());
  fill(database, 10);
  EXPECT(database.ingest(described("logged", 7, 1) + line("same", 99, 1)).ok());
  EXPECT(database.ingest(line("m1", 50, 1)).ok());
  EXPECT(database.ingest(line("m2", 51, 1)).ok());
}

inline void flip(const std::string& path, std::size_t at) {
  ByteBuffer bytes = seriesdb::test::contentOf(path);
  bytes[at] ^= 1;
  overwrite(path, bytes);
}

}  // namespace seriesdb::test
