#include "format/segment/segment.h"

#include <algorithm>
#include <functional>

#include "common/base/check.h"
#include "common/digest/checksum.h"
#include "common/types/file_names.h"
#include "format/codec/series.h"
#include "format/segment/page_directory.h"
#include "format/segment/segment_chunks.h"
#include "format/segment/segment_format.h"
#include "format/segment/summary_number.h"
#include "memory_file_system.h"
#include "target.h"

using namespace seriesdb;
using namespace seriesdb::fuzz;

namespace {

using segment_format::Footer;
using segment_format::kFooterSize;
using segment_format::kHeaderSize;
using summary_number::sameBits;

constexpr std::uint64_t kNumber = 1;

// The path of an older file, whose name is not a hash of its bytes.
std::string pathOf(std::uint64_t number) {
  SegmentFacts facts;
  facts.number = number;
  return file_names::join("", segmentFileOf(facts));
}

std::vector<ByteBuffer> makeSegments(Random& random) {
  std::vector<ByteBuffer> all;
  const auto generators = test::generators();
  for (SeriesRef count = 1; count < 10; ++count) {
    MemoryFileSystem fs;
    // Coded chunks have some hundreds of samples.
    const bool isCold = count % 4 == 0;
    const auto coldIn =
        isCold ? std::optional(TimestampUnit::kMilliseconds) : std::optional<TimestampUnit>();
    auto writer = SegmentWriter::create(fs, "", kNumber, coldIn);
    CHECK(writer.ok());
    for (SeriesRef series = 0; series < count; ++series) {
      // Bare chunks and others.
      const std::size_t samples = 1 + random() % (isCold ? 500 : random() % 3 == 0 ? 200 : 30);
      const auto ts = test::makeTimestamps((count + series) % test::kClockKinds, samples, random);
      const auto& generator = generators[random() % generators.size()];
      const auto values = test::makeValues(generator, samples, random);
      CHECK(writer.value()->addSeries(series * (1 + count % 3), ts, values).ok());
    }
    const auto facts = writer.value()->finish(count);
    CHECK(facts.ok());
    all.push_back(fs.at(file_names::join("", segmentFileOf(facts.value()))));
  }
  return all;
}

// REQUIRES: the file is large enough.
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
  footer.pageCount = in.readLe<std::uint32_t>();
  footer.version = loadLe<std::uint32_t>(file.last(16).data());
  return footer;
}

void setChecksum(ByteBuffer& file, std::size_t begin, std::size_t size) {
  if (size < sizeof(std::uint32_t)) return;
  const std::size_t covered = size - sizeof(std::uint32_t);
  storeLe(file.data() + begin + covered, crc32c(Bytes(file).subspan(begin, covered)));
}

constexpr std::size_t kFenceSize = 32;

// Repairs the checksum of each chunk of a page; the bare ones share the page's.
void repairChunks(ByteBuffer& file, const Footer& footer, std::size_t pageAt) {
  const DirectoryPage page(file.data() + pageAt);
  const bool hasBare = footer.version >= segment_format::kBareVersion;
  std::uint32_t bareCrc = 0;
  for (std::size_t i = 0; i < page.chunkCount(); ++i) {
    const auto offset = static_cast<std::size_t>(page.offsetAt(i));
    const auto size = static_cast<std::size_t>(page.offsetAt(i + 1)) - offset;
    if (hasBare && page.sampleCountAt(i) < kBareSamplesEnd) {
      bareCrc = crc32c(Bytes(file).subspan(offset, size), bareCrc);
    } else {
      setChecksum(file, offset, size);
    }
  }
  storeLe(file.data() + pageAt + page_format::kBareCrcAt, bareCrc);
}

// Moves the fences' offsets to the pages, as far as possible, and sets the pages' checksums.
void repairFences(ByteBuffer& file, Footer& footer) {
  const auto begin = static_cast<std::size_t>(footer.directoryOffset);
  const auto size = static_cast<std::size_t>(footer.directorySize);
  const std::size_t fencesSize = footer.pageCount * kFenceSize;
  if (fencesSize > size) return;
  const std::size_t pagesSize = size - fencesSize;
  std::uint8_t* fences = file.data() + begin + pagesSize;
  for (std::size_t i = 0; i < footer.pageCount; ++i) {
    std::uint8_t* fence = fences + i * kFenceSize;
    const auto at = loadLe<std::uint32_t>(fence + 24);
    const std::size_t end =
        i + 1 < footer.pageCount ? loadLe<std::uint32_t>(fence + kFenceSize + 24) : pagesSize;
    if (at > end || end > pagesSize) continue;
    storeLe(fence + 28, crc32c(Bytes(file).subspan(begin + at, end - at)));
  }
  footer.directoryCrc = crc32c(Bytes(file).subspan(begin + pagesSize, fencesSize));
}

void repairPages(ByteBuffer& file, Footer& footer) {
  repairFences(file, footer);
  const auto begin = static_cast<std::size_t>(footer.directoryOffset);
  const auto size = static_cast<std::size_t>(footer.directorySize);
  const auto checked = checkDirectory(Bytes(file).subspan(begin, size), footer, "segment");
  if (!checked.ok()) return;
  for (const Fence& fence : checked.value()) repairChunks(file, footer, begin + fence.offset);
  repairFences(file, footer);
}

// Moves the directory to where its size says, and repairs every checksum.
void repairSegment(ByteBuffer& file) {
  if (file.size() < kHeaderSize + kFooterSize) return;
  setChecksum(file, 0, kHeaderSize);
  const std::size_t footerAt = file.size() - kFooterSize;
  Footer footer = footerOf(file);
  footer.directorySize = std::min<std::uint64_t>(footer.directorySize, footerAt - kHeaderSize);
  footer.directoryOffset = footerAt - footer.directorySize;
  repairPages(file, footer);
  file.resize(footerAt);
  segment_format::appendFooter(file, footer);
}

// The manifest's facts of the file.
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

// Returns whether the chunk was accepted. Its directory entry is then right.
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

// Existing series are found by number, and others are not.
void checkSeries(const Segment& segment, const std::vector<ChunkEntry>& chunks) {
  for (const ChunkEntry& entry : chunks) {
    const auto own = test::chunksOf(segment, entry.series);
    CHECK(std::any_of(own.begin(), own.end(),
                      [&entry](const ChunkEntry& one) { return one.place == entry.place; }));
    CHECK(segment.chunkCountOf(std::span(&entry.series, 1)) == own.size());
    const SeriesRef next = entry.series + 1;
    const bool isThere = std::any_of(chunks.begin(), chunks.end(),
                                     [next](const ChunkEntry& one) { return one.series == next; });
    CHECK(test::chunksOf(segment, next).empty() == !isThere);
  }
}

bool readSegment(Bytes input) {
  if (input.size() < kHeaderSize + kFooterSize) return false;
  MemoryFileSystem fs;
  fs.put(pathOf(kNumber), input);
  const auto opened = Segment::open(fs, "", factsOf(input));
  fs.isMapping = false;
  const auto unmapped = Segment::open(fs, "", factsOf(input));
  CHECK(opened.status().message() == unmapped.status().message());
  if (!opened.ok()) {
    CHECK(opened.status().code() == StatusCode::kStorageCorrupt);
    return false;
  }
  const auto chunks = test::allChunks(*opened.value());
  checkSeries(*opened.value(), chunks);
  bool isTaken = true;
  for (const ChunkEntry& entry : chunks) {
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
