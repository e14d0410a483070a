// The checked parts of a segment's file at its opening: header, footer and directory, which all
// agree.
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

// The result of opening a file, after its whole directory was checked.
struct CheckedFile {
  segment_format::Footer footer;
  std::vector<Fence> fences;
  // The pages and kPageSlack more bytes, if the file has no pages or is not mapped; else empty.
  ByteBuffer pages;
};

// Fails as Segment::open() does.
Status checkFile(const ReadableFile& file, const SegmentFacts& facts, const std::string& path,
                 CheckedFile& checked);

}  // namespace seriesdb
