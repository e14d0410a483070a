// Decodes the directory column by column.
#include "format/segment/chunk_columns.h"

#include <algorithm>
#include <array>
#include <limits>

#include "format/segment/summary_number.h"

namespace seriesdb {
namespace {

using segment_format::damage;
using segment_format::Footer;

// Apart from series and codec, every column has at least one byte for each chunk.
constexpr std::uint64_t kChunkBytesMin = 10;

// The number columns in file order. Each value is encoded against a known reference that it often
// equals: a counter's minimum is its first value.
using NumberField = double ChunkSummary::*;
struct NumberColumn {
  NumberField field;
  // In the same chunk; null: the same field of the previous chunk (0 at first).
  NumberField reference;
};
constexpr std::array<NumberColumn, 5> kNumberColumns = {{
    {&ChunkSummary::first, nullptr},
    {&ChunkSummary::last, &ChunkSummary::first},
    {&ChunkSummary::min, &ChunkSummary::first},
    {&ChunkSummary::max, &ChunkSummary::last},
    {&ChunkSummary::sum, &ChunkSummary::first},
}};

double referenceOf(const NumberColumn& column, std::span<const ChunkEntry> chunks, std::size_t i) {
  if (column.reference != nullptr) return chunks[i].summary.*column.reference;
  return i == 0 ? 0.0 : chunks[i - 1].summary.*column.field;
}

bool startsSeries(std::span<const ChunkEntry> chunks, std::size_t i) {
  return i == 0 || chunks[i].series != chunks[i - 1].series;
}

// Reads the columns in order. Each method returns false if its column is malformed.
class Decoder {
 public:
  Decoder(Bytes bytes, const Footer& footer) : reader_(bytes), footer_(footer) {}

  std::uint64_t bytesLeft() const { return reader_.rest().size(); }

  bool readSeries() {
    std::uint64_t next = 0;
    std::uint64_t chunk = 0;
    for (std::uint32_t i = 0; i < footer_.seriesCount; ++i) {
      const std::uint64_t skipped = reader_.readVarint();
      const std::uint64_t more = reader_.readVarint();
      constexpr std::uint64_t kRefMax = std::numeric_limits<SeriesRef>::max();
      if (!reader_.ok() || next > kRefMax || skipped > kRefMax - next) return false;
      if (chunk == footer_.chunkCount || more >= footer_.chunkCount - chunk) return false;
      const auto series = static_cast<SeriesRef>(next + skipped);
      for (const std::uint64_t end = chunk + more + 1; chunk < end; ++chunk) {
        out[chunk].series = series;
      }
      next = std::uint64_t{series} + 1;
    }
    return chunk == footer_.chunkCount;
  }

  bool readSizes() {
    std::uint64_t offset = segment_format::kHeaderSize;
    for (ChunkEntry& chunk : out) {
      const std::uint64_t size = reader_.readVarint();
      if (size == 0 || size > footer_.directoryOffset - offset) return false;
      if (size > std::numeric_limits<std::uint32_t>::max()) return false;
      chunk.offset = offset;
      chunk.size = static_cast<std::uint32_t>(size);
      offset += size;
    }
    return reader_.ok() && offset == footer_.directoryOffset;
  }

  bool readCounts() {
    std::uint64_t sum = 0;
    for (ChunkEntry& chunk : out) {
      const std::uint64_t count = reader_.readVarint();
      if (count == 0 || count > kChunkSamplesMax) return false;
      chunk.summary.count = static_cast<std::uint16_t>(count);
      sum += count;
    }
    return reader_.ok() && sum == footer_.sampleCount;
  }

  bool readStarts() {
    Timestamp seriesStart = footer_.tsMin;
    for (std::size_t i = 0; i < out.size(); ++i) {
      // readLengths applies the gap to the previous chunk, because it knows where that chunk ends.
      const std::uint64_t word = reader_.readVarint();
      if (startsSeries(out, i)) {
        const auto delta = static_cast<std::uint64_t>(unzigzag(word));
        seriesStart = static_cast<Timestamp>(static_cast<std::uint64_t>(seriesStart) + delta);
        out[i].summary.tsMin = seriesStart;
      } else {
        out[i].summary.tsMin = static_cast<Timestamp>(word);
      }
    }
    return reader_.ok();
  }

  bool readLengths() {
    constexpr Timestamp kLast = std::numeric_limits<Timestamp>::max();
    std::uint64_t length = 0;
    Timestamp least = kLast;
    Timestamp greatest = std::numeric_limits<Timestamp>::min();
    for (std::size_t i = 0; i < out.size(); ++i) {
      ChunkSummary& summary = out[i].summary;
      if (!startsSeries(out, i)) {
        const Timestamp before = out[i - 1].summary.tsMax;
        const auto gap = static_cast<std::uint64_t>(summary.tsMin);
        if (gap >= difference(kLast, before)) return false;
        summary.tsMin = static_cast<Timestamp>(static_cast<std::uint64_t>(before) + gap + 1);
      }
      length += static_cast<std::uint64_t>(unzigzag(reader_.readVarint()));
      const std::uint64_t lengthMin = summary.count - std::uint64_t{1};
      if (length > difference(kLast, summary.tsMin) || length < lengthMin) return false;
      summary.tsMax = static_cast<Timestamp>(static_cast<std::uint64_t>(summary.tsMin) + length);
      least = std::min(least, summary.tsMin);
      greatest = std::max(greatest, summary.tsMax);
    }
    return reader_.ok() && least == footer_.tsMin && greatest == footer_.tsMax;
  }

  bool readCodecs() {
    for (ChunkEntry& chunk : out) {
      const auto byte = reader_.readLe<std::uint8_t>();
      const std::uint8_t value = byte & 15;
      const std::uint8_t timestamp = byte >> 4;
      if (value > kValueCodecMax || timestamp > kTimestampCodecMax) return false;
      chunk.summary.valueCodec = static_cast<ValueCodec>(value);
      chunk.summary.timestampCodec = static_cast<TimestampCodec>(timestamp);
    }
    return reader_.ok();
  }

  bool readNumbers() {
    for (const NumberColumn& column : kNumberColumns) {
      for (std::size_t i = 0; i < out.size(); ++i) {
        const double reference = referenceOf(column, out, i);
        double value = 0;
        if (!summary_number::read(reader_, reference, value)) return false;
        out[i].summary.*column.field = value;
      }
    }
    return reader_.ok();
  }

  bool readRests() {
    for (ChunkEntry& chunk : out) {
      std::int64_t rest = ChunkSummary::kNoRest;
      const bool hasRests = footer_.version >= segment_format::kRestsVersion;
      if (hasRests && !summary_number::readRest(reader_, chunk.summary.sum, rest)) return false;
      chunk.summary.setRest(rest);
    }
    return reader_.atEnd();
  }

  std::vector<ChunkEntry> out;

 private:
  ByteReader reader_;
  const Footer& footer_;
};

struct Column {
  std::string_view name;
  bool (Decoder::*read)();
};
constexpr std::array<Column, 8> kColumns = {{
    {"series", &Decoder::readSeries},
    {"sizes", &Decoder::readSizes},
    {"counts", &Decoder::readCounts},
    {"starts", &Decoder::readStarts},
    {"lengths", &Decoder::readLengths},
    {"codecs", &Decoder::readCodecs},
    {"numbers", &Decoder::readNumbers},
    {"rests", &Decoder::readRests},
}};

}  // namespace

Result<std::vector<ChunkEntry>> decodeColumns(Bytes bytes, const Footer& footer,
                                              const std::string& path) {
  const std::uint64_t begin = footer.directoryOffset;
  // Bounds the allocations below by the size of the file.
  if (footer.chunkCount == 0 || footer.chunkCount > bytes.size() / kChunkBytesMin ||
      footer.chunkCount >= std::numeric_limits<std::uint32_t>::max() || footer.seriesCount == 0 ||
      footer.seriesCount > footer.chunkCount) {
    return damage(path, begin, "the directory cannot hold the footer's number of chunks");
  }
  Decoder decoder(bytes, footer);
  decoder.out.resize(static_cast<std::size_t>(footer.chunkCount));
  for (const Column& column : kColumns) {
    const std::uint64_t columnBegin = begin + bytes.size() - decoder.bytesLeft();
    if ((decoder.*column.read)()) continue;
    std::string what = "the directory's column of ";
    return damage(path, columnBegin, what.append(column.name).append(" is malformed"));
  }
  return std::move(decoder.out);
}

}  // namespace seriesdb
