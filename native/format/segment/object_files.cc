#include "format/segment/object_files.h"

#include "common/types/file_names.h"

namespace seriesdb {

Result<std::vector<ObjectFile>> objectFilesIn(FileSystem& fs, const std::string& directory) {
  std::vector<ObjectFile> found;
  const std::string objects = file_names::join(directory, file_names::kObjectDirectory);
  const auto isThere = fs.exists(objects);
  if (!isThere.ok()) return isThere.status();
  if (!isThere.value()) return found;
  const auto folders = fs.list(objects);
  if (!folders.ok()) return folders.status();
  for (const std::string& folder : folders.value()) {
    const bool isUnfinished = folder == file_names::kUnfinishedObjectDirectory;
    if (!isUnfinished && !file_names::isObjectFolder(folder)) continue;
    const auto names = fs.list(file_names::join(objects, folder));
    if (!names.ok()) return names.status();
    const std::string in = file_names::join(file_names::kObjectDirectory, folder);
    for (const std::string& name : names.value()) {
      const auto hash = isUnfinished ? std::nullopt : file_names::objectHash(folder, name);
      if (!hash && !(isUnfinished && file_names::unfinishedObjectNumber(name))) continue;
      found.push_back({file_names::join(in, name), hash});
    }
  }
  return found;
}

}  // namespace seriesdb
