// Encoding and decoding of the chunk directory, one column after the other.
#include "segment/chunk_directory.h"

#include <algorithm>
#include <array>
#include <limits>

#include "segment/summary_number.h"

namespace seriesdb {
namespace {

using segment_format::damage;
using segment_format::Footer;

// Series and codec aside, every column spends at least a byte on a chunk.
constexpr std::uint64_t kChunkBytesMin = 10;
// Large arrays begin at a page, so that the entries of one series in many segments of the same
// series would compete for the same places of a cache. Entries left out before the first, a number
// that differs from one segment to the next, set them apart.
constexpr std::size_t kLeadMax = 64;
// Arrays of fewer entries lie anywhere; beside them what is left out would be much.
constexpr std::uint64_t kLeadFrom = 1024;
constexpr auto kValueCodecMax = static_cast<std::uint8_t>(ValueCodec::kDecimalDelta);
constexpr auto kTimestampCodecMax = static_cast<std::uint8_t>(TimestampCodec::kDeltaOfDelta);

// The number columns in file order. Each value is written against a reference that is known
// before it, because the two are often the same: a counter's minimum is its first value.
using NumberField = double ChunkSummary::*;
struct NumberColumn {
  NumberField field;
  NumberField reference;  // Of the same chunk; null: this field of the chunk before (0 at first).
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

void appendSeriesColumn(ByteBuffer& out, std::span<const ChunkEntry> chunks) {
  std::uint64_t next = 0;  // The least reference that the coming series can have.
  for (std::size_t i = 0; i < chunks.size();) {
    std::size_t end = i + 1;
    while (end < chunks.size() && chunks[end].series == chunks[i].series) ++end;
    appendVarint(out, chunks[i].series - next);
    appendVarint(out, end - i - 1);
    next = std::uint64_t{chunks[i].series} + 1;
    i = end;
  }
}

void appendTimeColumns(ByteBuffer& out, std::span<const ChunkEntry> chunks, Timestamp tsMin) {
  Timestamp seriesStart = tsMin;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    const Timestamp start = chunks[i].summary.tsMin;
    if (startsSeries(chunks, i)) {
      appendVarint(out, zigzag(static_cast<std::int64_t>(difference(start, seriesStart))));
      seriesStart = start;
    } else {
      appendVarint(out, difference(start, chunks[i - 1].summary.tsMax) - 1);
    }
  }
  std::uint64_t before = 0;
  for (const ChunkEntry& chunk : chunks) {
    const std::uint64_t length = difference(chunk.summary.tsMax, chunk.summary.tsMin);
    appendVarint(out, zigzag(static_cast<std::int64_t>(length - before)));
    before = length;
  }
}

// Reads the columns in order. Each method returns false when its column is malformed.
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
      out.series.push_back(series);
      out.starts.push_back(static_cast<std::uint32_t>(chunk));
      for (const std::uint64_t end = chunk + more + 1; chunk < end; ++chunk) {
        out.chunks[chunk].series = series;
      }
      next = std::uint64_t{series} + 1;
    }
    out.starts.push_back(static_cast<std::uint32_t>(chunk));
    return chunk == footer_.chunkCount;
  }

  bool readSizes() {
    std::uint64_t offset = segment_format::kHeaderSize;
    for (ChunkEntry& chunk : out.chunks) {
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
    for (ChunkEntry& chunk : out.chunks) {
      const std::uint64_t count = reader_.readVarint();
      if (count == 0 || count > kChunkSamplesMax) return false;
      chunk.summary.count = static_cast<std::uint16_t>(count);
      sum += count;
    }
    return reader_.ok() && sum == footer_.sampleCount;
  }

  bool readStarts() {
    Timestamp seriesStart = footer_.tsMin;
    for (std::size_t i = 0; i < out.chunks.size(); ++i) {
      // The gap to a chunk before is applied by readLengths, which knows where that chunk ends.
      const std::uint64_t word = reader_.readVarint();
      if (startsSeries(out.chunks, i)) {
        const auto delta = static_cast<std::uint64_t>(unzigzag(word));
        seriesStart = static_cast<Timestamp>(static_cast<std::uint64_t>(seriesStart) + delta);
        out.chunks[i].summary.tsMin = seriesStart;
      } else {
        out.chunks[i].summary.tsMin = static_cast<Timestamp>(word);
      }
    }
    return reader_.ok();
  }

  bool readLengths() {
    constexpr Timestamp kLast = std::numeric_limits<Timestamp>::max();
    std::uint64_t length = 0;
    Timestamp least = kLast;
    Timestamp greatest = std::numeric_limits<Timestamp>::min();
    for (std::size_t i = 0; i < out.chunks.size(); ++i) {
      ChunkSummary& summary = out.chunks[i].summary;
      if (!startsSeries(out.chunks, i)) {
        const Timestamp before = out.chunks[i - 1].summary.tsMax;
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
    for (ChunkEntry& chunk : out.chunks) {
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
      for (std::size_t i = 0; i < out.chunks.size(); ++i) {
        const double reference = referenceOf(column, out.chunks, i);
        double value = 0;
        if (!summary_number::read(reader_, reference, value)) return false;
        out.chunks[i].summary.*column.field = value;
      }
    }
    return reader_.ok();
  }

  bool readRests() {
    for (ChunkEntry& chunk : out.chunks) {
      std::int64_t rest = ChunkSummary::kNoRest;
      const bool hasRests = footer_.version >= segment_format::kRestsVersion;
      if (hasRests && !summary_number::readRest(reader_, chunk.summary.sum, rest)) return false;
      chunk.summary.setRest(rest);
    }
    return reader_.atEnd();
  }

  ChunkDirectory out;

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

void appendDirectory(ByteBuffer& out, std::span<const ChunkEntry> chunks, Timestamp tsMin) {
  appendSeriesColumn(out, chunks);
  for (const ChunkEntry& chunk : chunks) appendVarint(out, chunk.size);
  for (const ChunkEntry& chunk : chunks) appendVarint(out, chunk.summary.count);
  appendTimeColumns(out, chunks, tsMin);
  for (const ChunkEntry& chunk : chunks) {
    const auto value = static_cast<unsigned>(chunk.summary.valueCodec);
    const auto timestamp = static_cast<unsigned>(chunk.summary.timestampCodec);
    out.push_back(static_cast<std::uint8_t>(timestamp << 4 | value));
  }
  for (const NumberColumn& column : kNumberColumns) {
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      summary_number::append(out, chunks[i].summary.*column.field, referenceOf(column, chunks, i));
    }
  }
  for (const ChunkEntry& chunk : chunks) summary_number::appendRest(out, chunk.summary.rest());
}

Result<ChunkDirectory> decodeDirectory(Bytes bytes, const Footer& footer, const std::string& path) {
  const std::uint64_t begin = footer.directoryOffset;
  // Bounds what is allocated below by the size of the file.
  if (footer.chunkCount == 0 || footer.chunkCount > bytes.size() / kChunkBytesMin ||
      footer.chunkCount >= std::numeric_limits<std::uint32_t>::max() || footer.seriesCount == 0 ||
      footer.seriesCount > footer.chunkCount) {
    return damage(path, begin, "the directory cannot hold the footer's number of chunks");
  }
  Decoder decoder(bytes, footer);
  const std::size_t lead = footer.chunkCount < kLeadFrom ? 0 : footer.directoryCrc % kLeadMax;
  decoder.out.held.resize(lead + static_cast<std::size_t>(footer.chunkCount));
  decoder.out.chunks = std::span<ChunkEntry>(decoder.out.held).subspan(lead);
  decoder.out.series.reserve(footer.seriesCount);
  decoder.out.starts.reserve(std::size_t{footer.seriesCount} + 1);
  for (const Column& column : kColumns) {
    const std::uint64_t columnBegin = begin + bytes.size() - decoder.bytesLeft();
    if ((decoder.*column.read)()) continue;
    std::string what = "the directory's column of ";
    return damage(path, columnBegin, what.append(column.name).append(" is malformed"));
  }
  return std::move(decoder.out);
}

}  // namespace seriesdb
