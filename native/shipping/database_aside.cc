#include "shipping/database_aside.h"

#include <array>
#include <cstdint>

#include "common/types/file_names.h"

namespace seriesdb {
namespace {

// What makes a directory a database, in the order in which it is moved. Without ROOT no program
// opens the rest.
constexpr std::array kDatabaseNames = {
    file_names::kRoot,
    file_names::kManifest,
    file_names::kCatalog,
    file_names::kAnnotations,
    file_names::kRefs,
    file_names::kTagsParent,
    file_names::kWalDirectory,
    file_names::kSegmentDirectory,
    file_names::kObjectDirectory,
};
constexpr std::size_t kAsideNonceBytes = 4;

std::string asideFolder(const ProcessNonce& nonce) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string name(file_names::kAsidePrefix);
  for (std::size_t i = 0; i < kAsideNonceBytes; ++i) {
    name.push_back(kDigits[nonce[i] >> 4]);
    name.push_back(kDigits[nonce[i] & 15]);
  }
  return file_names::join(file_names::kQuarantineDirectory, name);
}

// A free path in the folder: that of the name, or with the first free number.
Result<std::string> freePathAside(FileSystem& fs, const std::string& folder,
                                  std::string_view name) {
  const std::string first = file_names::join(folder, name);
  std::string path = first;
  for (std::uint64_t number = 1;; ++number) {
    const auto exists = fs.exists(path);
    if (!exists.ok()) return exists.status();
    if (!exists.value()) return path;
    path = first + "." + std::to_string(number);
  }
}

Status moveAside(FileSystem& fs, const std::string& directory, const std::string& folder,
                 std::string_view name) {
  const std::string path = file_names::join(directory, name);
  const auto exists = fs.exists(path);
  if (!exists.ok() || !exists.value()) return exists.status();
  Status moved = fs.makeDirectory(folder);
  if (!moved.ok()) return moved;
  const auto to = freePathAside(fs, folder, name);
  if (!to.ok()) return to.status();
  moved = fs.rename(path, to.value());
  if (moved.ok()) moved = fs.syncDirectory(folder);
  return moved.ok() ? fs.syncDirectory(directory) : moved;
}

}  // namespace

Status setDatabaseAside(FileSystem& fs, const std::string& directory, const ProcessNonce& nonce) {
  const std::string folder = file_names::join(directory, asideFolder(nonce));
  for (const std::string_view name : kDatabaseNames) {
    if (Status moved = moveAside(fs, directory, folder, name); !moved.ok()) return moved;
  }
  return {};
}

Result<std::vector<std::string>> objectFoldersAside(FileSystem& fs, const std::string& directory) {
  std::vector<std::string> found;
  const std::string quarantine = file_names::join(directory, file_names::kQuarantineDirectory);
  const auto isAny = fs.exists(quarantine);
  if (!isAny.ok()) return isAny.status();
  if (!isAny.value()) return found;
  const auto folders = fs.list(quarantine);
  if (!folders.ok()) return folders.status();
  for (const std::string& one : folders.value()) {
    if (!one.starts_with(file_names::kAsidePrefix)) continue;
    const std::string folder = file_names::join(quarantine, one);
    const auto names = fs.list(folder);
    if (!names.ok()) continue;  // A file of somebody else.
    for (const std::string& name : names.value()) {
      if (name.starts_with(file_names::kObjectDirectory)) {
        found.push_back(file_names::join(folder, name));
      }
    }
  }
  return found;
}

}  // namespace seriesdb
