#include <algorithm>

#include "common/file/file_system.h"

namespace seriesdb {
namespace {

constexpr std::size_t kPieceSize = std::size_t{1} << 20;

Status writeWhole(FileSystem& fs, const std::string& path, Bytes bytes) {
  auto file = fs.create(path);
  if (!file.ok()) return file.status();
  Status appended = file.value()->append(bytes);
  if (!appended.ok()) return appended;
  return file.value()->sync();
}

}  // namespace

Status visitPieces(const ReadableFile& file, const std::function<Status(Bytes piece)>& visit) {
  ByteBuffer piece;
  for (std::uint64_t at = 0; at < file.size(); at += piece.size()) {
    piece.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kPieceSize, file.size() - at)));
    Status done = file.read(at, piece);
    if (done.ok()) done = visit(piece);
    if (!done.ok()) return done;
  }
  return {};
}

Status removeLeftover(FileSystem& fs, const std::string& path) {
  const auto exists = fs.exists(path);
  if (!exists.ok()) return exists.status();
  return exists.value() ? fs.remove(path) : Status();
}

// A crash leaves either the old file or the new one. The name of the temporary file is fixed, so
// the next replacement finds and removes the leftover of a crash.
Status replaceFile(FileSystem& fs, const std::string& directory, const std::string& name,
                   Bytes bytes) {
  const std::string path = directory + "/" + name;
  const std::string temporary = path + std::string(kTemporarySuffix);
  if (Status removed = removeLeftover(fs, temporary); !removed.ok()) return removed;

  Status published = writeWhole(fs, temporary, bytes);
  if (published.ok()) published = fs.rename(temporary, path);
  if (!published.ok()) {
    // Ignore this failure: the first one is reported, and the next replacement tries again.
    static_cast<void>(fs.remove(temporary));
    return published;
  }
  return fs.syncDirectory(directory);
}

}  // namespace seriesdb
