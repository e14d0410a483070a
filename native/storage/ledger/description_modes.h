// Which descriptions of the database are written and read.
#pragma once

#include <cstdint>

namespace seriesdb {

// Whether the content-addressed description of the database is written beside MANIFEST.
enum class CasMode : std::uint8_t { kOff, kDualWrite };

// Which description the database opens from. kShadow: MANIFEST, and it is compared with the commit.
enum class MetadataReadMode : std::uint8_t { kLegacy, kShadow, kPrimary };

// By how much the number of an edit is above the last one, by the description that has it first. So
// the number of an edit that MANIFEST has and REFS lacks tells whether a crash may have come
// between the two, or REFS had it and has lost it.
inline constexpr std::uint64_t kManifestFirstStep = 1;
inline constexpr std::uint64_t kRefsFirstStep = 2;

}  // namespace seriesdb
