#include "storage/ledger/set_aside.h"

#include "common/types/file_names.h"

namespace seriesdb {
namespace {

std::string folderOf(const std::string& directory, const std::string& name) {
  const std::size_t slash = name.rfind('/');
  return slash == std::string::npos ? directory
                                    : file_names::join(directory, name.substr(0, slash));
}

// The name of a file in objects/ consists of two path components.
std::string lastNameOf(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  if (slash == std::string_view::npos) return std::string(name);
  const std::string_view last = name.substr(slash + 1);
  const bool isObject = name.starts_with(file_names::kObjectDirectory);
  const std::size_t folder = isObject ? name.rfind('/', slash - 1) + 1 : slash;
  return std::string(name.substr(folder, slash - folder)).append(last);
}

}  // namespace

Result<std::string> quarantineNameFor(FileSystem& fs, const std::string& directory,
                                      std::string_view name) {
  const std::string folder = file_names::join(directory, file_names::kQuarantineDirectory);
  Status made = fs.makeDirectory(folder);
  if (made.ok()) made = fs.syncDirectory(directory);
  if (!made.ok()) return made;
  std::string first = file_names::join(file_names::kQuarantineDirectory, lastNameOf(name));
  first.append(file_names::kDamagedSuffix);
  std::string found = first;
  for (std::uint64_t number = 1;; ++number) {
    const auto exists = fs.exists(file_names::join(directory, found));
    if (!exists.ok()) return exists.status();
    if (!exists.value()) return found;
    found = first + "." + std::to_string(number);
  }
}

Result<std::string> setAside(FileSystem& fs, const std::string& directory,
                             const std::string& name) {
  const auto aside = quarantineNameFor(fs, directory, name);
  if (!aside.ok()) return aside;
  const std::string to = file_names::join(directory, aside.value());
  Status moved = fs.rename(file_names::join(directory, name), to);
  if (moved.ok()) moved = fs.syncDirectory(folderOf(directory, aside.value()));
  if (moved.ok()) moved = fs.syncDirectory(folderOf(directory, name));
  if (!moved.ok()) return moved;
  return aside;
}

Result<std::string> keepAside(FileSystem& fs, const std::string& directory,
                              const std::string& name) {
  const std::string path = file_names::join(directory, name);
  const auto exists = fs.exists(path);
  if (!exists.ok()) return exists.status();
  if (!exists.value()) return std::string();
  const auto aside = quarantineNameFor(fs, directory, name);
  if (!aside.ok()) return aside;
  const std::string to = file_names::join(directory, aside.value());
  Status kept = fs.link(path, to);
  if (!kept.ok()) kept = copyFile(fs, path, to);
  if (kept.ok()) kept = fs.syncDirectory(folderOf(directory, aside.value()));
  if (!kept.ok()) return kept;
  return aside;
}

Status copyFile(FileSystem& fs, const std::string& from, const std::string& to) {
  const auto source = fs.openRead(from);
  if (!source.ok()) return source.status();
  auto target = fs.create(to);
  if (!target.ok()) return target.status();
  Status copied = visitPieces(*source.value(),
                              [&](Bytes piece) { return target.value()->append(piece); });
  if (copied.ok()) copied = target.value()->sync();
  if (copied.ok()) return copied;
  target.value().reset();
  static_cast<void>(fs.remove(to).ok());
  return {copied.code(), from + ": " + copied.message()};
}

}  // namespace seriesdb
