// Reads the WAL behind its writer, in runs of whole records that fit a group.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>

#include "common/base/bytes.h"
#include "common/base/status.h"
#include "common/file/file_system.h"
#include "format/log/wal_writer.h"

namespace seriesdb {

// A place between two records of the WAL. An offset of 0 is that of a file's first record.
struct WalPlace {
  std::uint64_t file = 0;
  std::uint64_t offset = 0;
  friend auto operator<=>(const WalPlace&, const WalPlace&) = default;
};

// Records of one file that follow one another.
struct RecordRun {
  std::uint64_t file = 0;
  bool isFileBegin = false;  // The first records of the file.
  std::uint64_t firstSequence = 0;
  std::uint64_t lastSequence = 0;
  ByteBuffer records;  // Framed, as in the file.
  WalPlace end;        // Behind the last one.
  bool isFull = false;  // More records were there and did not fit.
};

// One thread at a time.
class WalTail {
 public:
  WalTail(FileSystem& fs, std::string directory, WalPlace from)
      : fs_(fs), directory_(std::move(directory)), place_(from) {}

  // The records from place() up to `settled`, as many as a group takes; nullopt: there are none.
  // Moves place() into the next file where the writer went on there. kStorageCorrupt, kIo name the
  // file.
  Result<std::optional<RecordRun>> next(const WalEnd& settled);
  // Continues behind a run.
  void moveTo(const WalPlace& place) { place_ = place; }
  const WalPlace& place() const { return place_; }

 private:
  std::string pathOf(std::uint64_t file) const;
  Result<std::optional<RecordRun>> read(const ReadableFile& file, std::uint64_t end) const;

  FileSystem& fs_;
  const std::string directory_;  // Of the WAL.
  WalPlace place_;
};

// The bytes of records from `from` up to `to`. A file that cannot be opened counts as none.
std::uint64_t walBytesBetween(FileSystem& fs, const std::string& directory, const WalPlace& from,
                              const WalEnd& to);

// Where the record with this sequence stands, or will stand as the next one; nullopt: it is in no
// file of the directory. Fails as readWalFile().
Result<std::optional<WalPlace>> placeOfSequence(FileSystem& fs, const std::string& directory,
                                                std::uint64_t sequence);

}  // namespace seriesdb
