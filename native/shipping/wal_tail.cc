#include "shipping/wal_tail.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "bucket/group.h"
#include "common/types/file_names.h"
#include "format/log/log_frame.h"
#include "format/log/wal_reader.h"

namespace seriesdb {
namespace {

std::uint64_t offsetIn(const WalPlace& place) {
  return std::max<std::uint64_t>(place.offset, log_frame::kHeaderSize);
}

std::uint64_t sequenceAt(Bytes records, std::size_t at) {
  return loadLe<std::uint64_t>(records.data() + at + log_frame::kSequenceOffset);
}

Status cutShort() { return Status::corrupt("a record is cut short"); }

// The size of the record at `offset`, which ends before `end`.
Result<std::uint64_t> sizeAt(const ReadableFile& file, std::uint64_t offset, std::uint64_t end) {
  std::array<std::uint8_t, log_frame::kPayloadOffset> head;
  if (end - offset < head.size()) return cutShort();
  if (Status read = file.read(offset, head); !read.ok()) return read;
  const std::uint64_t size =
      head.size() + std::uint64_t{loadLe<std::uint32_t>(head.data() + log_frame::kLengthOffset)};
  if (size > end - offset) return cutShort();
  return size;
}

std::vector<std::uint64_t> walFiles(FileSystem& fs, const std::string& directory) {
  std::vector<std::uint64_t> numbers;
  const auto names = fs.list(directory);
  if (!names.ok()) return numbers;
  for (const std::string& name : names.value()) {
    if (const auto number = file_names::walNumber(name)) numbers.push_back(*number);
  }
  std::ranges::sort(numbers);
  return numbers;
}

}  // namespace

std::string WalTail::pathOf(std::uint64_t file) const {
  return file_names::join(directory_, file_names::walFile(file));
}

Result<std::optional<RecordRun>> WalTail::next(const WalEnd& settled) {
  while (place_.file <= settled.number) {
    const bool isCurrent = place_.file == settled.number;
    if (isCurrent && offsetIn(place_) >= settled.size) break;
    const std::string path = pathOf(place_.file);
    const auto file = fs_.openRead(path);
    if (!file.ok()) return file.status();
    const std::uint64_t end = isCurrent ? settled.size : file.value()->size();
    if (offsetIn(place_) >= end) {
      place_ = {place_.file + 1, 0};
      continue;
    }
    auto run = read(*file.value(), end);
    if (!run.ok()) return Status(run.status().code(), path + ": " + run.status().message());
    return run;
  }
  return std::optional<RecordRun>();
}

Result<std::optional<RecordRun>> WalTail::read(const ReadableFile& file, std::uint64_t end) const {
  const std::uint64_t offset = offsetIn(place_);
  RecordRun run;
  run.file = place_.file;
  run.isFileBegin = offset == log_frame::kHeaderSize;
  const std::uint64_t most = std::min<std::uint64_t>(end - offset, kGroupSizeMax);
  run.records.resize(static_cast<std::size_t>(most));
  if (Status read = file.read(offset, run.records); !read.ok()) return read;
  std::size_t size = 0;
  std::size_t last = 0;
  while (const auto one = log_frame::plausibleSize(run.records, size)) {
    last = size;
    size += *one;
  }
  if (size == 0) {
    const auto one = sizeAt(file, offset, end);
    if (!one.ok()) return one.status();
    if (one.value() > kGroupRecordSizeMax) return Status::corrupt("a record is too large");
    size = static_cast<std::size_t>(one.value());
    run.records.resize(size);
    if (Status read = file.read(offset, run.records); !read.ok()) return read;
  }
  run.records.resize(size);
  run.firstSequence = sequenceAt(run.records, 0);
  run.lastSequence = sequenceAt(run.records, last);
  run.end = {run.file, offset + size};
  run.isFull = run.end.offset < end;
  return std::optional(std::move(run));
}

std::uint64_t walBytesBetween(FileSystem& fs, const std::string& directory, const WalPlace& from,
                              const WalEnd& to) {
  std::uint64_t bytes = 0;
  for (std::uint64_t file = from.file; file <= to.number; ++file) {
    const std::uint64_t begin = file == from.file ? offsetIn(from) : log_frame::kHeaderSize;
    std::uint64_t end = to.size;
    if (file < to.number) {
      const auto opened = fs.openRead(file_names::join(directory, file_names::walFile(file)));
      end = opened.ok() ? opened.value()->size() : 0;
    }
    bytes += end - std::min(begin, end);
  }
  return bytes;
}

Result<std::optional<WalPlace>> placeOfSequence(FileSystem& fs, const std::string& directory,
                                                std::uint64_t sequence) {
  for (const std::uint64_t number : walFiles(fs, directory)) {
    const std::string path = file_names::join(directory, file_names::walFile(number));
    std::optional<WalPlace> found;
    const auto report = readWalFile(fs, path, number, [&](const LogRecord& record) -> Status {
      if (record.sequence == sequence) {
        found = WalPlace{number, record.offset - log_frame::kPayloadOffset};
      }
      return {};
    });
    if (!report.ok()) return report.status();
    const LogReadReport& log = report.value().log;
    if (found) return found;
    if (log.recordCount > 0 && log.lastSequence + 1 == sequence) {
      found = WalPlace{number, log.validSize};
    }
    // The next file begins with this record if this one says that it goes on there.
    if (found && !report.value().isContinued) return found;
  }
  return std::optional<WalPlace>();
}

}  // namespace seriesdb
