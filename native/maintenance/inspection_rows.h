// Rows of an inspection as lines of JSON: chunks and WAL records, and parts of other rows.
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
// The sum over its segments.
std::uint64_t sampleCountOf(const ManifestState& state);
// Adds the segment's partition, if it has one.
void printPlace(const SegmentFacts& facts, JsonLine& line);
// Appends a row to `piece`. `segment` is the number of the chunk's segment.
void printChunk(std::uint64_t segment, const ChunkEntry& chunk, std::string& piece);
// `file` is the name of the WAL file.
void printRecord(const std::string& file, const LogRecord& record, std::string& piece);

}  // namespace seriesdb
