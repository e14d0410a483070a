#include "query/remote_read/chunk_frame.h"

#include "common/digest/checksum.h"
#include "query/remote_read/xor_chunk.h"

namespace seriesdb {
namespace {

// Tags of fields: number << 3 | wire type.
constexpr std::uint8_t kChunkedSeries = 1 << 3 | 2;  // In ChunkedReadResponse.
constexpr std::uint8_t kQueryIndex = 2 << 3 | 0;     // In ChunkedReadResponse.
constexpr std::uint8_t kLabelOfSeries = 1 << 3 | 2;  // In ChunkedSeries.
constexpr std::uint8_t kChunkOfSeries = 2 << 3 | 2;  // In ChunkedSeries.
constexpr std::uint8_t kLabelName = 1 << 3 | 2;      // In Label.
constexpr std::uint8_t kLabelValue = 2 << 3 | 2;     // In Label.
constexpr std::uint8_t kMinTime = 1 << 3 | 0;        // In Chunk.
constexpr std::uint8_t kMaxTime = 2 << 3 | 0;        // In Chunk.
constexpr std::uint8_t kEncoding = 3 << 3 | 0;       // In Chunk.
constexpr std::uint8_t kData = 4 << 3 | 2;           // In Chunk.
constexpr std::uint8_t kXor = 1;

// The bytes of a frame around its series: size and checksum, a tag and a length, the query.
constexpr std::size_t kFrameHeadMax = 4 + 4 + 1 + 4 + 1 + kVarintSizeMax;
// The bytes of a chunk around its data: tag and length, two times, the encoding, tag and length.
constexpr std::size_t kChunkHeadMax = 1 + 2 + 2 * (1 + kVarintSizeMax) + 2 + 1 + 2;
// Labels leave room for many chunks.
static_assert(ChunkFrame::kSizeMax > 16 * (kIdentitySizeMax + kXorChunkSizeMax));

// Omits zero, as proto3 does. Returns the end.
std::uint8_t* writeInteger(std::uint8_t* to, std::uint8_t tag, std::int64_t value) {
  if (value == 0) return to;
  *to++ = tag;
  return writeVarint(to, static_cast<std::uint64_t>(value));
}

void addLabel(ByteBuffer& out, const Label& label) {
  const std::size_t size = 1 + varintSize(label.key.size()) + label.key.size() + 1 +
                           varintSize(label.value.size()) + label.value.size();
  out.push_back(kLabelOfSeries);
  appendVarint(out, size);
  out.push_back(kLabelName);
  appendText(out, label.key);
  out.push_back(kLabelValue);
  appendText(out, label.value);
}

}  // namespace

void ChunkFrame::beginSeries(std::uint64_t queryIndex, std::span<const Label> labels) {
  queryIndex_ = queryIndex;
  series_.clear();
  for (const Label& label : labels) addLabel(series_, label);
  labelsSize_ = series_.size();
}

void ChunkFrame::addChunk(std::span<const std::int64_t> ms, std::span<const double> values,
                          std::string& out) {
  std::uint8_t data[kXorChunkSizeMax + kXorChunkSlack];
  const auto size = static_cast<std::size_t>(writeXorChunk(data, ms, values) - data);

  std::uint8_t head[kChunkHeadMax];
  std::uint8_t* end = writeInteger(head, kMinTime, ms.front());
  end = writeInteger(end, kMaxTime, ms.back());
  end = writeInteger(end, kEncoding, kXor);
  *end++ = kData;
  end = writeVarint(end, size);
  const Bytes fields(head, end);

  if (series_.size() + kChunkHeadMax + size > kSizeMax - kFrameHeadMax) appendFrame(out);
  series_.push_back(kChunkOfSeries);
  appendVarint(series_, fields.size() + size);
  appendBytes(series_, fields);
  appendBytes(series_, Bytes(data, size));
}

void ChunkFrame::endSeries(std::string& out) {
  if (series_.size() > labelsSize_) appendFrame(out);
}

void ChunkFrame::appendFrame(std::string& out) {
  std::uint8_t scratch[kFrameHeadMax];
  std::uint8_t* end = scratch;
  *end++ = kChunkedSeries;
  end = writeVarint(end, series_.size());
  const Bytes head(scratch, end);
  const std::uint8_t* tailEnd =
      writeInteger(end, kQueryIndex, static_cast<std::int64_t>(queryIndex_));
  const Bytes tail(end, tailEnd);

  const std::uint32_t crc = crc32c(tail, crc32c(series_, crc32c(head)));
  std::uint8_t prefix[kVarintSizeMax + sizeof crc];
  std::uint8_t* at = writeVarint(prefix, head.size() + series_.size() + tail.size());
  storeLe(at, __builtin_bswap32(crc));
  for (const Bytes part : {Bytes(prefix, at + sizeof crc), head, Bytes(series_), tail}) {
    out += asText(part);
  }
  series_.resize(labelsSize_);
}

}  // namespace seriesdb
