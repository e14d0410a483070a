// The sizes of uploads in bytes.
#pragma once

#include <cstddef>

namespace seriesdb {

// Tests have smaller ones. A part is at least a 10,000th of the largest file.
struct UploadSizes {
  std::size_t single = std::size_t{64} << 20;  // Larger files are sent in parts.
  std::size_t part = std::size_t{16} << 20;
};

}  // namespace seriesdb
