#include "storage/write/reject_writer.h"

#include <memory>
#include <string>
#include <utility>

#include "common/base/clock.h"
#include "common/types/file_names.h"
#include "common/types/identity.h"

namespace seriesdb {
namespace {

// The maximum bytes of waiting lines.
constexpr std::uint64_t kHeldBytesMax = std::uint64_t{32} << 20;

std::uint64_t sizeOf(const RejectedLines& lines) {
  std::uint64_t size = 0;
  for (const RejectedLine& line : lines) {
    size += sizeof line + line.text.size() + line.error.size();
  }
  return size;
}

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

// Appends the lines; creates directory and file if missing. One JSON object per line has time, line
// number, code, reason and the text. The file is not synced, because it is only a help.
Status appendRejects(FileSystem& fs, const std::string& directory, const RejectedLines& lines) {
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

}  // namespace

RejectWriter::RejectWriter(FileSystem& fs, std::string directory, Counters& counters)
    : fs_(fs), directory_(std::move(directory)), counters_(counters) {}

void RejectWriter::add(RejectedLines lines) {
  const std::uint64_t count = lines.size();
  const std::uint64_t size = sizeOf(lines);
  const std::uint64_t held = heldBytes_.fetch_add(size, std::memory_order_relaxed);
  // An empty queue accepts lines of any size.
  const bool hasRoom = held == 0 || held + size <= kHeldBytesMax;
  auto task = [this, size, lines = std::move(lines)] {
    write(lines);
    heldBytes_.fetch_sub(size, std::memory_order_relaxed);
  };
  if (hasRoom && thread_.post(std::move(task))) return;
  heldBytes_.fetch_sub(size, std::memory_order_relaxed);
  counters_.rejectsWriteFailed.fetch_add(count, std::memory_order_relaxed);
}

void RejectWriter::stop() { thread_.stop(); }

void RejectWriter::write(const RejectedLines& lines) {
  const Status written = appendRejects(fs_, directory_, lines);
  auto& counter = written.ok() ? counters_.rejectsWritten : counters_.rejectsWriteFailed;
  counter.fetch_add(lines.size(), std::memory_order_relaxed);
}

}  // namespace seriesdb
