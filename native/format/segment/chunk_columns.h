// The directory of segments before version 3: columns of all chunks, compressed, that are read
// whole. Internal to segment/. See docs/format/segment.md.
//
// Invariant: decodeColumns returns entries only when every number agrees with the footer and
// with the bounds of the file, so that its callers may index the file by them.
#pragma once

#include <string>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/status.h"
#include "format/segment/segment.h"
#include "format/segment/segment_format.h"

namespace seriesdb {

// `bytes` are the directory's, which `footer` locates in the file at `path`.
// By series, then by time; in file order.
Result<std::vector<ChunkEntry>> decodeColumns(Bytes bytes, const segment_format::Footer& footer,
                                              const std::string& path);

}  // namespace seriesdb
