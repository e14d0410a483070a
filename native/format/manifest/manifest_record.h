// The bytes of one record of MANIFEST. See docs/format/manifest.md.
//
// Invariant: parseManifestRecord returns the record that appendManifestRecord wrote, and refuses
// any other bytes.
#pragma once

#include <cstdint>

#include "common/base/bytes.h"
#include "common/base/status.h"
#include "format/manifest/manifest.h"

namespace seriesdb {

// On disk: do not renumber. There is one type of record: a snapshot is an edit of the empty state.
inline constexpr std::uint8_t kManifestEditType = 1;

struct ManifestRecord {
  ManifestEdit edit;
  std::uint64_t nextSegment = 0;  // ManifestState::nextSegment after the edit.
};

void appendManifestRecord(ByteBuffer& out, const ManifestRecord& record);
// kStorageCorrupt for bytes that appendManifestRecord cannot have written.
Result<ManifestRecord> parseManifestRecord(Bytes payload);

// The record that turns the empty state into `state`.
ManifestRecord snapshotRecord(const ManifestState& state);

}  // namespace seriesdb
