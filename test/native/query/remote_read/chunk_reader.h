// Reads chunks and frames of STREAMED_XOR_CHUNKS bit by bit, as the format describes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "common/base/bytes.h"
#include "common/digest/checksum.h"
#include "common/protobuf/wire_reader.h"
#include "harness.h"

namespace seriesdb::test {

// Times, and the bits of values.
using ChunkSamples = std::vector<std::pair<std::int64_t, std::uint64_t>>;

class ChunkReader {
 public:
  explicit ChunkReader(Bytes bytes) : bytes_(bytes) {}

  ChunkSamples read() {
    ChunkSamples samples;
    const std::uint64_t count = bits(16);
    std::uint64_t ts = 0;
    std::uint64_t delta = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      if (i == 0) {
        ts = static_cast<std::uint64_t>(unzigzag(varint()));
        value_ = bits(64);
      } else {
        delta = i == 1 ? varint() : delta + difference();
        ts += delta;
        readValue();
      }
      samples.emplace_back(static_cast<std::int64_t>(ts), value_);
    }
    // Only the rest of a byte is left, all zeros.
    EXPECT(at_ <= bytes_.size() * 8 && bytes_.size() * 8 - at_ < 8);
    while (at_ % 8 != 0) EXPECT(bits(1) == 0);
    return samples;
  }

 private:
  std::uint64_t bits(unsigned count) {
    std::uint64_t read = 0;
    for (; count > 0; --count, ++at_) {
      const std::uint8_t byte = at_ / 8 < bytes_.size() ? bytes_[at_ / 8] : std::uint8_t{0};
      read = read << 1 | (byte >> (7 - at_ % 8) & 1);
    }
    return read;
  }

  std::uint64_t varint() {
    std::uint64_t read = 0;
    for (unsigned shift = 0;; shift += 7) {
      const std::uint64_t byte = bits(8);
      read |= (byte & 0x7f) << shift;
      if (byte < 0x80) return read;
    }
  }

  std::uint64_t difference() {
    if (bits(1) == 0) return 0;
    unsigned size = 64;
    for (const unsigned candidate : {14u, 17u, 20u}) {
      if (bits(1) != 0) continue;
      size = candidate;
      break;
    }
    const std::uint64_t read = bits(size);
    if (size == 64 || read <= std::uint64_t{1} << (size - 1)) return read;
    return read - (std::uint64_t{1} << size);
  }

  void readValue() {
    if (bits(1) == 0) return;
    if (bits(1) != 0) {
      leading_ = static_cast<unsigned>(bits(5));
      size_ = static_cast<unsigned>(bits(6));
      if (size_ == 0) size_ = 64;
    }
    value_ ^= bits(size_) << (64 - leading_ - size_);
  }

  Bytes bytes_;
  std::size_t at_ = 0;  // The position, in bits.
  std::uint64_t value_ = 0;
  unsigned leading_ = 0;
  unsigned size_ = 0;
};

struct ReadChunk {
  std::int64_t minMs = 0;
  std::int64_t maxMs = 0;
  std::uint64_t encoding = 0;
  ChunkSamples samples;
};

struct ReadFrame {
  std::size_t size = 0;  // Includes the bytes before the message.
  std::uint64_t queryIndex = 0;
  std::string labels;  // key=value,…
  std::vector<ReadChunk> chunks;
};

inline ReadChunk chunkOf(Bytes message) {
  ReadChunk chunk;
  EXPECT(readFields(message, [&](const WireField& field) {
    if (field.number == 1) chunk.minMs = field.asSigned();
    if (field.number == 2) chunk.maxMs = field.asSigned();
    if (field.number == 3) chunk.encoding = field.value;
    if (field.number == 4) chunk.samples = ChunkReader(field.bytes).read();
    return true;
  }));
  return chunk;
}

inline void readSeriesOf(Bytes message, ReadFrame& frame) {
  EXPECT(readFields(message, [&](const WireField& field) {
    if (field.number == 2) frame.chunks.push_back(chunkOf(field.bytes));
    if (field.number != 1) return true;
    return readFields(field.bytes, [&](const WireField& part) {
      frame.labels += std::string(asText(part.bytes)) + (part.number == 1 ? "=" : ",");
      return true;
    });
  }));
}

// Splits the stream into frames; each has one series.
inline std::vector<ReadFrame> framesOf(std::string_view stream) {
  std::vector<ReadFrame> frames;
  ByteReader reader(asBytes(stream));
  while (reader.ok() && !reader.atEnd()) {
    const std::size_t left = reader.rest().size();
    const std::uint64_t size = reader.readVarint();
    const std::uint32_t crc = __builtin_bswap32(reader.readLe<std::uint32_t>());
    const Bytes message = reader.readBytes(size);
    EXPECT(reader.ok() && crc == crc32c(message));
    frames.emplace_back().size = left - reader.rest().size();
    std::size_t seriesCount = 0;
    EXPECT(readFields(message, [&](const WireField& field) {
      if (field.number == 2) frames.back().queryIndex = field.value;
      if (field.number == 1) readSeriesOf(field.bytes, frames.back());
      seriesCount += field.number == 1 ? 1 : 0;
      return true;
    }));
    EXPECT(seriesCount == 1);
  }
  return frames;
}

}  // namespace seriesdb::test
