// The fixed parts of a segment file: its header, its footer and the sizes that bound it.
// See docs/format/segment.md. Internal to segment/.
//
// Invariants: parseHeader and parseFooter trust no byte; what they return was covered by a CRC
// that matched, but the numbers are still to be checked against the file and the manifest.
#pragma once

#include <cstdint>
#include <string>

#include "common/base/bytes.h"
#include "common/base/status.h"
#include "common/types/sample.h"

namespace seriesdb::segment_format {

// What is written. Three older versions are read, too: in version 3 no chunk is bare; before, the
// directory is in columns of all chunks, which are read whole (chunk_columns.h), in version 1
// without the rests of sums.
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

// Counts and times are held against the directory when a file is opened, and against the manifest.
struct Footer {
  std::uint32_t version = kVersion;   // 1 to kVersion, the header's.
  std::uint64_t directoryOffset = 0;  // Of its first byte in the file; kHeaderSize or more.
  std::uint64_t directorySize = 0;    // Up to the footer. With pages, these and their fences.
  // From 1; below 2^32, since a chunk's place in the directory has 32 bits.
  std::uint64_t chunkCount = 0;
  std::uint64_t sampleCount = 0;   // Of all chunks, each of which has 1 to kChunkSamplesMax.
  Timestamp tsMin = 0;             // Of all samples; the database's unit; inclusive.
  Timestamp tsMax = 0;             // The same; not before tsMin.
  std::uint64_t sequenceMax = 0;   // The last record that samples came with; up to kSequenceMax.
  std::uint32_t seriesCount = 0;   // 1 to chunkCount.
  std::uint32_t directoryCrc = 0;  // With pages, of the fences, which have the pages' own.
  std::uint32_t pageCount = 0;     // From 1, all full but the last; 0 before kPagesVersion.
};

void appendHeader(ByteBuffer& out, std::uint64_t number);

// Appends the footer in its version and returns its CRC. As the footer holds the CRC of the
// directory, this one number stands for both: it is the `fileCrc` of the manifest.
std::uint32_t appendFooter(ByteBuffer& out, const Footer& footer);

// What it says, if it is one. REQUIRES: header.size() == kHeaderSize
std::uint64_t numberIn(Bytes header);
// Whether it is sound, and of a version after kVersion. REQUIRES: header.size() == kHeaderSize
bool isLaterHeader(Bytes header);
// Checks magic, version, number and CRC; gives the version. REQUIRES: header.size() == kHeaderSize
Result<std::uint32_t> checkHeader(Bytes header, std::uint64_t number, const std::string& path);

struct ParsedFooter {
  Footer footer;
  std::uint32_t crc = 0;
};
// Where a footer begins in its file, and the version that the file's header has.
struct FooterPlace {
  std::uint64_t at;
  std::uint32_t version;
};
// REQUIRES: bytes.size() == footerSizeOf(place.version); place.at >= kHeaderSize
Result<ParsedFooter> parseFooter(Bytes bytes, FooterPlace place, const std::string& path);

// "<path> at offset <offset>: <what>", as kStorageCorrupt.
Status damage(const std::string& path, std::uint64_t offset, std::string_view what);

}  // namespace seriesdb::segment_format
