// The chunk directory of a segment as bytes: columns, compressed. Internal to segment/.
// See docs/format/segment.md.
//
// Invariant: decodeDirectory returns entries only when every number agrees with the footer and
// with the bounds of the file, so that its callers may index the file by them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/status.h"
#include "segment/segment.h"
#include "segment/segment_format.h"

namespace seriesdb {

// Move-only, since `chunks` lies in `held`.
struct ChunkDirectory {
  ChunkDirectory() = default;
  ChunkDirectory(ChunkDirectory&&) = default;
  ChunkDirectory& operator=(ChunkDirectory&&) = default;

  std::span<ChunkEntry> chunks;       // By series, then by time; in file order.
  std::vector<ChunkEntry> held;       // These, after some that are not used.
  std::vector<SeriesRef> series;      // Strictly ascending.
  std::vector<std::uint32_t> starts;  // The first chunk of series[i]; one more at the end.
};

// REQUIRES: sorted by series then time, contiguous from kHeaderSize on; `tsMin` is the least.
void appendDirectory(ByteBuffer& out, std::span<const ChunkEntry> chunks, Timestamp tsMin);

// `bytes` are the directory's, which `footer` locates in the file at `path`.
Result<ChunkDirectory> decodeDirectory(Bytes bytes, const segment_format::Footer& footer,
                                       const std::string& path);

}  // namespace seriesdb
