// The directory of segments before version 3: compressed columns of all chunks, which are read
// whole. Internal to segment/. See docs/format/segment.md.
//
// Invariant: decodeColumns returns entries only if every number agrees with the footer and the
// bounds of the file. So callers may index the file by them.
#pragma once

#include <string>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/status.h"
#include "format/segment/segment.h"
#include "format/segment/segment_format.h"

namespace seriesdb {

// Decodes the directory's `bytes`, which `footer` locates in the file at `path`. The entries are
// ordered by series, then by time, as in the file.
Result<std::vector<ChunkEntry>> decodeColumns(Bytes bytes, const segment_format::Footer& footer,
                                              const std::string& path);

}  // namespace seriesdb
