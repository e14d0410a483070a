// What a copy of a database begins with.
#pragma once

#include <memory>
#include <string>

#include "common/base/status.h"
#include "common/file/file_system.h"

namespace seriesdb {

struct CommittedFiles {
  // As long as it was when it was asked for, and then it ended with the head. Another file may come
  // to have its name, which is as good: whatever a prefix of it names is held, too.
  std::unique_ptr<ReadableFile> refs;
  std::shared_ptr<const void> hold{};  // While it is there no file of a segment goes.
};

// What is told of a name that no tag has.
Status noSnapshot(const std::string& name);

}  // namespace seriesdb
