// All that the commits of a database are made of, as files.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "base/file_system.h"
#include "base/sha256.h"
#include "base/status.h"

namespace seriesdb {

struct CommittedFiles {
  std::map<Sha256, std::uint64_t> segments;  // What the head and all tags need, and their sizes.
  std::unique_ptr<ReadableFile> refs;        // Up to the head, which is its last move.
  std::shared_ptr<const void> hold{};        // While it is there no file of a segment goes.
};

// What is told of a name that no tag has.
Status noSnapshot(const std::string& name);

}  // namespace seriesdb
