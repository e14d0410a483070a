#include <bit>

#include "common/base/check.h"
#include "format/segment/chunk_columns.h"
#include "format/segment/old_directory.h"
#include "target.h"

using namespace seriesdb;
using namespace seriesdb::fuzz;

namespace {

using segment_format::Footer;
using segment_format::kHeaderSize;

// The footer's numbers, before the bytes of the directory.
void appendNumbers(ByteBuffer& out, const Footer& footer) {
  appendLe(out, footer.version);
  appendLe(out, footer.directoryOffset);
  appendLe(out, footer.chunkCount);
  appendLe(out, footer.sampleCount);
  appendLe(out, footer.tsMin);
  appendLe(out, footer.tsMax);
  appendLe(out, footer.seriesCount);
}

Footer readNumbers(ByteReader& in) {
  Footer footer;
  footer.version = in.readLe<std::uint32_t>();
  footer.directoryOffset = in.readLe<std::uint64_t>();
  footer.chunkCount = in.readLe<std::uint64_t>();
  footer.sampleCount = in.readLe<std::uint64_t>();
  footer.tsMin = in.readLe<Timestamp>();
  footer.tsMax = in.readLe<Timestamp>();
  footer.seriesCount = in.readLe<std::uint32_t>();
  return footer;
}

ChunkSummary anySummary(Timestamp tsMin, Random& random) {
  ChunkSummary summary{};
  summary.count = static_cast<std::uint16_t>(1 + random() % 4096);
  summary.valueCodec = static_cast<ValueCodec>(random() % 6);
  summary.timestampCodec = static_cast<TimestampCodec>(random() % 4);
  summary.tsMin = tsMin;
  summary.tsMax = tsMin + 1000 * (summary.count - 1);
  summary.first = static_cast<double>(random() % 1000) / 8;
  summary.last = random() % 2 == 0 ? summary.first : static_cast<double>(random() % 1000);
  summary.min = std::min(summary.first, summary.last);
  summary.max = std::max(summary.first, summary.last);
  summary.sum = std::bit_cast<double>(random() >> random() % 64);
  if (ChunkSummary::mayHaveRest(summary.sum)) {
    summary.setRest(static_cast<std::int64_t>(random()) >> (25 + random() % 30));
  }
  return summary;
}

std::vector<ByteBuffer> makeDirectories(Random& random) {
  std::vector<ByteBuffer> all;
  for (std::size_t count = 1; count < 12; ++count) {
    std::vector<ChunkEntry> chunks;
    Footer footer{.version = segment_format::kRestsVersion,
                  .directoryOffset = kHeaderSize,
                  .tsMin = INT64_MAX,
                  .tsMax = INT64_MIN};
    for (std::size_t i = 0; i < count; ++i) {
      const bool isNew = i == 0 || random() % 2 == 0;
      const auto series = static_cast<SeriesRef>(
          isNew ? (i == 0 ? 0 : chunks.back().series + 1) + random() % 3 : chunks.back().series);
      const Timestamp after = isNew ? 1'700'000'000'000 : chunks.back().summary.tsMax + 1;
      const auto size = 20 + static_cast<std::uint32_t>(random() % 3000);
      const auto summary = anySummary(after + static_cast<Timestamp>(random() % 5000), random);
      chunks.push_back({series, size, footer.directoryOffset, summary, ChunkEntry::kNoPlace});
      footer.directoryOffset += size;
      footer.sampleCount += summary.count;
      footer.tsMin = std::min(footer.tsMin, summary.tsMin);
      footer.tsMax = std::max(footer.tsMax, summary.tsMax);
      footer.seriesCount += isNew ? 1 : 0;
    }
    footer.chunkCount = count;
    appendNumbers(all.emplace_back(), footer);
    test::appendOldDirectory(all.back(), chunks, footer.tsMin);
  }
  return all;
}

// Readers index the file by the entries, and size their arrays by the counts.
void checkEntries(const std::vector<ChunkEntry>& chunks, const Footer& footer) {
  CHECK(chunks.size() == footer.chunkCount);
  std::uint64_t offset = kHeaderSize;
  std::uint64_t samples = 0;
  std::uint64_t series = 0;
  for (std::size_t at = 0; at < chunks.size(); ++at) {
    const ChunkEntry& chunk = chunks[at];
    const ChunkSummary& summary = chunk.summary;
    CHECK(chunk.offset == offset && chunk.size > 0);
    CHECK(chunk.size <= footer.directoryOffset - offset);
    CHECK(summary.count >= 1 && summary.count <= kChunkSamplesMax);
    CHECK(footer.tsMin <= summary.tsMin && summary.tsMax <= footer.tsMax);
    const auto length =
        static_cast<std::uint64_t>(summary.tsMax) - static_cast<std::uint64_t>(summary.tsMin);
    CHECK(summary.tsMin <= summary.tsMax && length >= summary.count - std::uint64_t{1});
    const bool isNew = at == 0 || chunk.series != chunks[at - 1].series;
    if (at > 0 && isNew) CHECK(chunk.series > chunks[at - 1].series);
    if (!isNew) CHECK(chunks[at - 1].summary.tsMax < summary.tsMin);
    offset += chunk.size;
    samples += summary.count;
    series += isNew ? 1 : 0;
  }
  CHECK(offset == footer.directoryOffset && samples == footer.sampleCount);
  CHECK(series == footer.seriesCount);
}

bool readDirectory(Bytes input) {
  ByteReader in(input);
  Footer footer = readNumbers(in);
  footer.directorySize = in.rest().size();
  // The guarantees of parseFooter.
  if (!in.ok() || footer.directoryOffset < kHeaderSize) return false;
  if (footer.version == 0 || footer.version > segment_format::kRestsVersion) return false;
  const auto decoded = decodeColumns(in.rest(), footer, "segment");
  if (!decoded.ok()) {
    CHECK(decoded.status().code() == StatusCode::kStorageCorrupt);
    return false;
  }
  checkEntries(decoded.value(), footer);
  ByteBuffer written;
  test::appendOldDirectory(written, decoded.value(), footer.tsMin);
  footer.version = segment_format::kRestsVersion;
  const auto again = decodeColumns(written, footer, "segment");
  CHECK(again.ok());
  ByteBuffer rewritten;
  test::appendOldDirectory(rewritten, again.value(), footer.tsMin);
  CHECK(rewritten == written);
  return true;
}

const Registration registration{{
    .name = "directory",
    .sentence = "a chunk directory is refused, or all of its entries lie inside and in order",
    .read = &readDirectory,
    .seeds = &makeDirectories,
}};

}  // namespace
