// Frames of a response of type STREAMED_XOR_CHUNKS; each has chunks of one series:
//
//   +---------------+-------------------------------+----------------------------------------+
//   | size (varint) | crc32c of the message (4B BE) | message prometheus.ChunkedReadResponse |
//   +---------------+-------------------------------+----------------------------------------+
//
// If a series does not fit one frame, it continues in the next one, which repeats its labels.
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
  // Includes the head in front of the message.
  static constexpr std::size_t kSizeMax = std::size_t{1} << 20;

  // `queryIndex` is the query's place in the request; the labels are written as they are.
  void beginSeries(std::uint64_t queryIndex, std::span<const Label> labels);
  // Appends a frame to `out` if the chunks fill one. REQUIRES: as writeXorChunk(), and all samples
  // are later than in earlier calls.
  void addChunk(std::span<const std::int64_t> ms, std::span<const double> values, std::string& out);
  // Appends the last frame if any chunk is left.
  void endSeries(std::string& out);

 private:
  void appendFrame(std::string& out);

  std::uint64_t queryIndex_ = 0;
  ByteBuffer series_;           // The message ChunkedSeries.
  std::size_t labelsSize_ = 0;  // The size of the labels at its start.
};

}  // namespace seriesdb
