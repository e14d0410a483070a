// Backups of an engine's directory to a store in memory, and what comes back from there.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "maintenance/backup_fixture.h"
#include "bucket/bucket_fixture.h"
#include "maintenance/bucket/backup.h"
#include "maintenance/bucket/opening.h"
#include "maintenance/verification.h"

namespace seriesdb::test {

inline constexpr std::string_view kUrl = "s3://name/prefix";

struct BucketFixture {
  MemoryStore store;
  TestPauser pauser;
  StoreSession session{store, pauser, 1};
  std::size_t keep = 1;
  UploadSizes sizes{};

  std::unique_ptr<JsonReader> backupOf(Database& database, FileSystem& fs = posixFileSystem()) {
    return backUpToBucket(
        BucketBackupSource{&fs, database.options.directory, database.engine().root(),
                           [&database] { return database.engine().holdFiles(); }},
        BucketBackupTarget{&store, &pauser, std::string(kUrl), "node-a", keep, sizes});
  }

  Result<std::string> backUp(Database& database, FileSystem& fs = posixFileSystem()) {
    CHECK(database.flush().ok());
    const auto backup = backupOf(database, fs);
    return run(*backup);
  }

  Result<std::string> restore(const std::string& target, std::optional<std::uint64_t> entry = {},
                              std::optional<std::string> snapshot = {}) {
    auto opened = openBucket(session, {std::string(kUrl), entry});
    if (!opened.ok()) return opened.status();
    Restore restore(*opened.value().files, std::string(kUrl), std::move(snapshot),
                    posixFileSystem(), target);
    return run(restore);
  }

  // The content of a database restored from an entry, or the failure.
  Result<std::string> content(std::optional<std::uint64_t> entry = {},
                              std::optional<std::string> snapshot = {}) {
    const std::string target = freshPath("restored");
    const auto told = restore(target, entry, std::move(snapshot));
    if (!told.ok()) return told;
    if (!isIn(R"("kind":"end","status":"ok")", told)) return Status::corrupt(told.value());
    std::string found = contentIn(target);
    files::remove_all(target);
    return found;
  }

  Result<std::string> verify() {
    auto opened = openBucket(session, {std::string(kUrl), {}});
    if (!opened.ok()) return opened.status();
    Verification verification(*opened.value().files, std::string(kUrl));
    return run(verification);
  }

  std::size_t countIn(std::string_view prefix) const {
    std::size_t count = 0;
    for (const auto& [key, bytes] : objects()) count += key.starts_with(prefix) ? 1 : 0;
    return count;
  }
  const MemoryStore::Objects& objects() const { return const_cast<MemoryStore&>(store).objects(); }
};

inline std::uint64_t entryIn(const Result<std::string>& told) {
  constexpr std::string_view kName = R"("entry":)";
  if (!told.ok()) return 0;
  const std::size_t at = told.value().find(kName);
  return at == std::string::npos ? 0 : std::stoull(told.value().substr(at + kName.size()));
}

}  // namespace seriesdb::test
