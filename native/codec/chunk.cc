// The container of a chunk: header, two payloads, checksum. See docs/format/chunk.md.
//
//   +----------+-------------+----------------+----------------+------------------+
//   | 0xC1(1B) | codecs (1B) | count (varint) | first (varint) | ts size (varint) |
//   +----------+-------------+----------------+----------------+------------------+
//   | ts payload             | value payload                   | crc32c (4B)      |
//   +------------------------+---------------------------------+------------------+
//
// The checksum covers everything before it.
#include "codec/chunk.h"

#include <cmath>
#include <limits>

#include "base/check.h"
#include "base/checksum.h"
#include "codec/timestamp_codecs.h"
#include "codec/value_codecs.h"

namespace seriesdb {
namespace {

constexpr std::uint8_t kMagicAndVersion = 0xC1;
constexpr std::size_t kChecksumSize = sizeof(std::uint32_t);

struct Header {
  ValueCodec valueCodec;
  TimestampCodec timestampCodec;
  std::uint32_t count;
};

// Reads up to and with the count; leaves `in` behind it.
Result<Header> readHeader(ByteReader& in) {
  const auto magic = in.readLe<std::uint8_t>();
  const auto codecs = in.readLe<std::uint8_t>();
  const std::uint64_t count = in.readVarint();
  if (!in.ok()) return Status::corrupt("chunk header is cut short");
  if (magic != kMagicAndVersion) return Status::corrupt("chunk has an unknown version");
  if (count == 0 || count > kChunkSamplesMax) return Status::corrupt("chunk count is not legal");

  const std::uint8_t valueCodec = codecs & 0x0f;
  const std::uint8_t timestampCodec = codecs >> 4;
  if (valueCodec > static_cast<std::uint8_t>(ValueCodec::kDecimalDelta) ||
      timestampCodec > static_cast<std::uint8_t>(TimestampCodec::kDeltaOfDelta)) {
    return Status::corrupt("chunk has an unknown codec");
  }
  return Header{static_cast<ValueCodec>(valueCodec), static_cast<TimestampCodec>(timestampCodec),
                static_cast<std::uint32_t>(count)};
}

// Left to right, so that the sum is the one which adding the samples in order gives.
void summarize(std::span<const double> values, ChunkSummary& summary) {
  double low = values[0];
  double high = values[0];
  double sum = 0;
  bool hasNan = false;
  for (const double value : values) {
    low = value < low ? value : low;
    high = value > high ? value : high;
    hasNan |= value != value;
    sum += value;
  }
  const double nan = std::numeric_limits<double>::quiet_NaN();
  summary.min = hasNan ? nan : low;
  summary.max = hasNan ? nan : high;
  summary.sum = hasNan ? nan : sum;
}

}  // namespace

ChunkSummary encodeChunk(std::span<const Timestamp> ts, std::span<const double> values,
                         ByteBuffer& out) {
  CHECK(!ts.empty() && ts.size() == values.size() && ts.size() <= kChunkSamplesMax);
  const std::size_t start = out.size();
  out.push_back(kMagicAndVersion);
  out.push_back(0);  // The codecs, once they are chosen.
  appendVarint(out, ts.size());
  appendVarint(out, zigzag(ts.front()));

  // The size goes before the payload, and is known after it.
  static thread_local ByteBuffer timestamps;
  timestamps.clear();
  ChunkSummary summary{};
  summary.timestampCodec = appendTimestamps(ts, timestamps);
  appendVarint(out, timestamps.size());
  appendBytes(out, timestamps);
  summary.valueCodec = appendValues(values, kernels(), out);
  out[start + 1] = static_cast<std::uint8_t>(static_cast<unsigned>(summary.timestampCodec) << 4 |
                                             static_cast<unsigned>(summary.valueCodec));
  appendLe(out, crc32c(Bytes(out).subspan(start)));

  summary.count = static_cast<std::uint32_t>(ts.size());
  summary.tsMin = ts.front();
  summary.tsMax = ts.back();
  summary.first = values.front();
  summary.last = values.back();
  summarize(values, summary);
  return summary;
}

Result<std::uint32_t> chunkSampleCount(Bytes chunk) {
  ByteReader in(chunk);
  auto header = readHeader(in);
  if (!header.ok()) return header.status();
  return header.value().count;
}

Status verifyChunk(Bytes chunk) {
  if (chunk.size() < kChecksumSize) return Status::corrupt("chunk is cut short");
  const Bytes covered = chunk.first(chunk.size() - kChecksumSize);
  if (crc32c(covered) != loadLe<std::uint32_t>(chunk.data() + covered.size())) {
    return Status::corrupt("chunk checksum does not match");
  }
  return {};
}

Status decodeChunk(Bytes chunk, std::span<Timestamp> ts, std::span<double> values) {
  if (chunk.size() < kChecksumSize) return Status::corrupt("chunk is cut short");
  ByteReader in(chunk.first(chunk.size() - kChecksumSize));
  const auto header = readHeader(in);
  if (!header.ok()) return header.status();

  const std::size_t count = header.value().count;
  if (ts.size() < count || values.size() < count) {
    return Status::invalid("the arrays are smaller than the chunk");
  }
  ts[0] = unzigzag(in.readVarint());
  const Bytes timestamps = in.readBytes(in.readVarint());
  if (!in.ok()) return Status::corrupt("chunk is cut short");

  const Kernels& chosen = kernels();
  if (!decodeTimestamps(header.value().timestampCodec, timestamps, ts.first(count), chosen)) {
    return Status::corrupt("chunk timestamps are malformed");
  }
  if (!decodeValues(header.value().valueCodec, in.rest(), values.first(count), chosen)) {
    return Status::corrupt("chunk values are malformed");
  }
  return {};
}

}  // namespace seriesdb
