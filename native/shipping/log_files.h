// Makes the files of a write-ahead log from the groups of a bucket.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "bucket/group.h"
#include "common/base/status.h"
#include "common/file/file_system.h"

namespace seriesdb {

// One thread at a time. All methods fail as FileSystem; after a failure the files are unfinished.
class LogFiles {
 public:
  // The state up to which the log is in segments.
  struct Floor {
    std::uint64_t file = 0;      // The first file that a start replays.
    std::uint64_t sequence = 0;  // The last record before it.
  };
  LogFiles(FileSystem& fs, std::string folder, Floor floor);

  // Makes the folder, or removes the log files in it.
  Status begin();
  // Writes the records of the next group. The bytes and the numbers of the files become those that
  // the log had where it was written. kStorageCorrupt names a group that is not of the file at the
  // floor, or leaves out a file. REQUIRES: begin() was ok; the groups come as visitGroups() gives
  // them.
  Status add(const LogGroup& group);
  // Makes all durable. If no record came, the log becomes one file that goes on behind the floor;
  // if the last one says that the log goes on in the next file, that file is made.
  Status end();

 private:
  FileSystem& fs_;
  const std::string folder_;
  const Floor floor_;
  std::uint64_t number_ = 0;            // Of the open file; 0: none yet.
  std::unique_ptr<WritableFile> file_;  // Null until the first record.
  bool isContinued_ = false;            // By the last record.
  std::uint64_t lastSequence_ = 0;
};

}  // namespace seriesdb
