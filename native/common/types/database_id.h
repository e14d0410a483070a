// The identity of a database, as ROOT has it.
#pragma once

#include <array>
#include <cstdint>

namespace seriesdb {

// Tells a database from all others, also from its copies. A backup has the id of its database.
using DatabaseId = std::array<std::uint8_t, 16>;

}  // namespace seriesdb
