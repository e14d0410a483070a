// The files from which a copy of a database starts.
#pragma once

#include <memory>
#include <string>

#include "common/base/status.h"
#include "common/file/file_system.h"

namespace seriesdb {

struct CommittedFiles {
  // REFS at its length of the request, whose last record was the head. If another file takes its
  // name, that is as good: everything that a prefix names is held, too.
  std::unique_ptr<ReadableFile> refs;
  std::shared_ptr<const void> hold{};  // While it exists, no segment file is removed.
};

// The error for a name without a tag.
Status noSnapshot(const std::string& name);

}  // namespace seriesdb
