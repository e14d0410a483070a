// The encoding of a segment's facts and of a compaction class, the same in MANIFEST and in the
// trees of commits. See docs/format/manifest.md.
//
// A read function returns false if its writer cannot have written the bytes.
#pragma once

#include "common/base/bytes.h"
#include "format/manifest/manifest.h"

namespace seriesdb {

inline constexpr std::size_t kSegmentFactsSizeMin = 12;  // Eight varints and a checksum.

// The facts that every record version has.
void appendFacts(ByteBuffer& out, const SegmentFacts& facts);
bool readFacts(ByteReader& reader, SegmentFacts& facts);
// The facts that versions from 4 on add.
void appendPlace(ByteBuffer& out, const SegmentFacts& facts);
bool readPlace(ByteReader& reader, SegmentFacts& facts, bool mayHaveHash);
// True if the segment has any facts of version 4.
bool hasPlace(const SegmentFacts& facts);
// All facts: appendFacts and appendPlace.
void appendSegmentFacts(ByteBuffer& out, const SegmentFacts& facts);
bool readSegmentFacts(ByteReader& reader, SegmentFacts& facts);

void appendCompactionClass(ByteBuffer& out, const CompactionClass& one);
bool readCompactionClass(ByteReader& reader, CompactionClass& one);

}  // namespace seriesdb
