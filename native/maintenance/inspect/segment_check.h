// All of one segment against what the manifest and its own directory say of it: every page is read,
// every chunk decoded.
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

// Adds what is found. Fails only with kExhausted, when nothing is known of the segment, and with
// kClosed when it was cancelled.
Status checkSegment(FileSystem& fs, const std::string& directory, const SegmentToCheck& segment,
                    FileFindings& found);

// How these values differ from those that a directory tells this of; empty where they do not.
std::string differenceFrom(const ChunkSummary& told, std::span<const double> values);

}  // namespace seriesdb
