// Which descriptions of the database the ledger writes and reads.
#pragma once

#include <cstdint>

namespace seriesdb {

// Whether the ledger writes the content-addressed description beside MANIFEST.
enum class CasMode : std::uint8_t { kOff, kDualWrite };

// The description that the database opens from. kShadow opens from MANIFEST, and compares it with
// the commit.
enum class MetadataReadMode : std::uint8_t { kLegacy, kShadow, kPrimary };

// The step between the numbers of two edits, by the description that is written first. If MANIFEST
// has an edit that REFS lacks, its number shows the cause. Either a crash came between the two
// writes, or REFS had the edit and lost it.
inline constexpr std::uint64_t kManifestFirstStep = 1;
inline constexpr std::uint64_t kRefsFirstStep = 2;

}  // namespace seriesdb
