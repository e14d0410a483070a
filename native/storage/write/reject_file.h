// The file of lines that lenient requests rejected: one JSON object per line with time, line
// number, code, reason and the text.
#pragma once

#include <string>
#include <vector>

#include "common/base/status.h"
#include "common/file/file_system.h"
#include "ingest/staged_samples.h"

namespace seriesdb {

// Appends the lines; creates directory and file if missing. A file of 64 MiB is first renamed to
// NAME.1, replacing the previous one. The file is not synced, because it is only a help.
Status appendRejects(FileSystem& fs, const std::string& directory,
                     const RejectedLines& lines);

}  // namespace seriesdb
