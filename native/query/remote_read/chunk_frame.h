// Frames of an answer of the type STREAMED_XOR_CHUNKS, each with chunks of one series:
//
//   +---------------+-------------------------------+----------------------------------------+
//   | size (varint) | crc32c of the message (4B BE) | message prometheus.ChunkedReadResponse |
//   +---------------+-------------------------------+----------------------------------------+
//
// A series that one frame does not hold goes on in the next one, with its labels again.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "common/base/bytes.h"
#include "common/types/identity.h"

namespace seriesdb {

// Not thread-safe.
class ChunkFrame {
 public:
  // With what stands before the message.
  static constexpr std::size_t kSizeMax = std::size_t{1} << 20;

  // Of the query of that place; labels as they are to be written.
  void beginSeries(std::uint64_t queryIndex, std::span<const Label> labels);
  // Appends a frame to `out` when there are chunks enough for one.
  // REQUIRES: as writeXorChunk, and later than those before.
  void addChunk(std::span<const std::int64_t> ms, std::span<const double> values,
                std::string& out);
  // Appends the last one, if any chunk is left.
  void endSeries(std::string& out);

 private:
  void appendFrame(std::string& out);

  std::uint64_t queryIndex_ = 0;
  ByteBuffer series_;           // The message ChunkedSeries.
  std::size_t labelsSize_ = 0;  // Of it, in front.
};

}  // namespace seriesdb
