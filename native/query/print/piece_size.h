// The size of a piece of an answer, in bytes.
#pragma once

#include <cstddef>

namespace seriesdb {

inline constexpr std::size_t kTextPieceSize = std::size_t{256} << 10;

}  // namespace seriesdb
