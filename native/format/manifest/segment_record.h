// What records say of a segment, and of a class of segments: in MANIFEST, and in the same words in
// the trees of commits. See docs/format/manifest.md.
//
// A read that returns false met bytes that its writer cannot have written.
#pragma once

#include "common/base/bytes.h"
#include "format/manifest/manifest.h"

namespace seriesdb {

inline constexpr std::size_t kSegmentFactsSizeMin = 12;  // Eight varints and a checksum.

// What every version of a record has of it,
void appendFacts(ByteBuffer& out, const SegmentFacts& facts);
bool readFacts(ByteReader& reader, SegmentFacts& facts);
// what versions from 4 on have behind that,
void appendPlace(ByteBuffer& out, const SegmentFacts& facts);
bool readPlace(ByteReader& reader, SegmentFacts& facts, bool mayHaveHash);
// whether there is any of it,
bool hasPlace(const SegmentFacts& facts);
// and all that is known of it.
void appendSegmentFacts(ByteBuffer& out, const SegmentFacts& facts);
bool readSegmentFacts(ByteReader& reader, SegmentFacts& facts);

void appendCompactionClass(ByteBuffer& out, const CompactionClass& one);
bool readCompactionClass(ByteReader& reader, CompactionClass& one);

}  // namespace seriesdb
