// A segment's file when it was opened: header, footer and directory, which all agree.
#pragma once

#include <string>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/status.h"
#include "common/file/file_system.h"
#include "format/segment/page_directory.h"
#include "format/segment/segment.h"
#include "format/segment/segment_format.h"

namespace seriesdb {

// The facts of a file since its opening, when all of its directory was checked.
struct CheckedFile {
  segment_format::Footer footer;
  std::vector<Fence> fences;
  // The pages, and kPageSlack more bytes, where the file has none or is not mapped; else empty.
  ByteBuffer pages;
};

// Fails as Segment::open() does.
Status checkFile(const ReadableFile& file, const SegmentFacts& facts, const std::string& path,
                 CheckedFile& checked);

}  // namespace seriesdb
