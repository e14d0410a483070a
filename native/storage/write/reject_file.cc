#include "storage/write/reject_file.h"

#include <memory>

#include "common/base/clock.h"
#include "common/types/file_names.h"
#include "common/types/identity.h"

namespace seriesdb {
namespace {

// A larger file is renamed, and replaces the previous renamed one.
constexpr std::uint64_t kFileBytesMax = std::uint64_t{64} << 20;

Result<std::unique_ptr<WritableFile>> openFile(FileSystem& fs, const std::string& path) {
  const auto exists = fs.exists(path);
  if (!exists.ok()) return exists.status();
  if (!exists.value()) return fs.create(path);
  auto file = fs.openAppend(path);
  if (!file.ok() || file.value()->size() < kFileBytesMax) return file;
  Status moved = fs.rename(path, path + std::string(file_names::kOlderSuffix));
  if (!moved.ok()) return moved;
  return fs.create(path);
}

}  // namespace

Status appendRejects(FileSystem& fs, const std::string& directory,
                     const RejectedLines& lines) {
  const std::string folder = file_names::join(directory, file_names::kQuarantineDirectory);
  Status made = fs.makeDirectory(folder);
  if (!made.ok()) return made;
  const std::string path = file_names::join(folder, file_names::kRejectFile);
  auto file = openFile(fs, path);
  if (!file.ok()) return file.status();

  const std::string time = std::to_string(wallMs());
  std::string text;
  for (const RejectedLine& line : lines) {
    text += "{\"time_ms\":" + time + ",\"line\":" + std::to_string(line.line) + ",\"code\":";
    appendJsonString(text, statusName(line.code));
    text += ",\"error\":";
    appendJsonString(text, line.error);
    text += ",\"text\":";
    appendJsonString(text, line.text);
    text += "}\n";
  }
  return file.value()->append(asBytes(text));
}

}  // namespace seriesdb
