#include "segment/segment.h"

#include <algorithm>
#include <functional>

#include "base/check.h"
#include "base/checksum.h"
#include "codec/series.h"
#include "memory_file_system.h"
#include "model/file_names.h"
#include "segment/chunk_directory.h"
#include "segment/segment_format.h"
#include "segment/summary_number.h"
#include "target.h"

namespace seriesdb::fuzz {
namespace {

using segment_format::Footer;
using segment_format::kFooterSize;
using segment_format::kHeaderSize;
using summary_number::sameBits;

constexpr std::uint64_t kNumber = 1;

std::string pathOf(std::uint64_t number) {
  return file_names::join("", file_names::segmentFile(number));
}

std::vector<ByteBuffer> makeSegments(Random& random) {
  std::vector<ByteBuffer> all;
  const auto generators = test::generators();
  for (SeriesRef count = 1; count < 10; ++count) {
    MemoryFileSystem fs;
    auto writer = SegmentWriter::create(fs, "", kNumber);
    CHECK(writer.ok());
    for (SeriesRef series = 0; series < count; ++series) {
      const std::size_t samples = 1 + random() % 30;
      const auto ts = test::makeTimestamps((count + series) % test::kClockKinds, samples, random);
      const auto& generator = generators[random() % generators.size()];
      const auto values = test::makeValues(generator, samples, random);
      CHECK(writer.value()->addSeries(series * (1 + count % 3), ts, values).ok());
    }
    CHECK(writer.value()->finish(count).ok());
    all.push_back(fs.files.at(pathOf(kNumber)));
  }
  return all;
}

// Of a file that is large enough.
Footer footerOf(Bytes file) {
  ByteReader in(file.last(kFooterSize));
  Footer footer;
  footer.directoryOffset = in.readLe<std::uint64_t>();
  footer.directorySize = in.readLe<std::uint64_t>();
  footer.chunkCount = in.readLe<std::uint64_t>();
  footer.sampleCount = in.readLe<std::uint64_t>();
  footer.tsMin = in.readLe<Timestamp>();
  footer.tsMax = in.readLe<Timestamp>();
  footer.sequenceMax = in.readLe<std::uint64_t>();
  footer.seriesCount = in.readLe<std::uint32_t>();
  footer.directoryCrc = in.readLe<std::uint32_t>();
  return footer;
}

void setChecksum(ByteBuffer& file, std::size_t begin, std::size_t size) {
  if (size < sizeof(std::uint32_t)) return;
  const std::size_t covered = size - sizeof(std::uint32_t);
  storeLe(file.data() + begin + covered, crc32c(Bytes(file).subspan(begin, covered)));
}

// The directory lies where its size says, and every part has the checksum that belongs to it.
void repairSegment(ByteBuffer& file) {
  if (file.size() < kHeaderSize + kFooterSize) return;
  setChecksum(file, 0, kHeaderSize);
  const std::size_t footerAt = file.size() - kFooterSize;
  Footer footer = footerOf(file);
  footer.directorySize = std::min<std::uint64_t>(footer.directorySize, footerAt - kHeaderSize);
  footer.directoryOffset = footerAt - footer.directorySize;
  const Bytes directory = Bytes(file).subspan(static_cast<std::size_t>(footer.directoryOffset),
                                              static_cast<std::size_t>(footer.directorySize));
  footer.directoryCrc = crc32c(directory);
  const auto chunks = decodeDirectory(directory, footer, "segment");
  file.resize(footerAt);
  if (chunks.ok()) {
    for (const ChunkEntry& chunk : chunks.value().chunks) {
      setChecksum(file, static_cast<std::size_t>(chunk.offset), chunk.size);
    }
  }
  segment_format::appendFooter(file, footer);
}

// What the manifest would say of it.
SegmentFacts factsOf(Bytes file) {
  const Footer footer = footerOf(file);
  SegmentFacts facts;
  facts.number = kNumber;
  facts.fileSize = file.size();
  facts.fileCrc = loadLe<std::uint32_t>(file.last(12).data());
  facts.sampleCount = footer.sampleCount;
  facts.chunkCount = footer.chunkCount;
  facts.seriesCount = footer.seriesCount;
  facts.tsMin = footer.tsMin;
  facts.tsMax = footer.tsMax;
  facts.sequenceMax = footer.sequenceMax;
  return facts;
}

struct Columns {
  explicit Columns(std::size_t count) : ts(count), values(count) {}
  std::vector<Timestamp> ts;
  std::vector<double> values;
};

// Whether the chunk was taken. What the directory says of it is then so.
bool checkChunk(const Segment& segment, const Segment& unmapped, const ChunkEntry& entry) {
  const ChunkSummary& summary = entry.summary;
  Columns found(summary.count);
  Columns other(summary.count);
  const Status read = segment.read(entry, found.ts, found.values);
  const Status readAgain = segment.read(entry, other.ts, other.values);
  CHECK(read.code() == readAgain.code() && read.message() == readAgain.message());
  const Status copied = unmapped.read(entry, other.ts, other.values);
  CHECK(read.code() == copied.code() && read.message() == copied.message());
  if (!read.ok()) {
    CHECK(read.code() == StatusCode::kStorageCorrupt && !segment.damageMet().empty());
    return false;
  }
  CHECK(found.ts == other.ts);
  CHECK(std::equal(found.values.begin(), found.values.end(), other.values.begin(), &sameBits));
  CHECK(std::adjacent_find(found.ts.begin(), found.ts.end(), std::greater_equal<>()) ==
        found.ts.end());
  CHECK(found.ts.front() == summary.tsMin && found.ts.back() == summary.tsMax);
  CHECK(sameBits(found.values.front(), summary.first));
  CHECK(sameBits(found.values.back(), summary.last));
  return true;
}

// Series are found by their numbers, and others are not.
void checkSeries(const Segment& segment) {
  const std::span<const ChunkEntry> chunks = segment.chunks();
  for (const ChunkEntry& entry : chunks) {
    const auto own = segment.chunksOf(entry.series);
    CHECK(own.data() <= &entry && &entry < own.data() + own.size());
    CHECK(segment.chunkCountOf(std::span(&entry.series, 1)) == own.size());
    const SeriesRef next = entry.series + 1;
    const bool isThere = std::any_of(chunks.begin(), chunks.end(),
                                     [next](const ChunkEntry& one) { return one.series == next; });
    CHECK(segment.chunksOf(next).empty() == !isThere);
  }
}

bool readSegment(Bytes input) {
  if (input.size() < kHeaderSize + kFooterSize) return false;
  MemoryFileSystem fs;
  fs.files[pathOf(kNumber)].assign(input.begin(), input.end());
  const auto opened = Segment::open(fs, "", factsOf(input));
  fs.isMapping = false;
  const auto unmapped = Segment::open(fs, "", factsOf(input));
  CHECK(opened.status().message() == unmapped.status().message());
  if (!opened.ok()) {
    CHECK(opened.status().code() == StatusCode::kStorageCorrupt);
    return false;
  }
  checkSeries(*opened.value());
  bool isTaken = true;
  for (const ChunkEntry& entry : opened.value()->chunks()) {
    isTaken = checkChunk(*opened.value(), *unmapped.value(), entry) && isTaken;
  }
  return isTaken;
}

const Registration registration{{
    .name = "segment",
    .sentence = "a segment is refused, or each chunk is, or holds what the directory says",
    .read = &readSegment,
    .seeds = &makeSegments,
    .repair = &repairSegment,
}};

}  // namespace
}  // namespace seriesdb::fuzz
