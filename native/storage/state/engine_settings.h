// What the operator sets, and facts about the directory. Only open, recovery and close change
// members other than the limits.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "common/file/file_system.h"
#include "common/types/file_names.h"
#include "storage/ledger/root_file.h"
#include "storage/state/engine_options.h"
#include "storage/state/live_limits.h"
#include "storage/state/log_copy.h"

namespace seriesdb {

// Any thread, after opening. Must outlive every other owner of state.
struct EngineSettings {
  EngineSettings(FileSystem& fileSystem, const EngineOptions& engineOptions)
      : fs(fileSystem),
        options(engineOptions),
        limits(engineOptions),
        historyKeepMs(engineOptions.historyKeepMs) {}

  // The path of a file of the database.
  std::string path(std::string_view name) const {
    return file_names::join(options.directory, name);
  }

  // The first WAL file that a start or the copy of the WAL needs, by what a start needs.
  std::uint64_t walFloor(std::uint64_t floor) const {
    return options.copy ? std::min(floor, options.copy->firstFileNeeded()) : floor;
  }

  FileSystem& fs;
  const EngineOptions options;  // Its limits are the initial ones; see `limits`.
  LiveLimits limits;
  std::atomic<std::uint64_t> historyKeepMs;  // Copied from `limits`, for the ledger.
  std::unique_ptr<DirectoryLock> lock;  // Null if another engine holds the lock, and once closed.
  RootFacts root;                       // Constant after opening.
};

}  // namespace seriesdb
