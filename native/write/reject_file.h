// The file of lines that lenient requests rejected: one JSON object a line with time, line number,
// code, reason and the text itself.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "file/file_system.h"
#include "ingest/staged_samples.h"

namespace seriesdb {

// Appends the lines; makes the directory and file when missing. A file that has grown to 64 MiB is
// renamed to NAME.1 first, in place of the one before. Not synced: it is a help, not a record.
Status appendRejects(FileSystem& fs, const std::string& directory,
                     const RejectedLines& lines);

}  // namespace seriesdb
