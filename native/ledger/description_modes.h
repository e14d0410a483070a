// Which descriptions of the database are written and read.
#pragma once

#include <cstdint>

namespace seriesdb {

// Whether the content-addressed description of the database is written beside MANIFEST.
enum class CasMode : std::uint8_t { kOff, kDualWrite };

// Which description the database opens from. kShadow: MANIFEST, and it is compared with the commit.
enum class MetadataReadMode : std::uint8_t { kLegacy, kShadow, kPrimary };

}  // namespace seriesdb
