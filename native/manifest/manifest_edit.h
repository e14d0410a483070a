// One manifest record: its bytes, and what it does to the state. See docs/format/manifest.md.
//
// Invariant: what appendManifestRecord writes, parseManifestRecord returns; it refuses other bytes.
#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "base/status.h"
#include "manifest/manifest.h"

namespace seriesdb {

// On disk: do not renumber. There is one type of record: a snapshot is an edit of the empty state.
inline constexpr std::uint8_t kManifestEditType = 1;

struct ManifestRecord {
  ManifestEdit edit;
  std::uint64_t nextSegment = 0;  // Of the state after the edit.
};

// All that is known of a segment, and of a class: the commits' trees hold them in the same words.
// A read that returns false met other bytes.
void appendSegmentFacts(ByteBuffer& out, const SegmentFacts& facts);
bool readSegmentFacts(ByteReader& reader, SegmentFacts& facts);
void appendCompactionClass(ByteBuffer& out, const CompactionClass& one);
bool readCompactionClass(ByteReader& reader, CompactionClass& one);

void appendManifestRecord(ByteBuffer& out, const ManifestRecord& record);
// kStorageCorrupt for bytes that appendManifestRecord cannot have written.
Result<ManifestRecord> parseManifestRecord(Bytes payload);

// The record that makes `state` out of the empty state.
ManifestRecord snapshotRecord(const ManifestState& state);

// Changes the state as the edit says. kInvalidArgument when the edit adds a number that is there,
// removes one that is not, or lowers a floor; the state is then to be thrown away.
Status applyEdit(ManifestState& state, const ManifestEdit& edit);

}  // namespace seriesdb
