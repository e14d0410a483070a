#include "base/file_system.h"

namespace seriesdb {
namespace {

Status writeWhole(FileSystem& fs, const std::string& path, Bytes bytes) {
  auto file = fs.create(path);
  if (!file.ok()) return file.status();
  Status appended = file.value()->append(bytes);
  if (!appended.ok()) return appended;
  return file.value()->sync();
}

}  // namespace

// A crash leaves either the old file or the new one. The name of the temporary file is fixed, so
// that what a crash leaves behind is found and removed by the next replacement.
Status replaceFile(FileSystem& fs, const std::string& directory, const std::string& name,
                   Bytes bytes) {
  const std::string path = directory + "/" + name;
  const std::string temporary = path + ".tmp";
  const auto isLeftOver = fs.exists(temporary);
  if (!isLeftOver.ok()) return isLeftOver.status();
  if (isLeftOver.value()) {
    Status removed = fs.remove(temporary);
    if (!removed.ok()) return removed;
  }

  Status published = writeWhole(fs, temporary, bytes);
  if (published.ok()) published = fs.rename(temporary, path);
  if (!published.ok()) {
    // Its failure adds nothing to the one we report, and the next replacement tries again.
    static_cast<void>(fs.remove(temporary));
    return published;
  }
  return fs.syncDirectory(directory);
}

}  // namespace seriesdb
