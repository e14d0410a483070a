#include "storage/write/reject_writer.h"

#include <utility>

#include "storage/write/reject_file.h"

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
