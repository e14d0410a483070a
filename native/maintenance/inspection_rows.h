// Rows of an inspection, a line of JSON each: of a chunk and of a record of the log, and parts of
// others.
#pragma once

#include <cstdint>
#include <string>

#include "format/manifest/manifest.h"
#include "format/objects/commit.h"
#include "format/segment/segment.h"
#include "maintenance/inspect/json_line.h"
#include "maintenance/inspect/wal_record.h"

namespace seriesdb {

const char* reasonName(CommitReason reason);
// Of its segments.
std::uint64_t sampleCountOf(const ManifestState& state);
// Where compaction has the segment.
void printPlace(const SegmentFacts& facts, JsonLine& line);
// Appends a row to `piece`. `segment` is the number of the chunk's.
void printChunk(std::uint64_t segment, const ChunkEntry& chunk, std::string& piece);
// Of the log file of that name.
void printRecord(const std::string& file, const LogRecord& record, std::string& piece);

}  // namespace seriesdb
