// Checks one segment completely against the manifest and its own directory: reads every page and
// decodes every chunk.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "common/base/status.h"
#include "common/file/file_system.h"
#include "format/segment/segment.h"
#include "maintenance/inspect/file_findings.h"

namespace seriesdb {

struct SegmentToCheck {
  const SegmentFacts& facts;
  const std::function<bool()>& isCancelled;
};

// Adds its findings to `found`. Fails only with kExhausted, if the segment could not be examined,
// and with kClosed, if cancelled.
Status checkSegment(FileSystem& fs, const std::string& directory, const SegmentToCheck& segment,
                    FileFindings& found);

// How these values differ from the directory's summary of them; empty if they agree.
std::string differenceFrom(const ChunkSummary& told, std::span<const double> values);

}  // namespace seriesdb
