// The fixed parts of a segment file: header, footer and the sizes that bound it. See
// docs/format/segment.md. Internal to segment/.
//
// Invariants: parseHeader and parseFooter trust no byte. A matching CRC covers their results, but
// the caller must check the numbers against the file and the manifest.
#pragma once

#include <cstdint>
#include <string>

#include "common/base/bytes.h"
#include "common/base/status.h"
#include "common/types/sample.h"

namespace seriesdb::segment_format {

// kVersion is the version that is written. Three older versions are readable. Version 3 has no bare
// chunks. Versions below 3 have a directory in columns of all chunks, which is read whole
// (chunk_columns.h). Version 1 has no rests of sums.
inline constexpr std::uint32_t kVersion = 4;
inline constexpr std::uint32_t kBareVersion = 4;
inline constexpr std::uint32_t kPagesVersion = 3;
inline constexpr std::uint32_t kRestsVersion = 2;
inline constexpr std::size_t kHeaderSize = 24;
inline constexpr std::size_t kFooterSizeMin = 80;
inline constexpr std::size_t kFooterSize = 160;

constexpr std::size_t footerSizeOf(std::uint32_t version) {
  return version < kPagesVersion ? kFooterSizeMin : kFooterSize;
}

// Opening a file checks counts and times against the directory and the manifest.
struct Footer {
  std::uint32_t version = kVersion;   // 1 to kVersion, as in the header.
  std::uint64_t directoryOffset = 0;  // The file offset of its first byte; kHeaderSize or more.
  // Up to the footer: the columns, or the pages and their fences.
  std::uint64_t directorySize = 0;
  // From 1; below 2^32, because a chunk's place in the directory has 32 bits.
  std::uint64_t chunkCount = 0;
  std::uint64_t sampleCount = 0;  // Sum over all chunks; each has 1 to kChunkSamplesMax.
  // The least timestamp of all samples; the database's unit; inclusive.
  Timestamp tsMin = 0;
  Timestamp tsMax = 0;  // The greatest one; inclusive; not before tsMin.
  // The last WAL record that samples came with; up to kSequenceMax.
  std::uint64_t sequenceMax = 0;
  std::uint32_t seriesCount = 0;  // 1 to chunkCount.
  // With pages, it covers the fences only; these have the pages' CRCs.
  std::uint32_t directoryCrc = 0;
  std::uint32_t pageCount = 0;  // From 1, all full but the last; 0 before kPagesVersion.
};

void appendHeader(ByteBuffer& out, std::uint64_t number);

// Appends the footer in its version and returns its CRC. The footer contains the directory's CRC,
// so this number covers both: it is the manifest's `fileCrc`.
std::uint32_t appendFooter(ByteBuffer& out, const Footer& footer);

// The segment number in an unchecked header. REQUIRES: header.size() == kHeaderSize
std::uint64_t numberIn(Bytes header);
// True if the header is sound and of a version above kVersion. REQUIRES: header.size() ==
// kHeaderSize
bool isLaterHeader(Bytes header);
// Checks magic, version, number and CRC; returns the version. REQUIRES: header.size() ==
// kHeaderSize
Result<std::uint32_t> checkHeader(Bytes header, std::uint64_t number, const std::string& path);

struct ParsedFooter {
  Footer footer;
  std::uint32_t crc = 0;
};
// The offset of a footer in its file, and the version from the file's header.
struct FooterPlace {
  std::uint64_t at;
  std::uint32_t version;
};
// REQUIRES: bytes.size() == footerSizeOf(place.version); place.at >= kHeaderSize
Result<ParsedFooter> parseFooter(Bytes bytes, FooterPlace place, const std::string& path);

// kStorageCorrupt with the message "<path> at offset <offset>: <what>".
Status damage(const std::string& path, std::uint64_t offset, std::string_view what);

}  // namespace seriesdb::segment_format
